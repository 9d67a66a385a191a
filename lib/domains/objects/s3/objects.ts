import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import {
  copyBlob,
  deleteBlob,
  INLINE_BYTES,
  type Received,
  readBlobs,
  receive,
  requireDisk,
  type StoredBlob,
} from '../store/blobs';
import { type Checksum, type ChecksumAlgorithm, checksumAlgorithms, checksumHeader } from '../store/checksums';
import {
  type Conditions,
  type Content,
  changeVersion,
  deleteObject,
  type Lock,
  type NewVersion,
  type Put,
  putObject,
  putSmallObject,
  readBlobRows,
  readVersion,
  type Version,
} from '../store/rows';
import { type Grant, identifyBucket, isPermitted, isRight, type Permission, requirePermission } from './access';
import { type Answer, type BucketContext, empty, iso, type ObjectContext, quoted, xml } from './answer';
import { discard, type Taken, takeBody, takeText } from './body';
import { S3Error } from './errors';
import { bypasses, lockHeaders, lockOf } from './lock';
import { addressed, header, type S3Request } from './request';
import { parseTagHeader, parseTags, tagElements } from './tags';
import { element, escapeXml, list, parseXml, text, type Xml } from './xml';

type Found = Version & { content: Buffer | null };

/** Headers that are stored with an object and answered with it. */
const KEPT = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'expires',
  'x-amz-website-redirect-location',
];
const MOST_METADATA_BYTES = 2048;
// biome-ignore lint/suspicious/noControlCharactersInRegex: no header may have them
const CONTROLS = /[\u0000-\u0008\u000a-\u001f\u007f]/g;

/** Headers that would change what is stored in a way that is not supported. */
const UNSUPPORTED = [
  /^x-amz-server-side-encryption/,
  /^x-amz-copy-source-server-side-encryption/,
  /^x-amz-grant-/,
  /^x-amz-write-offset-bytes$/,
];

/** No header that means something may be ignored. @throws S3Error NotImplemented */
export function requireSupported({ headers }: S3Request): void {
  const other = Object.keys(headers).find((name) => UNSUPPORTED.some((pattern) => pattern.test(name)));
  if (other !== undefined) throw new S3Error('NotImplemented', `${other} is not supported.`);
}

/** What the headers of an upload say of the object. @throws S3Error */
export function facts(request: S3Request): Pick<NewVersion, 'content_type' | 'headers' | 'tags' | 'acl'> {
  const names = Object.keys(request.headers);
  const storage = header(request, 'x-amz-storage-class');
  if (storage !== undefined && storage !== 'STANDARD')
    throw new S3Error('NotImplemented', 'STANDARD is the only storage class.');
  const kept: Record<string, string> = {};
  let size = 0;
  for (const name of names) {
    const value = header(request, name) ?? '';
    if (name.startsWith('x-amz-meta-')) {
      kept[name] = value;
      size += name.length - 'x-amz-meta-'.length + value.length;
    } else if (KEPT.includes(name)) kept[name] = value;
  }
  if (size > MOST_METADATA_BYTES) throw new S3Error('MetadataTooLarge');
  // Fields of a form may have what no header has.
  if ([...Object.values(kept), header(request, 'content-type') ?? ''].some((value) => value.search(CONTROLS) >= 0))
    throw new S3Error('InvalidArgument', 'Metadata must not contain control characters.');
  // The framing of the body is no encoding of the object.
  const encoding = kept['content-encoding']
    ?.split(',')
    .map((part) => part.trim())
    .filter((part) => part !== 'aws-chunked' && part !== '')
    .join(', ');
  delete kept['content-encoding'];
  if (encoding) kept['content-encoding'] = encoding;
  return {
    content_type: header(request, 'content-type') ?? null,
    headers: kept,
    tags: parseTagHeader(header(request, 'x-amz-tagging')),
    acl: cannedAcl(request),
  };
}

/** @throws S3Error for anything but the two canned ACLs that exist */
export function cannedAcl(request: S3Request): Version['acl'] {
  const acl = header(request, 'x-amz-acl');
  if (acl === undefined) return null;
  // The owner of a bucket owns its objects.
  if (acl === 'bucket-owner-full-control' || acl === 'bucket-owner-read') return null;
  if (acl === 'private' || acl === 'public-read') return acl;
  if (['public-read-write', 'authenticated-read', 'aws-exec-read', 'log-delivery-write'].includes(acl))
    throw new S3Error('NotImplemented', `The canned ACL ${acl} is not supported.`);
  throw new S3Error('InvalidArgument', 'The canned ACL is not known.');
}

