import { createHash } from 'node:crypto';
import { isId, newId } from '@/lib/core/db/id';
import { copyBlob, receive, requireDisk, type StoredBlob } from '../store/blobs';
import {
  type ChecksumAlgorithm,
  type ChecksumType,
  checksumAlgorithms,
  checksumHeader,
  combined,
  composite,
  defaultType,
  isCombination,
} from '../store/checksums';
import { listUploads } from '../store/listing';
import {
  abortUpload,
  completeUpload,
  createUpload,
  type NewVersion,
  type Part,
  putPart,
  readBlobRows,
  readCompleted,
  readParts,
  readUpload,
  readVersion,
  type Upload,
} from '../store/rows';
import { type Permission, requirePermission } from './access';
import { type Answer, type BucketContext, empty, iso, type ObjectContext, owner, quoted, xml } from './answer';
import { discard, takeBody, takeText } from './body';
import { S3Error } from './errors';
import { lockOf } from './lock';
import { bytesOf, copySource, facts, madeHeader, requireQuota, wantedAlgorithm, writeConditions } from './objects';
import { encoded, header, type S3Request } from './request';
import { element, list, parseXml, text } from './xml';

const MOST_PARTS = 10_000;
/** Every part but the last: 5 MiB. */
const LEAST_PART_BYTES = 5 * 1024 ** 2;
/** 5 TiB. */
const MOST_OBJECT_BYTES = 5 * 1024 ** 4;

const writes: Pick<Permission, 'action' | 'kind'> = { action: 's3:PutObject', kind: 'write' };

async function uploadOf(context: ObjectContext): Promise<Upload> {
  const id = context.request.query.get('uploadId') ?? '';
  const upload = isId(id) ? await readUpload(context.bucket.id, context.key, id) : undefined;
  if (!upload) throw new S3Error('NoSuchUpload', undefined, { elements: { UploadId: id } });
  return upload;
}

/** The checksum of an upload that is begun. @throws S3Error InvalidRequest */
function checksumOf(request: S3Request): Upload['checksum'] {
  const algorithm = wantedAlgorithm(request);
  const given = header(request, 'x-amz-checksum-type')?.toUpperCase();
  if (!algorithm) {
    if (given !== undefined)
      throw new S3Error(
        'InvalidRequest',
        'The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.',
      );
    return null;
  }
  const type = (given as ChecksumType | undefined) ?? defaultType(algorithm);
  if (!['FULL_OBJECT', 'COMPOSITE'].includes(type))
    throw new S3Error('InvalidRequest', 'Value for x-amz-checksum-type header is invalid.');
  if (!isCombination(algorithm, type))
    throw new S3Error(
      'InvalidRequest',
      `The ${type} checksum type cannot be used with the ${algorithm.toLowerCase()} checksum algorithm.`,
    );
  return { algorithm, type };
}

export async function begin(context: ObjectContext): Promise<Answer> {
  const { request, bucket, key, holder } = context;
  const said = facts(request);
  requirePermission(request, context, {
    ...writes,
    key,
    isPublic: bucket.public_write,
    grants: { of: bucket.grants, right: 'WRITE' },
  });
  const checksum = checksumOf(request);
  const lock = lockOf(context);
  const id = newId();
  await createUpload({
    ...said,
    id,
    bucket_id: bucket.id,
    key,
    checksum,
    initiator: holder?.project_id ?? 'anonymous',
    lock,
    size: null,
    part_size: null,
    created_at: request.at,
  });
  return xml('InitiateMultipartUploadResult', { Bucket: bucket.name, Key: key, UploadId: id }, 200, {
    ...(checksum ? { 'x-amz-checksum-algorithm': checksum.algorithm, 'x-amz-checksum-type': checksum.type } : {}),
  });
}

function partNumber(request: S3Request): number {
  const value = request.query.get('partNumber') ?? '';
  const number = Number(value);
  if (!/^\d{1,5}$/.test(value) || number < 1 || number > MOST_PARTS)
    throw new S3Error('InvalidArgument', 'Part number must be an integer between 1 and 10000, inclusive', {
      elements: { ArgumentName: 'partNumber', ArgumentValue: value },
    });
  return number;
}

/** Stores the file as a part; deletes it if the part is refused. */
async function keep(upload: Upload, number: number, file: StoredBlob, checksum: Part['checksum']): Promise<Date> {
  try {
    return await putPart(upload.id, number, file, { etag: file.md5, checksum });
  } catch (error) {
    if (error instanceof Error && error.name !== 'DatabaseAway') await discard({ blob: file });
    throw error;
  }
}

