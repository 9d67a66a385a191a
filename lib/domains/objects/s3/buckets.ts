import { query, queryRow } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { settings } from '@/lib/settings';
import { isBucketName } from '../store/buckets';
import { type Entry, listObjects, listVersions, type VersionEntry } from '../store/listing';
import { abortUpload, type Conditions, deleteObject, deleteObjects } from '../store/rows';
import { type BucketRow, isPermitted, requirePermission } from './access';
import { type Answer, type BucketContext, type Context, empty, iso, owner, quoted, xml } from './answer';
import { takeText } from './body';
import { corsElements, parseCors } from './cors';
import { S3Error } from './errors';
import { s3ErrorOf } from './errors-of';
import { type LifecycleRule, lifecycleElements, parseLifecycle } from './lifecycle';
import { bypasses } from './lock';
import { createNamed, deleteNamed, updateNamed } from './manage';
import { aclAnswer, aclOf, cannedBucketAcl, requireSomeone } from './objects';
import { parsePolicy } from './policy';
import { encoded, header } from './request';
import { parseTags, tagElements } from './tags';
import { element, list, parseXml, text, type Xml } from './xml';

export async function listBuckets({ request, holder }: Context): Promise<Answer> {
  if (!holder) return xml('ListAllMyBucketsResult', { Owner: owner('anonymous'), Buckets: '' });
  const most = request.query.number('max-buckets', 10_000) ?? 10_000;
  const after = request.query.get('continuation-token') ?? '';
  const prefix = request.query.get('prefix') ?? '';
  const found = await query<Pick<BucketRow, 'name' | 'created_at'>>(sql`SELECT name, created_at FROM buckets
    WHERE project_id = ${holder.project_id}::uuid AND (${holder.bucket_id}::uuid IS NULL OR id = ${holder.bucket_id}::uuid)
      AND name > ${after}::text AND starts_with(name, ${prefix}::text) ORDER BY name LIMIT ${most + 1}::int`);
  const shown = found.slice(0, most);
  return xml('ListAllMyBucketsResult', {
    Owner: owner(holder.project_id),
    Buckets: {
      Bucket: shown.map(({ name, created_at }) => ({
        Name: name,
        CreationDate: iso(created_at),
        BucketRegion: settings().s3.region,
      })),
    },
    ...(found.length > shown.length ? { ContinuationToken: shown.at(-1)?.name } : {}),
    ...(request.query.has('prefix') ? { Prefix: prefix } : {}),
  });
}

export async function create(context: Context): Promise<Answer> {
  const { request, holder, bucket } = context;
  if (!holder?.writes || holder.bucket_id !== null) throw new S3Error('AccessDenied');
  const name = request.bucket ?? '';
  if (!isBucketName(name)) throw new S3Error('InvalidBucketName', undefined, { elements: { BucketName: name } });
  const locks = header(request, 'x-amz-bucket-object-lock-enabled')?.toLowerCase() === 'true';
  const acl = cannedBucketAcl(request) ?? 'private';
  const location = text(parseXml(await takeText(request, context), 'CreateBucketConfiguration')?.LocationConstraint);
  if (location !== undefined && location !== '' && location !== settings().s3.region)
    throw new S3Error('IllegalLocationConstraintException');
  // As S3 does in its first region: making a bucket again changes nothing.
  if (bucket?.project_id === holder.project_id) return empty(200, { Location: `/${name}` });
  if (bucket) throw new S3Error('BucketAlreadyExists');
  const isWritable = acl === 'public-read-write';
  const input = { name, acl: isWritable ? ('public-read' as const) : acl, object_lock: locks, versioning: locks };
  await createNamed(context, holder, input, isWritable);
  return empty(200, { Location: `/${name}` });
}

export async function remove(context: BucketContext): Promise<Answer> {
  const { request, bucket, holder } = context;
  requirePermission(request, context, { action: 's3:DeleteBucket', kind: 'write' });
  if (holder?.project_id !== bucket.project_id) throw new S3Error('AccessDenied');
  await abortAll(bucket.id);
  await deleteNamed(context, holder, bucket.name);
  return empty(204);
}

/** S3 deletes a bucket although uploads to it are unfinished. They stay while it holds anything else. */
async function abortAll(bucketId: string): Promise<void> {
  const open = await query<{ id: string }>(sql`SELECT id FROM object_uploads u WHERE u.bucket_id = ${bucketId}::uuid
    AND NOT EXISTS (SELECT FROM object_versions v WHERE v.bucket_id = u.bucket_id)`);
  for (const { id } of open) await abortUpload(id);
}