/** …of a bucket, which everyone may also write to. */
export function cannedBucketAcl(request: S3Request): 'private' | 'public-read' | 'public-read-write' | null {
  return header(request, 'x-amz-acl') === 'public-read-write' ? 'public-read-write' : cannedAcl(request);
}

const unquoted = (etag: string) =>
  etag
    .trim()
    .replace(/^W\//, '')
    .replace(/^"(.*)"$/, '$1');

/** The conditions of a write. @throws S3Error NotImplemented for those that S3 has only for reads */
export function writeConditions(request: S3Request): Conditions {
  const [match, none] = [header(request, 'if-match'), header(request, 'if-none-match')];
  return {
    ...(match === undefined ? {} : { match: unquoted(match) }),
    ...(none === undefined ? {} : { none_match: unquoted(none) }),
  };
}

/** Whether everyone may read the object, by its ACL or that of its bucket. */
export const isPublic = ({ bucket }: Pick<BucketContext, 'bucket'>, found: Pick<Version, 'acl'> | undefined) =>
  (found?.acl ?? bucket.acl) === 'public-read';

/** The rights that an object's ACL gives to single projects. */
const grantsOf = (found: Pick<Version, 'grants'> | undefined) => found?.grants as readonly Grant[] | null | undefined;

/** Whom nothing could let in does not get a body parsed. @throws S3Error AccessDenied */
export function requireSomeone({ holder, bucket }: BucketContext): void {
  if (!holder && !bucket.policy && !bucket.public_write) throw new S3Error('AccessDenied');
}

const tagContext = (tags: Record<string, string> | null | undefined, prefix: string) =>
  Object.fromEntries(Object.entries(tags ?? {}).map(([name, value]) => [`${prefix}/${name}`, value]));

function versionWanted({ query }: S3Request): string | undefined {
  const id = query.get('versionId');
  if (id === undefined) return undefined;
  if (id === '') throw new S3Error('InvalidArgument', 'Version id cannot be the empty string.');
  if (id !== 'null' && !/^[0-9a-f]{32}$/.test(id))
    throw new S3Error('InvalidArgument', 'Invalid version id specified.');
  return id;
}

/** The version that a write has made; a bucket that keeps none has no ids. */
export const madeHeader = (version: string): Record<string, string> =>
  version === 'null' ? {} : { 'x-amz-version-id': version };

const versionHeader = (context: BucketContext, version: string): Record<string, string> =>
  context.bucket.versioning === 'off' ? {} : { 'x-amz-version-id': version };

/** Stores what was received; deletes its file if the object is refused. */
export async function store(version: NewVersion, received: Received, conditions: Conditions): Promise<Put> {
  const content: Content = received.blob ? { blobs: [received.blob] } : { content: received.content };
  try {
    return await putObject(version, content, received.blob ? [received.blob] : [], conditions);
  } catch (error) {
    // The outcome of a lost connection is not known: the sweep finds a file without a row.
    if (error instanceof Error && error.name !== 'DatabaseAway') await discard(received);
    throw error;
  }
}

/** A write relied on an access that has changed, or that it may not rely on: nothing was stored. */
export class AccessChanged extends Error {
  override name = 'AccessChanged';
}

/** Whether a request can only be a `put` without conditions, of an object that is stored in a row. */
export const isSmallPut = ({ method, key, headers, query, isSmall }: S3Request) =>
  isSmall &&
  Number(headers['x-amz-decoded-content-length'] ?? headers['content-length']) <= INLINE_BYTES &&
  method === 'PUT' &&
  key !== undefined &&
  !('x-amz-copy-source' in headers || 'if-match' in headers || 'if-none-match' in headers) &&
  query.entries.every(([name]) => name === 'x-id' || name.startsWith('X-Amz-'));

export async function put(context: ObjectContext): Promise<Answer> {
  const { request, bucket, key, seen } = context;
  const said = facts(request);
  requirePermission(request, context, {
    action: 's3:PutObject',
    kind: 'write',
    key,
    isPublic: bucket.public_write,
    grants: { of: bucket.grants, right: 'WRITE' },
    context: tagContext(said.tags, 's3:requestobjecttag'),
  });
  const lock = lockOf(context);
  requireQuota(context, header(request, 'x-amz-decoded-content-length') ?? header(request, 'content-length'));
  const taken = await takeBody(request, context);
  const checksum = checksumOf(taken);
  const version: NewVersion = {
    ...said,
    bucket_id: bucket.id,
    key,
    size: taken.size,
    etag: taken.md5,
    checksum,
    ...lock,
  };
  const conditions = writeConditions(request);
  const isPlain = taken.content && bucket.quota_bytes === null && Object.keys(conditions).length === 0;
  if (seen && !isPlain) {
    await discard(taken);
    throw new AccessChanged();
  }
  const stored = await (isPlain ? putSmallObject(version, taken.content, seen) : store(version, taken, conditions));
  if (!stored) throw new AccessChanged();
  return empty(200, {
    ETag: quoted(taken.md5),
    ...(checksum ? { [checksumHeader(checksum.algorithm)]: checksum.value, 'x-amz-checksum-type': checksum.type } : {}),
    ...madeHeader(stored.version),
  });
}

/** The checksum that the client has named. */
function checksumOf({ algorithm, checksum }: Taken): Checksum | null {
  return algorithm && checksum !== undefined ? { algorithm, value: checksum, type: 'FULL_OBJECT' } : null;
}

/** Refuses what can't fit before its bytes are stored; the exact check is made when it is. @throws S3Error QuotaExceeded */
export function requireQuota({ bucket }: BucketContext, length: string | undefined): void {
  if (bucket.quota_bytes !== null && Number(length) > bucket.quota_bytes - bucket.used_bytes)
    throw new S3Error('QuotaExceeded');
}

/** The object that a request reads. @throws S3Error; whoever may not list learns only that access is denied */
async function found(context: ObjectContext, wish: Pick<Permission, 'action'>): Promise<Found> {
  const { request, bucket, key, holder } = context;
  const id = versionWanted(request);
  const action = id === undefined ? wish.action : `${wish.action}Version`;
  const version = await readVersion(bucket.id, key, id);
  if (version && !version.delete_marker) {
    requirePermissionToRead(context, version, action);
    return version;
  }
  const mayList = isPermitted(request, holder, bucket, {
    action: 's3:ListBucket',
    kind: 'read',
    isPublic: bucket.acl === 'public-read',
    grants: { of: bucket.grants, right: 'READ' },
    context: { 's3:prefix': key },
  });
  if (!mayList) throw new S3Error('AccessDenied');
  const marker = version ? { 'x-amz-delete-marker': 'true', 'x-amz-version-id': version.version_id } : undefined;
  if (version && id !== undefined) throw new S3Error('MethodNotAllowed', undefined, { headers: marker ?? {} });
  if (id !== undefined) throw new S3Error('NoSuchVersion', undefined, { elements: { Key: key, VersionId: id } });
  throw new S3Error('NoSuchKey', undefined, {
    elements: { Key: key },
    headers: marker ?? { 'x-amz-delete-marker': 'false' },
  });
}

function requirePermissionToRead(context: ObjectContext, version: Found | undefined, action: string): void {
  requirePermission(context.request, context, {
    action,
    kind: 'read',
    key: context.key,
    isPublic: isPublic(context, version),
    grants: { of: grantsOf(version), right: 'READ' },
    context: tagContext(version?.tags, 's3:existingobjecttag'),
  });
}

/** RFC 9110, section 13. @throws S3Error NotModified, PreconditionFailed */
function checkReadConditions(request: S3Request, { etag, modified_at }: Version): void {
  const names = (value: string) => value.split(',').map(unquoted);
  const seconds = Math.floor(modified_at.getTime() / 1000);
  const moment = (name: string) => {
    const at = Date.parse(header(request, name) ?? '');
    return Number.isNaN(at) ? undefined : Math.floor(at / 1000);
  };
  const [match, none] = [header(request, 'if-match'), header(request, 'if-none-match')];
  const [since, unless] = [moment('if-modified-since'), moment('if-unmodified-since')];
  if (
    match !== undefined
      ? !['*', etag].some((name) => names(match).includes(name))
      : unless !== undefined && seconds > unless
  )
    throw new S3Error('PreconditionFailed');
  if (
    none !== undefined
      ? ['*', etag].some((name) => names(none).includes(name))
      : since !== undefined && seconds <= since
  )
    throw new S3Error('NotModified', undefined, {
      headers: { ETag: quoted(etag), 'Last-Modified': modified_at.toUTCString() },
    });
}

type Span = { start: number; end: number; parts?: number };

/** The bytes that a request wants; undefined: all. @throws S3Error InvalidRange */
function spanOf(request: S3Request, version: Version): Span | undefined {
  const number = request.query.get('partNumber');
  if (number !== undefined) return partSpan(version, number);
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header(request, 'range') ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  const { size } = version;
  const start = first === '' ? Math.max(size - Number(last), 0) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  if (start >= size || (first === '' && Number(last) === 0))
    throw new S3Error('InvalidRange', undefined, {
      elements: { ActualObjectSize: String(size), RangeRequested: header(request, 'range') ?? '' },
      headers: { 'Content-Range': `bytes */${size}` },
    });
  return { start, end };
}

function partSpan({ parts, size }: Version, text: string): Span | undefined {
  const wanted = Number(text);
  if (!/^\d{1,5}$/.test(text) || wanted < 1 || wanted > 10_000)
    throw new S3Error('InvalidArgument', 'Part number must be an integer between 1 and 10000, inclusive.');
  if (!parts) {
    if (wanted > 1) throw new S3Error('InvalidPart', 'The requested partnumber is not satisfiable.');
    return size === 0 ? undefined : { start: 0, end: size - 1 };
  }
  let start = 0;
  for (const part of parts) {
    if (part.number === wanted) return { start, end: start + part.size - 1, parts: parts.length };
    start += part.size;
  }
  throw new S3Error('InvalidPart', 'The requested partnumber is not satisfiable.');
}

/** Query parameters by which a signed address says how a browser should take the object. */
const OVERRIDES: Record<string, string> = {
  'response-content-type': 'Content-Type',
  'response-content-language': 'Content-Language',
  'response-expires': 'Expires',
  'response-cache-control': 'Cache-Control',
  'response-content-disposition': 'Content-Disposition',
  'response-content-encoding': 'Content-Encoding',
};

export async function get(context: ObjectContext): Promise<Answer> {
  const { request } = context;
  const version = await found(context, { action: 's3:GetObject' });
  checkReadConditions(request, version);
  const span = spanOf(request, version);
  const { start, end } = span ?? { start: 0, end: version.size - 1 };
  const size = end - start + 1;
  const headers = objectHeaders(context, version, span);
  if (request.method === 'HEAD') return { status: span ? 206 : 200, headers };
  return {
    status: span ? 206 : 200,
    headers,
    body:
      version.content !== null
        ? version.content.subarray(start, end + 1)
        : { stream: readBlobs(version.blobs ?? [], start, end), size },
  };
}

function objectHeaders(context: ObjectContext, version: Version, span: Span | undefined): Record<string, string> {
  const { request, holder } = context;
  const overrides = Object.entries(OVERRIDES).flatMap(([name, target]) => {
    const value = request.query.get(name);
    return value === undefined ? [] : [[target, asHeader(value)] as const];
  });
  if (overrides.length > 0 && !holder)
    throw new S3Error('InvalidRequest', 'Request specific response headers cannot be used for anonymous GET requests.');
  const count = Object.keys(version.tags ?? {}).length;
  const parts = span?.parts ?? (request.query.has('partNumber') ? version.parts?.length : undefined);
  return {
    ...named(version.headers),
    'Content-Type': version.content_type ?? 'binary/octet-stream',
    'Content-Length': String(span ? span.end - span.start + 1 : version.size),
    ETag: quoted(version.etag),
    'Last-Modified': version.modified_at.toUTCString(),
    'Accept-Ranges': 'bytes',
    ...(count > 0 ? { 'x-amz-tagging-count': String(count) } : {}),
    ...(span && request.query.get('partNumber') === undefined
      ? { 'Content-Range': `bytes ${span.start}-${span.end}/${version.size}` }
      : {}),
    ...(parts === undefined ? {} : { 'x-amz-mp-parts-count': String(parts) }),
    ...(span && !span.parts ? {} : checksumHeaders(request, version, span)),
    ...versionHeader(context, version.version_id),
    ...lockHeaders(version),
    ...Object.fromEntries(overrides),
    // Nothing that a tenant stores may act in a browser as a page of this host.
    ...(context.claim?.via === 'header'
      ? {}
      : { 'X-Content-Type-Options': 'nosniff', 'Content-Security-Policy': 'sandbox' }),
  };
}

/** Text as the bytes of a header, without what would end it. */
const asHeader = (value: string) => Buffer.from(value.replace(CONTROLS, ' ')).toString('latin1').trim();

/** Headers in the usual case. */
function named(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.startsWith('x-')
        ? name
        : name.replace(/(^|-)([a-z])/g, (_, dash: string, sign: string) => dash + sign.toUpperCase()),
      value,
    ]),
  );
}

