import type { ProjectCall } from '@/lib/core/api/endpoint';
import { ApiError, conflict, invalid, notFound } from '@/lib/core/api/errors';
import { Page } from '@/lib/core/api/pagination';
import { isId, newId } from '@/lib/core/db/id';
import { databaseError, query, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import {
  type ListWish,
  MOST_PARTS,
  partSizeFor,
  presigned,
  readCursor,
  requireUploads,
  writeCursor,
} from './object-wishes';
import { wholeOf } from './s3/multipart';
import type { BeginUpload, CopyObject, ObjectEntry, ObjectUpload, Presign } from './schema';
import { copyBlob, deleteBlob } from './store/blobs';
import { type Entry, listObjects, listVersions, type VersionEntry } from './store/listing';
import {
  abortUpload,
  completeUpload,
  createUpload,
  deleteObject,
  deleteObjects,
  putObject,
  readBlobRows,
  readParts,
  readVersion,
  type Upload,
  uploadColumns,
} from './store/rows';

type BucketFacts = { id: string; versioning: string; project_id: string; name: string; external_id: string | null };

async function bucketOf(call: ProjectCall, name: string): Promise<BucketFacts> {
  const row = await queryOne<BucketFacts>(
    sql`SELECT id, versioning, project_id, name, external_id FROM buckets WHERE project_id = ${call.project_id}::uuid AND name = ${name}::text`,
  );
  if (!row) throw notFound('The bucket');
  call.record.resource = { type: 'bucket', id: row.id, name };
  if (row.external_id !== null)
    throw new ApiError(
      'ENGINE_UNAVAILABLE',
      `${name} is in an outside store. An operator reaches it with S3_ENGINE=external.`,
    );
  return row;
}

/** Objects in the order of their keys, with common prefixes where a delimiter folds them. @throws ApiError 404 */
export async function listEntries(call: ProjectCall, name: string, wish: ListWish): Promise<Page<ObjectEntry>> {
  const { id } = await bucketOf(call, name);
  const { prefix = '', delimiter = '', limit: most } = wish;
  if (`${prefix}${delimiter}`.includes('\0')) throw invalid('prefix: must not contain the character zero.');
  const [marker = '', versionMarker = ''] = readCursor(wish.cursor);
  const range = { bucketId: id, prefix, delimiter, marker, most };
  const found: Array<Entry | VersionEntry> =
    wish.versions === 'true' ? await listVersions({ ...range, versionMarker }) : await listObjects(range);
  const shown = found.slice(0, most);
  const last = shown.at(-1);
  const next =
    found.length > most && last
      ? writeCursor(last.name, last.prefix === null && 'version_id' in last ? last.version_id : '')
      : null;
  return new Page(
    shown.map((entry): ObjectEntry => {
      if (entry.prefix !== null) return { prefix: entry.prefix };
      const { key, size, etag, content_type, modified_at } = entry;
      return {
        key,
        size_bytes: size,
        etag,
        content_type,
        last_modified: modified_at.toISOString(),
        storage_class: 'STANDARD',
        ...('version_id' in entry
          ? { version_id: entry.version_id, latest: entry.latest, delete_marker: entry.delete_marker }
          : {}),
      };
    }),
    next,
  );
}

/**
 * An address that works without a credential until it expires, or the caller's credential ends.
 * @throws ApiError 403 for a PUT by a reader, 404
 */
export async function presignObject(call: ProjectCall, name: string, input: Presign) {
  const bucket = await bucketOf(call, name);
  requireUploads(call, input);
  if (input.upload_id !== undefined) await uploadOf(bucket, input.upload_id, input.key);
  return presigned(call, name, input);
}

/** Deletes an object as S3 does. @throws ApiError 404 */
export async function deleteOne(
  call: ProjectCall,
  name: string,
  key: string,
  version: string | undefined,
): Promise<void> {
  const { id } = await bucketOf(call, name);
  if (key.includes('\0')) throw notFound('The object');
  const present = await readVersion(id, key, version);
  if (!present || (present.delete_marker && version === undefined)) throw notFound('The object');
  call.record.details = { key, ...(version === undefined ? {} : { version_id: version }) };
  await deleteObject(id, key, version, {}).catch((error) => {
    throw refused(error);
  });
}

/** Deletes up to 1,000 objects; keys without one are no fault. @returns how many there were */
export async function deleteMany(
  call: ProjectCall,
  name: string,
  keys: readonly string[],
): Promise<{ deleted: number }> {
  const { id } = await bucketOf(call, name);
  const gone = await deleteObjects(
    id,
    keys.map((key) => ({ key })),
  );
  const deleted = gone.filter(({ existed }) => existed).length;
  call.record.details = { keys: keys.slice(0, 20), deleted };
  return { deleted };
}

/** Copies an object within the project; renaming is a copy and a delete. @throws ApiError 404, 409 for a full bucket */
export async function copyOne(call: ProjectCall, name: string, input: CopyObject): Promise<{ key: string }> {
  const target = await bucketOf(call, name);
  const from = input.source_bucket === undefined ? target : await bucketOf(call, input.source_bucket);
  call.record.resource = { type: 'bucket', id: target.id, name };
  call.record.details = { source: `${from.name}/${input.source_key}`, key: input.key };
  const source = await readVersion(from.id, input.source_key, input.version_id);
  if (!source || source.delete_marker) throw notFound('The object');
  const { etag, checksum, size, parts, content_type, headers, tags } = source;
  const version = {
    bucket_id: target.id,
    key: input.key,
    content_type,
    headers,
    tags,
    acl: null,
    checksum,
    size,
    etag,
    ...(parts ? { parts } : {}),
  };
  const files = [];
  try {
    for (const file of await readBlobRows(source.blobs ?? [])) files.push(await copyBlob(file));
    await putObject(
      version,
      source.content !== null
        ? { content: source.content }
        : { blobs: files.map((file) => ({ id: file.id, size: file.size })) },
      files,
      {},
    );
  } catch (error) {
    if (error instanceof Error && error.name !== 'DatabaseAway') for (const file of files) await deleteBlob(file.id);
    throw refused(error);
  }
  return { key: input.key };
}

/** The refusals of the store as errors of the API. */
function refused(error: unknown): unknown {
  switch (databaseError(error)?.code) {
    case 'P0402':
      return conflict('The quota of the bucket is exceeded.');
    case 'P0404':
    case '23503':
      return notFound('The bucket');
    case 'P0406':
      return notFound('The upload');
    case 'P0423':
      return conflict('The version is locked against deletion.');
    case 'P0409':
      return conflict('A part was replaced meanwhile. Try again.');
    default:
      return error;
  }
}

/** Begins a multipart upload. @throws ApiError 404 */
export async function begin(call: ProjectCall, name: string, input: BeginUpload) {
  const bucket = await bucketOf(call, name);
  const id = newId();
  const part_size = partSizeFor(input.size_bytes);
  call.record.details = { key: input.key, size_bytes: input.size_bytes };
  await createUpload({
    id,
    bucket_id: bucket.id,
    key: input.key,
    content_type: input.content_type ?? null,
    headers: {},
    checksum: { algorithm: 'CRC64NVME', type: 'FULL_OBJECT' },
    tags: null,
    acl: null,
    initiator: call.project_id,
    lock: null,
    size: input.size_bytes,
    part_size,
    created_at: call.at,
  });
  return { upload_id: id, key: input.key, part_size };
}

async function uploadOf(bucket: BucketFacts, id: string, key?: string): Promise<Upload> {
  const row = isId(id)
    ? await queryOne<Upload>(
        sql`SELECT ${uploadColumns} FROM object_uploads WHERE bucket_id = ${bucket.id}::uuid AND id = ${id}::uuid`,
      )
    : undefined;
  if (!row || (key !== undefined && row.key !== key)) throw notFound('The upload');
  return row;
}

/** An unfinished upload with the parts that have arrived. @throws ApiError 404 */
export async function readUploadOf(call: ProjectCall, name: string, id: string): Promise<ObjectUpload> {
  const upload = await uploadOf(await bucketOf(call, name), id);
  const parts = await readParts(upload.id, 0, MOST_PARTS);
  return {
    upload_id: upload.id,
    key: upload.key,
    size_bytes: upload.size,
    part_size: upload.part_size,
    parts: parts.map(({ number, size, etag }) => ({ part_number: number, size_bytes: size, etag })),
    created_at: upload.created_at.toISOString(),
  };
}

/** Makes an object of all parts that have arrived. @throws ApiError 404, 409 when some are missing or the bucket is full */
export async function finish(call: ProjectCall, name: string, id: string): Promise<{ key: string }> {
  const bucket = await bucketOf(call, name);
  const past = isId(id)
    ? await queryOne<{ key: string }>(
        sql`SELECT key FROM completed_uploads WHERE bucket_id = ${bucket.id}::uuid AND id = ${id}::uuid`,
      )
    : undefined;
  if (past) return past;
  const upload = await uploadOf(bucket, id);
  call.record.details = { key: upload.key };
  const parts = await readParts(upload.id, 0, MOST_PARTS);
  const arrived = parts.reduce((sum, part) => sum + part.size, 0);
  if (parts.length === 0 || (upload.size !== null && arrived !== upload.size))
    throw conflict(`The upload has ${arrived} of ${upload.size ?? 'its'} bytes. Send the missing parts.`);
  const { version, blobs } = await wholeOf(upload, parts);
  try {
    await completeUpload(upload.id, version, blobs, {});
  } catch (error) {
    throw refused(error);
  }
  return { key: upload.key };
}

/** Ends an upload and deletes its parts. @throws ApiError 404 */
export async function cancel(call: ProjectCall, name: string, id: string): Promise<void> {
  const upload = await uploadOf(await bucketOf(call, name), id);
  call.record.details = { key: upload.key };
  await abortUpload(upload.id);
}

/** The unfinished uploads of a bucket, the newest first; at most 200. @throws ApiError 404 */
export async function listOpenUploads(call: ProjectCall, name: string): Promise<ObjectUpload[]> {
  const bucket = await bucketOf(call, name);
  const rows = await query<Upload>(
    sql`SELECT ${uploadColumns} FROM object_uploads WHERE bucket_id = ${bucket.id}::uuid ORDER BY id DESC LIMIT 200`,
  );
  return rows.map((upload) => ({
    upload_id: upload.id,
    key: upload.key,
    size_bytes: upload.size,
    part_size: upload.part_size,
    parts: [],
    created_at: upload.created_at.toISOString(),
  }));
}
