import type { ProjectCall } from '@/lib/core/api/endpoint';
import { conflict, invalid, notFound } from '@/lib/core/api/errors';
import { Page } from '@/lib/core/api/pagination';
import { execute, query, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { type ListWish, partSizeFor, presigned, readCursor, requireUploads, writeCursor } from '../object-wishes';
import { encoded } from '../s3/request';
import { document, element, list, parseXml, text, type Xml } from '../s3/xml';
import type { BeginUpload, CopyObject, ObjectEntry, ObjectUpload, Presign } from '../schema';
import { accountOf } from './accounts';
import { requireOutside } from './buckets';
import { allowPortal } from './settings';
import { ask, type Pair, type Reply, refusalOf, StoreRefusal, unlessMissing } from './store';

/** Objects in the store of `S3_EXTERNAL_URL`, through its S3 endpoint, in the name of the project's account. */

type Target = { id: string; name: string; pair: Pair };

async function bucketOf(call: ProjectCall, name: string): Promise<Target> {
  const row = await queryOne<{ id: string; external_id: string | null }>(
    sql`SELECT id, external_id FROM buckets WHERE project_id = ${call.project_id}::uuid AND name = ${name}::text`,
  );
  if (!row) throw notFound('The bucket');
  call.record.resource = { type: 'bucket', id: row.id, name };
  requireOutside(name, row.external_id);
  return { id: row.id, name, pair: await accountOf(call.project_id) };
}

const messages = {
  NoSuchBucket: notFound('The bucket'),
  NoSuchKey: notFound('The object'),
  NoSuchVersion: notFound('The object'),
  NoSuchUpload: notFound('The upload'),
  QuotaExceeded: conflict('The quota of the bucket is exceeded.'),
  AccessDenied: conflict('The bucket’s policy or a lock of the object forbids it.'),
  InvalidPart: conflict('A part was replaced meanwhile. Try again.'),
};

type Sending = Omit<Parameters<typeof ask>[1], 'path'>;

const toBucket = ({ name, pair }: Target, wish: Sending): Promise<Reply> =>
  ask(pair, { ...wish, path: `/${name}` }).catch((error) => {
    throw refusalOf(error, messages);
  });
const toObject = ({ name, pair }: Target, key: string, wish: Sending): Promise<Reply> =>
  ask(pair, { ...wish, path: `/${name}/${key}` }).catch((error) => {
    throw refusalOf(error, messages);
  });

function elementsOf({ body }: Reply, root: string): Xml {
  const found = parseXml(body, root);
  if (!found) throw new Error(`the outside object storage gave no ${root}`);
  return found;
}

/** Lists ask for keys with percent signs, since XML can't hold every character. */
const decoded = (value: Xml[string] | undefined) => decodeURIComponent((text(value) ?? '').replace(/\+/g, '%20'));

/** Objects in the order of their keys, with common prefixes where a delimiter folds them. @throws ApiError 404, 503 */
export async function listEntries(call: ProjectCall, name: string, wish: ListWish): Promise<Page<ObjectEntry>> {
  const target = await bucketOf(call, name);
  const { prefix = '', delimiter = '', limit } = wish;
  if (`${prefix}${delimiter}`.includes('\0')) throw invalid('prefix: must not contain the character zero.');
  const [marker = '', versionMarker = ''] = readCursor(wish.cursor);
  const isAll = wish.versions === 'true';
  const range = {
    prefix,
    'max-keys': String(limit),
    'encoding-type': 'url',
    ...(delimiter === '' ? {} : { delimiter }),
  };
  const from: Record<string, string> = isAll
    ? { versions: '', ...(marker === '' ? {} : { 'key-marker': marker, 'version-id-marker': versionMarker }) }
    : { 'list-type': '2', ...(marker === '' ? {} : { 'continuation-token': marker }) };
  const reply = await toBucket(target, { method: 'GET', query: { ...range, ...from } });
  const found = elementsOf(reply, isAll ? 'ListVersionsResult' : 'ListBucketResult');
  const objects = isAll
    ? [
        ...list(found.Version).map((entry) => versionOf(element(entry) ?? {}, false)),
        ...list(found.DeleteMarker).map((entry) => versionOf(element(entry) ?? {}, true)),
      ]
    : list(found.Contents).map((entry) => objectOf(element(entry) ?? {}));
  const prefixes = list(found.CommonPrefixes).map((entry) => ({ prefix: decoded(element(entry)?.Prefix) }));
  const isCut = text(found.IsTruncated) === 'true';
  const next = isAll
    ? writeCursor(decoded(found.NextKeyMarker), text(found.NextVersionIdMarker) ?? '')
    : writeCursor(text(found.NextContinuationToken) ?? '', '');
  return new Page(inOrder([...objects, ...prefixes]), isCut ? next : null);
}

const nameOf = (entry: ObjectEntry) => ('prefix' in entry ? entry.prefix : entry.key);

/** In the order of bytes; versions of a key stay from new to old. */
function inOrder(entries: readonly ObjectEntry[]): ObjectEntry[] {
  const newest = (entry: ObjectEntry) => ('prefix' in entry ? '' : entry.last_modified);
  return [...entries].sort((one, other) => {
    const order = Buffer.compare(Buffer.from(nameOf(one)), Buffer.from(nameOf(other)));
    if (order !== 0 || 'prefix' in one || 'prefix' in other) return order;
    if (one.latest !== other.latest) return one.latest ? -1 : 1;
    return newest(one) < newest(other) ? 1 : -1;
  });
}

const objectOf = (entry: Xml) => ({
  key: decoded(entry.Key),
  size_bytes: Number(text(entry.Size) ?? 0),
  etag: (text(entry.ETag) ?? '').replace(/^"(.*)"$/, '$1'),
  // Lists of S3 do not say it.
  content_type: null,
  last_modified: new Date(text(entry.LastModified) ?? 0).toISOString(),
  storage_class: 'STANDARD' as const,
});

const versionOf = (entry: Xml, delete_marker: boolean) => ({
  ...objectOf(entry),
  version_id: text(entry.VersionId) ?? 'null',
  latest: text(entry.IsLatest) === 'true',
  delete_marker,
});

/** As for the platform's own store, signed for the outside endpoint. @throws ApiError 403 for a PUT by a reader, 404, 503 */
export async function presignObject(call: ProjectCall, name: string, input: Presign) {
  const target = await bucketOf(call, name);
  requireUploads(call, input);
  if (input.upload_id !== undefined) await keyOfUpload(target, input.upload_id, input.key);
  return presigned(call, name, input);
}

/** Deletes an object as S3 does. @throws ApiError 404, 409 for a locked one, 503 */
export async function deleteOne(
  call: ProjectCall,
  name: string,
  key: string,
  version: string | undefined,
): Promise<void> {
  const target = await bucketOf(call, name);
  if (key.includes('\0') || !(await isThere(target, key, version))) throw notFound('The object');
  call.record.details = { key, ...(version === undefined ? {} : { version_id: version }) };
  await toObject(target, key, {
    method: 'DELETE',
    ...(version === undefined ? {} : { query: { versionId: version } }),
  });
}

async function isThere({ name, pair }: Target, key: string, version?: string): Promise<boolean> {
  const path = `/${name}/${key}`;
  try {
    await ask(pair, { method: 'HEAD', path, ...(version === undefined ? {} : { query: { versionId: version } }) });
    return true;
  } catch (error) {
    // A delete marker that is named answers 405: it is there.
    if (error instanceof StoreRefusal && error.status === 405) return version !== undefined;
    if (error instanceof StoreRefusal && [400, 404].includes(error.status)) return false;
    throw refusalOf(error, messages);
  }
}

const AT_ONCE = 16;

/** Deletes up to 1,000 objects; keys without one are no fault. @returns how many there were */
export async function deleteMany(
  call: ProjectCall,
  name: string,
  keys: readonly string[],
): Promise<{ deleted: number }> {
  const target = await bucketOf(call, name);
  const present: string[] = [];
  for (let from = 0; from < keys.length; from += AT_ONCE) {
    const some = keys.slice(from, from + AT_ONCE);
    const found = await Promise.all(some.map((key) => isThere(target, key)));
    present.push(...some.filter((_, index) => found[index]));
  }
  // One by one, since XML can't name every key.
  for (let from = 0; from < present.length; from += AT_ONCE)
    await Promise.all(present.slice(from, from + AT_ONCE).map((key) => toObject(target, key, { method: 'DELETE' })));
  call.record.details = { keys: keys.slice(0, 20), deleted: present.length };
  return { deleted: present.length };
}

/** Copies an object within the project; renaming is a copy and a delete. @throws ApiError 404, 409 for a full bucket, 503 */
export async function copyOne(call: ProjectCall, name: string, input: CopyObject): Promise<{ key: string }> {
  const target = await bucketOf(call, name);
  const from = input.source_bucket === undefined ? target : await bucketOf(call, input.source_bucket);
  call.record.resource = { type: 'bucket', id: target.id, name };
  call.record.details = { source: `${from.name}/${input.source_key}`, key: input.key };
  const version = input.version_id === undefined ? '' : `?versionId=${encoded(input.version_id)}`;
  const source = `/${[from.name, ...input.source_key.split('/')].map(encoded).join('/')}${version}`;
  await toObject(target, input.key, { method: 'PUT', headers: { 'x-amz-copy-source': source } });
  return { key: input.key };
}

/** Begins a multipart upload. @throws ApiError 404, 503 */
export async function begin(call: ProjectCall, name: string, input: BeginUpload) {
  const target = await bucketOf(call, name);
  await allowPortal(target.pair, name);
  const { key, size_bytes, content_type } = input;
  const part_size = partSizeFor(size_bytes);
  call.record.details = { key, size_bytes };
  const headers = content_type === undefined ? {} : { headers: { 'content-type': content_type } };
  const reply = await toObject(target, key, { method: 'POST', query: { uploads: '' }, ...headers });
  const upload_id = text(elementsOf(reply, 'InitiateMultipartUploadResult').UploadId) ?? '';
  await execute(sql`INSERT INTO external_uploads (bucket_id, upload_id, key, size_bytes, part_size, created_at)
    VALUES (${target.id}::uuid, ${upload_id}::text, ${key}::text, ${size_bytes}::bigint, ${part_size}::bigint, ${call.at}::timestamptz)`);
  return { upload_id, key, part_size };
}

type Known = {
  key: string;
  size: number | null;
  part_size: number | null;
  created_at: Date;
  completed_at: Date | null;
};

const knownColumns = sql`upload_id, key, size_bytes::float8 AS size, part_size::float8 AS part_size, created_at, completed_at`;

/** What is known of an upload, by the platform or by the store. @throws ApiError 404 */
async function uploadOf(target: Target, id: string): Promise<Known> {
  const row = await queryOne<Known>(sql`SELECT ${knownColumns} FROM external_uploads
    WHERE bucket_id = ${target.id}::uuid AND upload_id = ${id}::text`);
  if (row) return row;
  const other = (await openUploads(target)).find(({ upload_id }) => upload_id === id);
  if (!other) throw notFound('The upload');
  const { key, created_at } = other;
  return { key, created_at, size: null, part_size: null, completed_at: null };
}

async function keyOfUpload(target: Target, id: string, key: string): Promise<void> {
  const upload = await uploadOf(target, id);
  if (upload.key !== key || upload.completed_at) throw notFound('The upload');
}

const MOST_OPEN = 200;

async function openUploads(target: Target): Promise<{ upload_id: string; key: string; created_at: Date }[]> {
  const wish = { uploads: '', 'max-uploads': '1000', 'encoding-type': 'url' };
  const found = elementsOf(await toBucket(target, { method: 'GET', query: wish }), 'ListMultipartUploadsResult');
  const isWritten = text(found.EncodingType) === 'url';
  return list(found.Upload).map((entry) => {
    const { UploadId, Key, Initiated } = element(entry) ?? {};
    const key = isWritten ? decoded(Key) : (text(Key) ?? '');
    return { upload_id: text(UploadId) ?? '', key, created_at: new Date(text(Initiated) ?? 0) };
  });
}

const MOST_PARTS = 10_000;
type Part = { part_number: number; size_bytes: number; etag: string };

async function partsOf(target: Target, key: string, id: string): Promise<Part[]> {
  const parts: Part[] = [];
  let marker = '0';
  while (parts.length < MOST_PARTS) {
    const wish = { uploadId: id, 'part-number-marker': marker };
    const found = elementsOf(await toObject(target, key, { method: 'GET', query: wish }), 'ListPartsResult');
    for (const part of list(found.Part)) {
      const { PartNumber, Size, ETag } = element(part) ?? {};
      const etag = (text(ETag) ?? '').replace(/^"(.*)"$/, '$1');
      parts.push({ part_number: Number(text(PartNumber)), size_bytes: Number(text(Size)), etag });
    }
    if (text(found.IsTruncated) !== 'true') break;
    marker = text(found.NextPartNumberMarker) ?? String(parts.at(-1)?.part_number ?? MOST_PARTS);
  }
  return parts;
}

/** An unfinished upload with the parts that have arrived. @throws ApiError 404, 503 */
export async function readUploadOf(call: ProjectCall, name: string, id: string): Promise<ObjectUpload> {
  const target = await bucketOf(call, name);
  const upload = await uploadOf(target, id);
  if (upload.completed_at) throw notFound('The upload');
  return view(id, upload, await partsOf(target, upload.key, id));
}

const view = (upload_id: string, { key, size, part_size, created_at }: Known, parts: Part[]): ObjectUpload => ({
  upload_id,
  key,
  size_bytes: size,
  part_size,
  parts,
  created_at: created_at.toISOString(),
});

/** Makes an object of all parts that have arrived. @throws ApiError 404, 409 when some are missing or the bucket is full, 503 */
export async function finish(call: ProjectCall, name: string, id: string): Promise<{ key: string }> {
  const target = await bucketOf(call, name);
  const upload = await uploadOf(target, id);
  if (upload.completed_at) return { key: upload.key };
  call.record.details = { key: upload.key };
  const parts = await partsOf(target, upload.key, id);
  const arrived = parts.reduce((sum, part) => sum + part.size_bytes, 0);
  if (parts.length === 0 || (upload.size !== null && arrived !== upload.size))
    throw conflict(`The upload has ${arrived} of ${upload.size ?? 'its'} bytes. Send the missing parts.`);
  const Part = parts.map(({ part_number, etag }) => ({ PartNumber: part_number, ETag: `"${etag}"` }));
  const body = document('CompleteMultipartUpload', { Part });
  const reply = await toObject(target, upload.key, { method: 'POST', query: { uploadId: id }, body });
  // The store may answer 200 before it has failed.
  if (!parseXml(reply.body, 'CompleteMultipartUploadResult'))
    throw conflict('The upload could not be completed. Try again.');
  await execute(sql`UPDATE external_uploads SET completed_at = platform_now()
    WHERE bucket_id = ${target.id}::uuid AND upload_id = ${id}::text`);
  return { key: upload.key };
}

/** Ends an upload and deletes its parts. @throws ApiError 404, 503 */
export async function cancel(call: ProjectCall, name: string, id: string): Promise<void> {
  const target = await bucketOf(call, name);
  const upload = await uploadOf(target, id);
  if (upload.completed_at) throw notFound('The upload');
  call.record.details = { key: upload.key };
  const path = `/${name}/${upload.key}`;
  await unlessMissing(ask(target.pair, { method: 'DELETE', path, query: { uploadId: id } })).catch((error) => {
    throw refusalOf(error, messages);
  });
  await execute(sql`DELETE FROM external_uploads WHERE bucket_id = ${target.id}::uuid AND upload_id = ${id}::text`);
}

/** The unfinished uploads of a bucket, the newest first; at most 200. @throws ApiError 404, 503 */
export async function listOpenUploads(call: ProjectCall, name: string): Promise<ObjectUpload[]> {
  const target = await bucketOf(call, name);
  const open = await openUploads(target);
  const rows = await query<Known & { upload_id: string }>(sql`SELECT ${knownColumns} FROM external_uploads
    WHERE bucket_id = ${target.id}::uuid AND completed_at IS NULL`);
  const known = new Map(rows.map((row) => [row.upload_id, row]));
  return open
    .sort((one, other) => other.created_at.getTime() - one.created_at.getTime())
    .slice(0, MOST_OPEN)
    .map((upload) => {
      const mine = known.get(upload.upload_id);
      const { size = null, part_size = null } = mine ?? {};
      return view(upload.upload_id, { ...upload, size, part_size, completed_at: null }, []);
    });
}