/** Only if asked for: clients that see a checksum compare it. */
function checksumHeaders(
  request: S3Request,
  { checksum, parts }: Version,
  span: Span | undefined,
): Record<string, string> {
  if (header(request, 'x-amz-checksum-mode')?.toUpperCase() !== 'ENABLED' || !checksum) return {};
  if (span?.parts !== undefined) {
    const part = parts?.find(({ number }) => number === Number(request.query.get('partNumber')));
    return part?.checksum
      ? { [checksumHeader(checksum.algorithm)]: part.checksum, 'x-amz-checksum-type': checksum.type }
      : {};
  }
  return { [checksumHeader(checksum.algorithm)]: checksum.value, 'x-amz-checksum-type': checksum.type };
}

export async function remove(context: ObjectContext): Promise<Answer> {
  const { request, bucket, key } = context;
  const id = versionWanted(request);
  requirePermission(request, context, {
    action: id === undefined ? 's3:DeleteObject' : 's3:DeleteObjectVersion',
    kind: 'write',
    key,
    isPublic: bucket.public_write,
    grants: { of: bucket.grants, right: 'WRITE' },
  });
  const match = header(request, 'if-match');
  const modified = header(request, 'x-amz-if-match-last-modified-time');
  const size = header(request, 'x-amz-if-match-size');
  const conditions = {
    ...(match === undefined ? {} : { match: unquoted(match) }),
    ...(modified === undefined ? {} : { modified_at: momentOf(modified) }),
    ...(size === undefined ? {} : { size: Number(size) || 0 }),
  };
  const gone = await deleteObject(bucket.id, key, id, conditions, bypasses(context, key));
  return empty(204, {
    ...(bucket.versioning === 'off' && id === undefined ? {} : { 'x-amz-version-id': gone.version }),
    ...(gone.marker ? { 'x-amz-delete-marker': 'true' } : {}),
  });
}