export async function putOnePart(context: ObjectContext): Promise<Answer> {
  const { request, bucket, key } = context;
  requirePermission(request, context, {
    ...writes,
    key,
    isPublic: bucket.public_write,
    grants: { of: bucket.grants, right: 'WRITE' },
  });
  const number = partNumber(request);
  const upload = await uploadOf(context);
  requireQuota(context, header(request, 'x-amz-decoded-content-length') ?? header(request, 'content-length'));
  const taken = await takeBody(request, context, { algorithm: upload.checksum?.algorithm ?? 'CRC64NVME', file: true });
  const { blob, checksum, algorithm } = taken;
  if (!blob) throw new Error('a part is always a file');
  if (upload.checksum && algorithm !== upload.checksum.algorithm) {
    await discard(taken);
    throw new S3Error(
      'InvalidRequest',
      `Checksum Type mismatch occurred, expected checksum Type: ${upload.checksum.algorithm.toLowerCase()}, actual checksum Type: ${algorithm?.toLowerCase()}`,
    );
  }
  const sum = algorithm && checksum !== undefined ? { algorithm, value: checksum } : null;
  await keep(upload, number, blob, sum);
  return empty(200, { ETag: quoted(taken.md5), ...(sum ? { [checksumHeader(sum.algorithm)]: sum.value } : {}) });
}

export async function copyOnePart(context: ObjectContext): Promise<Answer> {
  const { request, bucket, key } = context;
  requirePermission(request, context, {
    ...writes,
    key,
    isPublic: bucket.public_write,
    grants: { of: bucket.grants, right: 'WRITE' },
  });
  const number = partNumber(request);
  const upload = await uploadOf(context);
  const source = await copySource(context);
  const size = source.span ? source.span.end - source.span.start + 1 : source.size;
  requireQuota(context, String(size));
  const algorithm: ChecksumAlgorithm = upload.checksum?.algorithm ?? 'CRC64NVME';
  const [only] = source.blobs ?? [];
  const isWhole = !source.span || size === source.size;
  // A file that is copied whole gets a second name; its checksum is known.
  if (isWhole && only && source.blobs?.length === 1 && source.checksum?.algorithm === algorithm && !source.parts) {
    const [row] = await readBlobRows([only]);
    if (row) return copied(await copyBlob(row), source.checksum.value);
  }
  await requireDisk(size);
  const received = await receive(bytesOf(source), { checksum: algorithm, file: true });
  if (!received.blob) throw new Error('a part is always a file');
  return copied(received.blob, received.checksum ?? '');

  async function copied(file: StoredBlob, value: string): Promise<Answer> {
    const at = await keep(upload, number, file, { algorithm, value });
    return xml(
      'CopyPartResult',
      {
        LastModified: iso(at),
        ETag: quoted(file.md5),
        ...(upload.checksum ? { [`Checksum${algorithm}`]: value } : {}),
      },
      200,
      source.version_id === 'null' ? {} : { 'x-amz-copy-source-version-id': source.version_id },
    );
  }
}

type Named = { number: number; etag: string; sums: Map<ChecksumAlgorithm, string> };

function namedParts(body: string): Named[] {
  const parsed = parseXml(body, 'CompleteMultipartUpload');
  if (!parsed) throw new S3Error('MalformedXML');
  const named = list(parsed.Part).map((value): Named => {
    const part = element(value) ?? {};
    const number = Number(text(part.PartNumber) ?? Number.NaN);
    const etag = text(part.ETag);
    if (!Number.isInteger(number) || etag === undefined) throw new S3Error('MalformedXML');
    const sums = checksumAlgorithms.flatMap((algorithm) => {
      const sum = text(part[`Checksum${algorithm}`]);
      return sum === undefined ? [] : [[algorithm, sum] as const];
    });
    return { number, etag: etag.trim().replace(/^"(.*)"$/, '$1'), sums: new Map(sums) };
  });
  if (named.length === 0 || named.length > MOST_PARTS) throw new S3Error('MalformedXML');
  // A part that was sent twice may be named twice: the last one counts.
  return named.filter(({ number }, index) => named[index + 1]?.number !== number);
}