export async function head(context: BucketContext): Promise<Answer> {
  requireList(context);
  const region = { 'x-amz-bucket-region': settings().s3.region };
  if (!context.request.query.has('read-stats')) return empty(200, region);
  const { objects, bytes } = await queryRow<{
    objects: string;
    bytes: string;
  }>(sql`SELECT bucket_bytes(b.id)::text AS bytes,
      (b.objects + (SELECT coalesce(sum(c.objects), 0) FROM bucket_changes c WHERE c.bucket_id = b.id))::text AS objects
    FROM buckets b WHERE b.id = ${context.bucket.id}::uuid`);
  return empty(200, { ...region, 'x-rgw-object-count': objects, 'x-rgw-bytes-used': bytes });
}

function requireList(context: BucketContext): void {
  requirePermission(context.request, context, {
    action: 's3:ListBucket',
    kind: 'read',
    isPublic: context.bucket.acl === 'public-read',
    grants: { of: context.bucket.grants, right: 'READ' },
  });
}

type ListWish = { prefix: string; delimiter: string; most: number; name: (key: string) => string; encodes: boolean };

function listWish({ request: { query } }: BucketContext): ListWish {
  const encodes = query.get('encoding-type') === 'url';
  if (query.has('encoding-type') && !encodes)
    throw new S3Error('InvalidArgument', 'Invalid Encoding Method specified in Request');
  if (query.get('allow-unordered') === 'true' && query.has('delimiter'))
    throw new S3Error('InvalidArgument', 'Unordered lists have no delimiter.');
  const name = (key: string) => (encodes ? key.split('/').map(encoded).join('/') : key);
  return {
    prefix: noZero(query.get('prefix') ?? ''),
    delimiter: noZero(query.get('delimiter') ?? ''),
    most: query.number('max-keys', 1000) ?? 1000,
    name,
    encodes,
  };
}

/** PostgreSQL can't hold it, so nothing begins with it either. */
function noZero(value: string): string {
  if (value.includes('\0')) throw new S3Error('InvalidArgument', 'The character zero is not supported.');
  return value;
}

const entryElements = (entries: readonly Entry[], { name }: ListWish, projectId: string | undefined) => ({
  Contents: entries.flatMap((entry) =>
    entry.prefix !== null
      ? []
      : [
          {
            Key: name(entry.key),
            LastModified: iso(entry.modified_at),
            ETag: quoted(entry.etag),
            ...(entry.checksum
              ? { ChecksumAlgorithm: entry.checksum.algorithm, ChecksumType: entry.checksum.type }
              : {}),
            Size: entry.size,
            ...(projectId === undefined ? {} : { Owner: owner(projectId) }),
            StorageClass: 'STANDARD',
          },
        ],
  ),
  CommonPrefixes: entries.flatMap((entry) => (entry.prefix === null ? [] : [{ Prefix: name(entry.prefix) }])),
});

export async function listFirstVersion(context: BucketContext): Promise<Answer> {
  requireList(context);
  const { request, bucket } = context;
  const wish = listWish(context);
  const marker = noZero(request.query.get('marker') ?? '');
  const { prefix, delimiter, most, name } = wish;
  const found = most === 0 ? [] : await listObjects({ bucketId: bucket.id, prefix, delimiter, marker, most });
  const shown = found.slice(0, most);
  const isCut = found.length > shown.length;
  return xml('ListBucketResult', {
    Name: bucket.name,
    // Clients decode everything here but the prefix.
    Prefix: prefix,
    Marker: name(marker),
    ...(isCut ? { NextMarker: name(shown.at(-1)?.name ?? '') } : {}),
    MaxKeys: most,
    ...(request.query.has('delimiter') && delimiter !== '' ? { Delimiter: name(delimiter) } : {}),
    ...(wish.encodes ? { EncodingType: 'url' } : {}),
    IsTruncated: isCut,
    ...entryElements(shown, wish, bucket.project_id),
  });
}