function momentOf(text: string): string {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) throw new S3Error('InvalidArgument', 'The time is not valid.');
  return at.toISOString();
}

/** The object that `x-amz-copy-source` names, which the caller must be allowed to read. @throws S3Error */
export async function copySource(context: ObjectContext): Promise<Found & { span: Span | undefined }> {
  const { request } = context;
  const [path = '', search = ''] = (header(request, 'x-amz-copy-source') ?? '').split('?');
  const named = addressed(path.startsWith('/') ? path : `/${path}`, undefined, '');
  if (named.bucket === undefined || named.key === undefined)
    throw new S3Error('InvalidArgument', 'Copy Source must mention the source bucket and key: sourcebucket/sourcekey');
  const versionId = /^versionId=(.+)$/.exec(search)?.[1];
  const bucket = named.bucket === context.bucket.name ? context.bucket : await identifyBucket(named.bucket);
  if (!bucket) throw new S3Error('NoSuchBucket');
  const owner = header(request, 'x-amz-source-expected-bucket-owner');
  if (owner !== undefined && owner !== bucket.project_id) throw new S3Error('AccessDenied');
  const version = await readVersion(bucket.id, named.key, versionId);
  const source: ObjectContext = { ...context, bucket, key: named.key };
  requirePermissionToRead(source, version, versionId === undefined ? 's3:GetObject' : 's3:GetObjectVersion');
  if (!version || (version.delete_marker && versionId === undefined)) throw new S3Error('NoSuchKey');
  if (version.delete_marker)
    throw new S3Error('InvalidRequest', 'The source of a copy request may not be a delete marker.');
  checkCopyConditions(request, version);
  return { ...version, span: copySpan(request, version) };
}