/** The stored parts that the request names, in its order. @throws S3Error InvalidPart, InvalidPartOrder, EntityTooSmall */
function chosenParts(upload: Upload, named: readonly Named[], stored: readonly Part[]): Part[] {
  const byNumber = new Map(stored.map((part) => [part.number, part]));
  const chosen: Part[] = [];
  for (const [index, { number, etag, sums }] of named.entries()) {
    if (index > 0 && number <= (named[index - 1]?.number ?? 0)) throw new S3Error('InvalidPartOrder');
    const part = byNumber.get(number);
    if (!part || part.etag !== etag)
      throw new S3Error('InvalidPart', undefined, {
        elements: { UploadId: upload.id, PartNumber: String(number), ETag: etag },
      });
    for (const [algorithm, value] of sums)
      if (part.checksum?.algorithm === algorithm && part.checksum.value !== value) throw new S3Error('InvalidPart');
    if (index < named.length - 1 && part.size < LEAST_PART_BYTES)
      throw new S3Error('EntityTooSmall', undefined, {
        elements: {
          PartNumber: String(number),
          ProposedSize: String(part.size),
          MinSizeAllowed: String(LEAST_PART_BYTES),
          ETag: etag,
        },
      });
    chosen.push(part);
  }
  return chosen;
}

/** The checksum of the whole. Without a wish of the client, it is the default one of S3. */
async function wholeChecksum(upload: Upload, parts: readonly Part[]): Promise<NewVersion['checksum']> {
  const sent = parts[0]?.checksum?.algorithm;
  const { algorithm, type } = upload.checksum ?? {
    algorithm: sent?.startsWith('CRC') ? sent : ('CRC64NVME' as const),
    type: 'FULL_OBJECT' as const,
  };
  const sums = parts.map(({ checksum, size }) => ({
    value: checksum?.algorithm === algorithm ? checksum.value : '',
    size,
  }));
  if (sums.some(({ value }) => value === '')) return null;
  const value =
    type === 'COMPOSITE'
      ? await composite(
          algorithm,
          sums.map((sum) => sum.value),
        )
      : combined(algorithm, sums);
  return value === undefined ? null : { algorithm, type, value };
}

/** What the client says that the whole's checksum is. @throws S3Error BadDigest */
function requireChecksum(request: S3Request, checksum: NewVersion['checksum']): void {
  if (!checksum) return;
  const given = header(request, checksumHeader(checksum.algorithm));
  if (given !== undefined && given.split('-')[0] !== checksum.value.split('-')[0]) throw new S3Error('BadDigest');
}

export async function complete(context: ObjectContext): Promise<Answer> {
  const { request, bucket, key } = context;
  requirePermission(request, context, {
    ...writes,
    key,
    isPublic: bucket.public_write,
    grants: { of: bucket.grants, right: 'WRITE' },
  });
  const named = namedParts(await takeText(request, context, 'object'));
  const id = request.query.get('uploadId') ?? '';
  // A client that did not get the answer asks again.
  const past = isId(id) ? await readCompleted(bucket.id, key, id) : undefined;
  if (past) {
    const version = await readVersion(bucket.id, key, past.version_id);
    return completed(context, past.etag, past.version_id, version?.etag === past.etag ? version.checksum : null);
  }
  const upload = await uploadOf(context);
  const { version, blobs } = await wholeOf(
    upload,
    chosenParts(upload, named, await readParts(upload.id, 0, MOST_PARTS)),
  );
  requireChecksum(request, version.checksum);
  const size = header(request, 'x-amz-mp-object-size');
  if (size !== undefined && Number(size) !== version.size)
    throw new S3Error('InvalidRequest', 'The provided x-amz-mp-object-size header does not match what was computed.');
  const stored = await completeUpload(upload.id, version, blobs, writeConditions(request));
  return completed(context, version.etag, stored.version, version.checksum);
}

/** The object that parts make. @throws S3Error EntityTooLarge */
export async function wholeOf(
  upload: Upload,
  parts: readonly Part[],
): Promise<{ version: NewVersion; blobs: { id: string; size: number }[] }> {
  const size = parts.reduce((sum, part) => sum + part.size, 0);
  if (size > MOST_OBJECT_BYTES) throw new S3Error('EntityTooLarge');
  const digests = Buffer.concat(parts.map(({ etag }) => Buffer.from(etag, 'hex')));
  return {
    version: {
      bucket_id: upload.bucket_id,
      key: upload.key,
      content_type: upload.content_type,
      headers: upload.headers,
      tags: upload.tags,
      acl: upload.acl,
      ...upload.lock,
      size,
      etag: `${createHash('md5').update(digests).digest('hex')}-${parts.length}`,
      checksum: await wholeChecksum(upload, parts),
      parts: parts.map((part) => ({ number: part.number, size: part.size, checksum: part.checksum?.value })),
    },
    blobs: parts.map((part) => ({ id: part.blob_id, size: part.size })),
  };
}

function completed(
  { request, bucket, key }: ObjectContext,
  etag: string,
  version: string,
  checksum: NewVersion['checksum'],
): Answer {
  return xml(
    'CompleteMultipartUploadResult',
    {
      Location: `${request.isSecure ? 'https' : 'http'}://${header(request, 'host')}/${bucket.name}/${key.split('/').map(encoded).join('/')}`,
      Bucket: bucket.name,
      Key: key,
      ETag: quoted(etag),
      ...(checksum ? { [`Checksum${checksum.algorithm}`]: checksum.value, ChecksumType: checksum.type } : {}),
    },
    200,
    madeHeader(version),
  );
}