export async function listSecondVersion(context: BucketContext): Promise<Answer> {
  requireList(context);
  const { request, bucket } = context;
  const { query: asked } = request;
  const wish = listWish(context);
  const { prefix, delimiter, most, name } = wish;
  const token = asked.get('continuation-token');
  const after = noZero(asked.get('start-after') ?? '');
  const marker = !token ? after : noZero(Buffer.from(token, 'base64url').toString('utf8'));
  const found = most === 0 ? [] : await listObjects({ bucketId: bucket.id, prefix, delimiter, marker, most });
  const shown = found.slice(0, most);
  const isCut = found.length > shown.length;
  return xml('ListBucketResult', {
    Name: bucket.name,
    Prefix: name(prefix),
    ...(token === undefined ? {} : { ContinuationToken: token }),
    ...(isCut ? { NextContinuationToken: Buffer.from(shown.at(-1)?.name ?? '').toString('base64url') } : {}),
    ...(asked.has('start-after') ? { StartAfter: name(after) } : {}),
    KeyCount: shown.length,
    MaxKeys: most,
    ...(asked.has('delimiter') && delimiter !== '' ? { Delimiter: name(delimiter) } : {}),
    ...(wish.encodes ? { EncodingType: 'url' } : {}),
    IsTruncated: isCut,
    ...entryElements(shown, wish, asked.get('fetch-owner') === 'true' ? bucket.project_id : undefined),
  });
}

export async function listAllVersions(context: BucketContext): Promise<Answer> {
  const { request, bucket } = context;
  requirePermission(request, context, { action: 's3:ListBucketVersions', kind: 'read', isPublic: false });
  const wish = listWish(context);
  const { prefix, delimiter, most, name } = wish;
  const marker = noZero(request.query.get('key-marker') ?? '');
  const versionMarker = request.query.get('version-id-marker') ?? '';
  if (versionMarker !== '' && marker === '')
    throw new S3Error('InvalidArgument', 'A version-id marker cannot be specified without a key marker.');
  const found =
    most === 0 ? [] : await listVersions({ bucketId: bucket.id, prefix, delimiter, marker, versionMarker, most });
  const shown = found.slice(0, most);
  const last = shown.at(-1);
  const isCut = found.length > shown.length;
  const facts = (entry: Exclude<VersionEntry, { prefix: string }>) => ({
    Key: name(entry.key),
    VersionId: entry.version_id,
    IsLatest: entry.latest,
    LastModified: iso(entry.modified_at),
    Owner: owner(bucket.project_id),
  });
  const versions = shown.flatMap((entry) => (entry.prefix === null ? [entry] : []));
  return xml('ListVersionsResult', {
    Name: bucket.name,
    Prefix: name(prefix),
    KeyMarker: name(marker),
    VersionIdMarker: versionMarker,
    ...(isCut && last
      ? { NextKeyMarker: name(last.name), ...(last.prefix === null ? { NextVersionIdMarker: last.version_id } : {}) }
      : {}),
    MaxKeys: most,
    ...(delimiter === '' ? {} : { Delimiter: name(delimiter) }),
    ...(wish.encodes ? { EncodingType: 'url' } : {}),
    IsTruncated: isCut,
    Version: versions
      .filter((entry) => !entry.delete_marker)
      .map((entry) => ({ ...facts(entry), ETag: quoted(entry.etag), Size: entry.size, StorageClass: 'STANDARD' })),
    DeleteMarker: versions.filter((entry) => entry.delete_marker).map(facts),
    CommonPrefixes: shown.flatMap((entry) => (entry.prefix === null ? [] : [{ Prefix: name(entry.prefix) }])),
  });
}

const MOST_DELETED = 1000;

type Doomed = { key: string; version_id: string | undefined; conditions: Conditions };

/** The conditions of one of many deletions. */
function deleteConditions(object: Xml): Conditions {
  const [etag, modified, size] = [text(object.ETag), text(object.LastModifiedTime), text(object.Size)];
  const at = new Date(modified ?? Number.NaN);
  return {
    ...(etag === undefined ? {} : { match: etag.replace(/^"(.*)"$/, '$1') }),
    ...(Number.isNaN(at.getTime()) ? {} : { modified_at: at.toISOString() }),
    ...(size === undefined ? {} : { size: Number(size) || 0 }),
  };
}