function checkCopyConditions(request: S3Request, version: Version): void {
  const names = ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'];
  const headers = Object.fromEntries(names.map((name) => [name, header(request, `x-amz-copy-source-${name}`)]));
  try {
    checkReadConditions({ ...request, headers }, version);
  } catch {
    throw new S3Error('PreconditionFailed');
  }
}

function copySpan(request: S3Request, { size }: Version): Span | undefined {
  const range = header(request, 'x-amz-copy-source-range');
  if (range === undefined) return undefined;
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
  if (first === undefined || last === undefined || Number(first) > Number(last))
    throw new S3Error('InvalidArgument', 'The x-amz-copy-source-range value must be of the form bytes=first-last.');
  if (Number(last) >= size) throw new S3Error('InvalidRange', 'The range is not valid for the source object.');
  return { start: Number(first), end: Number(last) };
}

/** The bytes of a version, or of a part of it. */
export function bytesOf(version: Found & { span?: Span | undefined }): AsyncIterable<Uint8Array> {
  const { start, end } = version.span ?? { start: 0, end: version.size - 1 };
  if (version.content === null) return readBlobs(version.blobs ?? [], start, end);
  const piece = version.content.subarray(start, end + 1);
  return (async function* () {
    if (piece.length > 0) yield piece;
  })();
}