export async function abort(context: ObjectContext): Promise<Answer> {
  const { request, bucket, key, holder } = context;
  const upload = await uploadOf(context);
  // Whoever may write without being let in by name ends only uploads of their own.
  const isOwn = holder !== undefined && upload.initiator === holder.project_id;
  requirePermission(request, context, {
    action: 's3:AbortMultipartUpload',
    kind: 'write',
    key,
    isPublic: bucket.public_write && isOwn,
    ...(isOwn ? { grants: { of: bucket.grants, right: 'WRITE' as const } } : {}),
  });
  if (!(await abortUpload(upload.id))) throw new S3Error('NoSuchUpload');
  return empty(204);
}

export async function listParts(context: ObjectContext): Promise<Answer> {
  const { request, bucket, key } = context;
  requirePermission(request, context, { action: 's3:ListMultipartUploadParts', kind: 'read', key });
  const upload = await uploadOf(context);
  const most = request.query.number('max-parts', 1000) ?? 1000;
  const marker = request.query.number('part-number-marker', MOST_PARTS) ?? 0;
  const found = await readParts(upload.id, marker, most + 1);
  const shown = found.slice(0, most);
  return xml('ListPartsResult', {
    Bucket: bucket.name,
    Key: key,
    UploadId: upload.id,
    Initiator: owner(upload.initiator),
    Owner: owner(upload.initiator),
    StorageClass: 'STANDARD',
    PartNumberMarker: marker,
    NextPartNumberMarker: shown.at(-1)?.number ?? 0,
    MaxParts: most,
    IsTruncated: found.length > shown.length,
    ...(upload.checksum ? { ChecksumAlgorithm: upload.checksum.algorithm, ChecksumType: upload.checksum.type } : {}),
    Part: shown.map((part) => ({
      PartNumber: part.number,
      LastModified: iso(part.modified_at),
      ETag: quoted(part.etag),
      Size: part.size,
      ...(upload.checksum && part.checksum ? { [`Checksum${part.checksum.algorithm}`]: part.checksum.value } : {}),
    })),
  });
}

export async function listAllUploads(context: BucketContext): Promise<Answer> {
  const { request, bucket } = context;
  requirePermission(request, context, {
    action: 's3:ListBucketMultipartUploads',
    kind: 'read',
    isPublic: bucket.acl === 'public-read' && bucket.public_write,
    grants: { of: bucket.grants, right: 'READ' },
  });
  const { query } = request;
  const [prefix, delimiter] = [query.get('prefix') ?? '', query.get('delimiter') ?? ''];
  const [key, id] = [query.get('key-marker') ?? '', query.get('upload-id-marker') ?? ''];
  const most = query.number('max-uploads', 1000) ?? 1000;
  const found = await listUploads(bucket.id, { prefix, key, id: key !== '' && isId(id) ? id : '', most });
  const shown = found.slice(0, most);
  const encodes = query.get('encoding-type') === 'url';
  const name = (value: string) => (encodes ? encoded(value) : value);
  const shared = new Set<string>();
  const uploads = shown.filter((upload) => {
    const at = delimiter === '' ? -1 : upload.key.indexOf(delimiter, prefix.length);
    if (at >= 0) shared.add(upload.key.slice(0, at + delimiter.length));
    return at < 0;
  });
  return xml('ListMultipartUploadsResult', {
    Bucket: bucket.name,
    KeyMarker: name(key),
    UploadIdMarker: id,
    NextKeyMarker: name(shown.at(-1)?.key ?? ''),
    NextUploadIdMarker: shown.at(-1)?.id ?? '',
    ...(query.has('delimiter') ? { Delimiter: name(delimiter) } : {}),
    Prefix: name(prefix),
    ...(encodes ? { EncodingType: 'url' } : {}),
    MaxUploads: most,
    IsTruncated: found.length > shown.length,
    Upload: uploads.map((upload) => ({
      Key: name(upload.key),
      UploadId: upload.id,
      Initiator: owner(upload.initiator),
      Owner: owner(upload.initiator),
      StorageClass: 'STANDARD',
      Initiated: iso(upload.created_at),
      ...(upload.checksum ? { ChecksumAlgorithm: upload.checksum.algorithm, ChecksumType: upload.checksum.type } : {}),
    })),
    CommonPrefixes: [...shared].map((value) => ({ Prefix: name(value) })),
  });
}