export async function removeMany(context: BucketContext): Promise<Answer> {
  const { request, bucket, holder } = context;
  requireSomeone(context);
  const parsed = parseXml(await takeText(request, context), 'Delete');
  const objects = list(parsed?.Object).map((value): Doomed => {
    const object = element(value) ?? {};
    const key = text(object.Key);
    if (key === undefined || key === '') throw new S3Error('MalformedXML');
    return { key, version_id: text(object.VersionId), conditions: deleteConditions(object) };
  });
  if (objects.length === 0 || objects.length > MOST_DELETED) throw new S3Error('MalformedXML');
  const may = ({ key, version_id }: Doomed) =>
    isPermitted(request, holder, bucket, {
      action: version_id === undefined ? 's3:DeleteObject' : 's3:DeleteObjectVersion',
      kind: 'write',
      key,
      isPublic: bucket.public_write,
      grants: { of: bucket.grants, right: 'WRITE' },
    });
  const [allowed, refused] = [objects.filter(may), objects.filter((object) => !may(object))];
  // What may be locked is refused one by one.
  const isSingle = ({ conditions }: Doomed) => bucket.object_lock !== null || Object.keys(conditions).length > 0;
  const plain = allowed.filter((object) => !isSingle(object) && !object.key.includes('\0'));
  const gone = await deleteObjects(bucket.id, plain);
  const errors: { object: Doomed; error: S3Error }[] = refused.map((object) => ({
    object,
    error: new S3Error('AccessDenied'),
  }));
  for (const object of allowed.filter(isSingle)) {
    try {
      const bypass = bypasses(context, object.key);
      const outcome = await deleteObject(bucket.id, object.key, object.version_id, object.conditions, bypass);
      gone.push({ ...outcome, key: object.key, asked: object.version_id ?? null });
    } catch (error) {
      const known = s3ErrorOf(error);
      if (!known) throw error;
      errors.push({ object, error: known });
    }
  }
  const isQuiet = text(parsed?.Quiet)?.trim().toLowerCase() === 'true';
  return xml('DeleteResult', {
    Deleted: isQuiet
      ? []
      : gone.map(({ key, asked, version, marker }) => ({
          Key: key,
          ...(asked === null ? {} : { VersionId: asked }),
          ...(marker ? { DeleteMarker: true, DeleteMarkerVersionId: version } : {}),
        })),
    Error: errors.map(({ object, error }) => ({
      Key: object.key,
      VersionId: object.version_id,
      Code: error.code,
      Message: error.message,
    })),
  });
}

// The settings of a bucket.

/** Reads are `s3:Get…`, changes `s3:Put…`; both are the owner's, unless the policy says otherwise. */
function requireSetting(
  context: BucketContext,
  action: string,
  kind: 'read' | 'write',
  right?: 'READ_ACP' | 'WRITE_ACP',
): void {
  const isPolicy = action.endsWith('BucketPolicy');
  requirePermission(context.request, context, {
    action,
    kind,
    unlockable: isPolicy,
    ...(right ? { grants: { of: context.bucket.grants, right } } : {}),
  });
  if (kind === 'write' && context.holder === undefined) throw new S3Error('AccessDenied');
}

export async function location(context: BucketContext): Promise<Answer> {
  requireSetting(context, 's3:GetBucketLocation', 'read');
  const { region } = settings().s3;
  return {
    status: 200,
    headers: { 'Content-Type': 'application/xml' },
    body: `<?xml version="1.0" encoding="UTF-8"?>\n<LocationConstraint xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${region === 'us-east-1' ? '' : region}</LocationConstraint>`,
  };
}

export async function getAcl(context: BucketContext): Promise<Answer> {
  requireSetting(context, 's3:GetBucketAcl', 'read', 'READ_ACP');
  return aclAnswer(context.bucket.project_id, context.bucket);
}

export async function putAcl(context: BucketContext): Promise<Answer> {
  requireSetting(context, 's3:PutBucketAcl', 'write', 'WRITE_ACP');
  const { acl, public_write, grants } = await aclOf(context);
  if (public_write && acl !== 'public-read')
    throw new S3Error('NotImplemented', 'Everyone who may write may also read: public-read-write.');
  await updateNamed(context, { acl, public_write, grants });
  return empty(200);
}

export async function getVersioning(context: BucketContext): Promise<Answer> {
  requireSetting(context, 's3:GetBucketVersioning', 'read');
  const { versioning } = context.bucket;
  return xml('VersioningConfiguration', {
    Status: versioning === 'off' ? undefined : versioning === 'enabled' ? 'Enabled' : 'Suspended',
  });
}