export async function copy(context: ObjectContext): Promise<Answer> {
  const { request, bucket, key } = context;
  const said = facts(request);
  requirePermission(request, context, {
    action: 's3:PutObject',
    kind: 'write',
    key,
    isPublic: bucket.public_write,
    grants: { of: bucket.grants, right: 'WRITE' },
  });
  const source = await copySource(context);
  const replaces = directive(request, 'x-amz-metadata-directive') === 'REPLACE';
  const replacesTags = directive(request, 'x-amz-tagging-directive') === 'REPLACE';
  const algorithm = wantedAlgorithm(request);
  if (
    source.bucket_id === bucket.id &&
    source.key === key &&
    source.latest &&
    !replaces &&
    !replacesTags &&
    !algorithm &&
    said.acl === null
  )
    throw new S3Error(
      'InvalidRequest',
      "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
    );
  requireQuota(context, String(source.size));
  const about = {
    content_type: replaces ? said.content_type : source.content_type,
    headers: replaces ? said.headers : source.headers,
    tags: replacesTags ? said.tags : source.tags,
    acl: said.acl,
    ...lockOf(context),
  };
  const stored = await storeCopy(context, source, about, algorithm);
  return xml(
    'CopyObjectResult',
    {
      LastModified: iso(stored.at),
      ETag: quoted(stored.etag),
      ...(stored.checksum
        ? { [`Checksum${stored.checksum.algorithm}`]: stored.checksum.value, ChecksumType: stored.checksum.type }
        : {}),
    },
    200,
    {
      ...madeHeader(stored.version),
      ...(source.version_id === 'null' ? {} : { 'x-amz-copy-source-version-id': source.version_id }),
    },
  );
}

function directive(request: S3Request, name: string): string {
  const value = header(request, name) ?? 'COPY';
  if (value !== 'COPY' && value !== 'REPLACE') throw new S3Error('InvalidArgument', `Unknown ${name}.`);
  return value;
}

export function wantedAlgorithm(request: S3Request): ChecksumAlgorithm | undefined {
  const name = (
    header(request, 'x-amz-checksum-algorithm') ?? header(request, 'x-amz-sdk-checksum-algorithm')
  )?.toUpperCase();
  if (name === undefined) return undefined;
  const algorithm = checksumAlgorithms.find((known) => known === name);
  if (!algorithm) throw new S3Error('InvalidRequest', 'Checksum algorithm provided is unsupported.');
  return algorithm;
}

/** Files never change, so a copy is a second name for them, unless another checksum is wanted. */
async function storeCopy(
  context: ObjectContext,
  source: Found,
  about: Pick<NewVersion, 'content_type' | 'headers' | 'tags' | 'acl'> & Partial<Lock>,
  algorithm: ChecksumAlgorithm | undefined,
): Promise<Put & Pick<NewVersion, 'etag' | 'checksum'>> {
  const { request, bucket, key } = context;
  const conditions = writeConditions(request);
  if (algorithm && algorithm !== source.checksum?.algorithm) {
    await requireDisk(source.size);
    const received = await receive(bytesOf(source), { checksum: algorithm });
    const checksum = { algorithm, value: received.checksum ?? '', type: 'FULL_OBJECT' as const };
    const version = { ...about, bucket_id: bucket.id, key, size: received.size, etag: received.md5, checksum };
    return { ...(await store(version, received, conditions)), etag: received.md5, checksum };
  }
  const { etag, checksum, size, parts } = source;
  const version: NewVersion = {
    ...about,
    bucket_id: bucket.id,
    key,
    size,
    etag,
    checksum,
    ...(parts ? { parts } : {}),
  };
  if (source.content !== null)
    return { ...(await putObject(version, { content: source.content }, [], conditions)), etag, checksum };
  const files: StoredBlob[] = [];
  try {
    for (const file of await readBlobRows(source.blobs ?? [])) files.push(await copyBlob(file));
    return {
      ...(await putObject(version, { blobs: files.map(({ id, size }) => ({ id, size })) }, files, conditions)),
      etag,
      checksum,
    };
  } catch (error) {
    if (error instanceof Error && error.name !== 'DatabaseAway') for (const { id } of files) await deleteBlob(id);
    throw error;
  }
}

export async function attributes(context: ObjectContext): Promise<Answer> {
  const version = await found(context, { action: 's3:GetObject' });
  const wanted = (header(context.request, 'x-amz-object-attributes') ?? '').split(',').map((name) => name.trim());
  const has = (name: string) => wanted.includes(name);
  const { checksum, parts } = version;
  const most = Number(header(context.request, 'x-amz-max-parts') ?? 1000);
  const marker = Number(header(context.request, 'x-amz-part-number-marker') ?? 0);
  const shown = (parts ?? []).filter(({ number }) => number > marker).slice(0, most);
  const isCut = (parts ?? []).some(({ number }) => number > (shown.at(-1)?.number ?? marker));
  return xml(
    'GetObjectAttributesResponse',
    {
      ETag: has('ETag') ? version.etag : undefined,
      Checksum:
        has('Checksum') && checksum
          ? { [`Checksum${checksum.algorithm}`]: checksum.value, ChecksumType: checksum.type }
          : undefined,
      ObjectParts:
        has('ObjectParts') && parts
          ? {
              PartsCount: parts.length,
              PartNumberMarker: marker,
              NextPartNumberMarker: shown.at(-1)?.number ?? 0,
              MaxParts: most,
              IsTruncated: isCut,
              Part: shown.map((part) => ({
                PartNumber: part.number,
                Size: part.size,
                ...(checksum ? { [`Checksum${checksum.algorithm}`]: part.checksum } : {}),
              })),
            }
          : undefined,
      StorageClass: has('StorageClass') ? 'STANDARD' : undefined,
      ObjectSize: has('ObjectSize') ? version.size : undefined,
    },
    200,
    { 'Last-Modified': version.modified_at.toUTCString(), ...versionHeader(context, version.version_id) },
  );
}

export async function getTagging(context: ObjectContext): Promise<Answer> {
  const version = await found(context, { action: 's3:GetObjectTagging' });
  return xml('Tagging', { TagSet: tagElements(version.tags ?? {}) }, 200, versionHeader(context, version.version_id));
}

export async function putTagging(context: ObjectContext): Promise<Answer> {
  const { request } = context;
  requireSomeone(context);
  const tags = parseTags(await takeText(request, context), 10);
  const version = await writable(context, 's3:PutObjectTagging', { ...tagContext(tags, 's3:requestobjecttag') });
  await changeVersion(version, { tags });
  return empty(200, versionHeader(context, version.version_id));
}

export async function deleteTagging(context: ObjectContext): Promise<Answer> {
  const version = await writable(context, 's3:DeleteObjectTagging');
  await changeVersion(version, { tags: null });
  return empty(204, versionHeader(context, version.version_id));
}

async function writable(context: ObjectContext, action: string, more: Record<string, string> = {}): Promise<Found> {
  const { request, bucket, key } = context;
  const id = versionWanted(request);
  const version = await readVersion(bucket.id, key, id);
  requirePermission(request, context, {
    action: id === undefined ? action : action.replace('Object', 'ObjectVersion'),
    kind: 'write',
    key,
    ...(action === 's3:PutObjectAcl' ? { grants: { of: grantsOf(version), right: 'WRITE_ACP' as const } } : {}),
    context: { ...tagContext(version?.tags, 's3:existingobjecttag'), ...more },
  });
  if (!version || version.delete_marker) throw new S3Error(id === undefined ? 'NoSuchKey' : 'NoSuchVersion');
  return version;
}

const everyone = 'http://acs.amazonaws.com/groups/global/AllUsers';

type Acl = { acl: 'private' | 'public-read'; public_write: boolean; grants: readonly Grant[] | null };