export async function putVersioning(context: BucketContext): Promise<Answer> {
  requireSetting(context, 's3:PutBucketVersioning', 'write');
  const parsed = parseXml(await takeText(context.request, context), 'VersioningConfiguration');
  const status = text(parsed?.Status);
  if (text(parsed?.MfaDelete) === 'Enabled') throw new S3Error('NotImplemented');
  if (status !== 'Enabled' && status !== 'Suspended') throw new S3Error('MalformedXML');
  if (status === 'Suspended' && context.bucket.object_lock)
    throw new S3Error('InvalidBucketState', 'A bucket with object lock keeps versions.');
  await updateNamed(context, { versioning: status === 'Enabled' ? 'enabled' : 'suspended' });
  return empty(200);
}

export async function getPolicy(context: BucketContext): Promise<Answer> {
  requireSetting(context, 's3:GetBucketPolicy', 'read');
  if (context.bucket.policy === null)
    throw new S3Error('NoSuchBucketPolicy', undefined, { elements: { BucketName: context.bucket.name } });
  return { status: 200, headers: { 'Content-Type': 'application/json' }, body: context.bucket.policy };
}

/** Whether the policy lets everyone in. */
export async function getPolicyStatus(context: BucketContext): Promise<Answer> {
  requireSetting(context, 's3:GetBucketPolicyStatus', 'read');
  const { policy, name, acl } = context.bucket;
  const isOpen =
    acl === 'public-read' ||
    (policy !== null &&
      parsePolicy(policy, name).some(
        ({ effect, principals, conditions }) => effect === 'Allow' && principals === '*' && conditions.length === 0,
      ));
  return xml('PolicyStatus', { IsPublic: isOpen });
}

export async function putPolicy(context: BucketContext): Promise<Answer> {
  requireSetting(context, 's3:PutBucketPolicy', 'write');
  const policy = await takeText(context.request, context);
  parsePolicy(policy, context.bucket.name);
  await updateNamed(context, { policy });
  return empty(204);
}

export async function deletePolicy(context: BucketContext): Promise<Answer> {
  requireSetting(context, 's3:DeleteBucketPolicy', 'write');
  await updateNamed(context, { policy: null });
  return empty(204);
}

export async function getCors(context: BucketContext): Promise<Answer> {
  requireSetting(context, 's3:GetBucketCORS', 'read');
  const rules = context.bucket.cors as ReturnType<typeof parseCors> | null;
  if (!rules) throw new S3Error('NoSuchCORSConfiguration');
  return xml('CORSConfiguration', corsElements(rules));
}

export async function putCors(context: BucketContext): Promise<Answer> {
  requireSetting(context, 's3:PutBucketCORS', 'write');
  await updateNamed(context, { cors: parseCors(await takeText(context.request, context)) });
  return empty(200);
}

export async function deleteCors(context: BucketContext): Promise<Answer> {
  requireSetting(context, 's3:PutBucketCORS', 'write');
  await updateNamed(context, { cors: null });
  return empty(204);
}

export async function getLifecycle(context: BucketContext): Promise<Answer> {
  requireSetting(context, 's3:GetLifecycleConfiguration', 'read');
  const rules = context.bucket.lifecycle as LifecycleRule[] | null;
  if (!rules) throw new S3Error('NoSuchLifecycleConfiguration');
  return xml('LifecycleConfiguration', lifecycleElements(rules));
}

export async function putLifecycle(context: BucketContext): Promise<Answer> {
  requireSetting(context, 's3:PutLifecycleConfiguration', 'write');
  await updateNamed(context, { lifecycle: parseLifecycle(await takeText(context.request, context)) });
  return empty(200);
}

export async function deleteLifecycle(context: BucketContext): Promise<Answer> {
  requireSetting(context, 's3:PutLifecycleConfiguration', 'write');
  await updateNamed(context, { lifecycle: null });
  return empty(204);
}

export async function getTagging(context: BucketContext): Promise<Answer> {
  requireSetting(context, 's3:GetBucketTagging', 'read');
  const { tags } = context.bucket;
  if (!tags) throw new S3Error('NoSuchTagSet');
  return xml('Tagging', { TagSet: tagElements(tags) });
}

export async function putTagging(context: BucketContext): Promise<Answer> {
  requireSetting(context, 's3:PutBucketTagging', 'write');
  await updateNamed(context, { tags: parseTags(await takeText(context.request, context), 50) });
  return empty(204);
}

export async function deleteTagging(context: BucketContext): Promise<Answer> {
  requireSetting(context, 's3:PutBucketTagging', 'write');
  await updateNamed(context, { tags: null });
  return empty(204);
}