/** An ACL as XML: the owner, everyone if it is public, and single projects. */
export function aclAnswer(projectId: string, { acl, public_write, grants }: Acl): Answer {
  const person = (id: string) => `<ID>${escapeXml(id)}</ID><DisplayName>${escapeXml(id)}</DisplayName>`;
  const grant = (type: string, inner: string, permission: string) =>
    `<Grant><Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="${type}">${inner}</Grantee><Permission>${permission}</Permission></Grant>`;
  const all = (permission: string) => grant('Group', `<URI>${everyone}</URI>`, permission);
  const list = [
    ...(acl === 'public-read' ? [all('READ')] : []),
    ...(public_write ? [all('WRITE')] : []),
    grant('CanonicalUser', person(projectId), 'FULL_CONTROL'),
    ...(grants ?? []).map(({ id, permission }) => grant('CanonicalUser', person(id), permission)),
  ];
  return {
    status: 200,
    headers: { 'Content-Type': 'application/xml' },
    body: `<?xml version="1.0" encoding="UTF-8"?>\n<AccessControlPolicy xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Owner>${person(projectId)}</Owner><AccessControlList>${list.join('')}</AccessControlList></AccessControlPolicy>`,
  };
}

/** A canned ACL, or a body with grants to everyone and to projects. @throws S3Error NotImplemented for other grantees */
export async function aclOf(context: BucketContext): Promise<Acl> {
  const { request } = context;
  if (Object.keys(request.headers).some((name) => name.startsWith('x-amz-grant-'))) throw new S3Error('NotImplemented');
  const canned = cannedBucketAcl(request);
  if (canned)
    return {
      acl: canned === 'private' ? 'private' : 'public-read',
      public_write: canned === 'public-read-write',
      grants: null,
    };
  const body = await takeText(request, context);
  if (body === '') throw new S3Error('MissingSecurityHeader', 'Your request was missing a required header: x-amz-acl');
  const policy = parseXml(body, 'AccessControlPolicy');
  if (!policy) throw new S3Error('MalformedACLError');
  const given = list(element(policy.AccessControlList)?.Grant).map((grant) => granted(element(grant) ?? {}));
  const forAll = given.flatMap((grant) => (grant.id === everyone ? [grant.permission] : []));
  const single = given.filter(
    ({ id, permission }) => id !== everyone && !(id === context.bucket.project_id && permission === 'FULL_CONTROL'),
  );
  if (forAll.some((permission) => permission !== 'READ' && permission !== 'WRITE'))
    throw new S3Error('NotImplemented', 'Everyone may be given READ and WRITE only.');
  await requireProjects(single.map(({ id }) => id));
  return {
    acl: forAll.includes('READ') ? 'public-read' : 'private',
    public_write: forAll.includes('WRITE'),
    grants: single.length > 0 ? single : null,
  };
}

function granted(grant: Xml): Grant {
  const grantee = element(grant.Grantee);
  const permission = text(grant.Permission);
  if (!grantee || !isRight(permission)) throw new S3Error('MalformedACLError');
  if (text(grantee.EmailAddress) !== undefined) throw new S3Error('UnresolvableGrantByEmailAddress');
  const [id, uri] = [text(grantee.ID), text(grantee.URI)];
  if (uri !== undefined && uri !== everyone) throw new S3Error('NotImplemented', 'The only group is AllUsers.');
  if (id === undefined && uri === undefined) throw new S3Error('MalformedACLError');
  return { id: uri ?? id ?? '', permission };
}

/** @throws S3Error InvalidArgument for an id that is no project's */
async function requireProjects(ids: readonly string[]): Promise<void> {
  const known = await query<{ id: string }>(sql`SELECT id FROM projects WHERE id::text = ANY (${[...ids]}::text[])`);
  if (ids.some((id) => !known.some((project) => project.id === id))) throw new S3Error('InvalidArgument', 'Invalid id');
}

export async function getAcl(context: ObjectContext): Promise<Answer> {
  const { request, bucket, key } = context;
  const id = versionWanted(request);
  const version = await readVersion(bucket.id, key, id);
  requirePermission(request, context, {
    action: id === undefined ? 's3:GetObjectAcl' : 's3:GetObjectVersionAcl',
    kind: 'read',
    key,
    grants: { of: grantsOf(version), right: 'READ_ACP' },
    context: tagContext(version?.tags, 's3:existingobjecttag'),
  });
  if (!version || version.delete_marker) throw new S3Error('NoSuchKey');
  const acl = isPublic(context, version) ? 'public-read' : 'private';
  return aclAnswer(bucket.project_id, { acl, public_write: false, grants: grantsOf(version) ?? null });
}

export async function putAcl(context: ObjectContext): Promise<Answer> {
  requireSomeone(context);
  const { acl, public_write, grants } = await aclOf(context);
  if (public_write) throw new S3Error('NotImplemented', 'Everyone may be given READ only.');
  const version = await writable(context, 's3:PutObjectAcl');
  await changeVersion(version, { acl, grants });
  return empty(200);
}
