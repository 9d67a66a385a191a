import { query, queryOne, queryRow } from '@/lib/core/db/pool';
import { type Sql, sql } from '@/lib/core/db/sql';
import type { Blob, StoredBlob } from './blobs';
import type { Checksum, ChecksumAlgorithm, ChecksumType } from './checksums';

/** A version of an object as it is stored, without its content. */
export type Version = {
  bucket_id: string;
  key: string;
  version_id: string;
  latest: boolean;
  delete_marker: boolean;
  size: number;
  etag: string;
  content_type: string | null;
  /** Other headers by their lower-case names, among them `x-amz-meta-…`. */
  headers: Record<string, string>;
  checksum: Checksum | null;
  parts: readonly PartFacts[] | null;
  blobs: readonly Blob[] | null;
  tags: Record<string, string> | null;
  acl: 'private' | 'public-read' | null;
  grants: readonly { id: string; permission: string }[] | null;
  modified_at: Date;
};

/** A part of a completed multipart upload. */
export type PartFacts = { number: number; size: number; checksum?: string | undefined };

/** What is said of a new version; the database adds the rest. */
export type NewVersion = Pick<
  Version,
  'bucket_id' | 'key' | 'content_type' | 'headers' | 'tags' | 'acl' | 'checksum'
> & {
  size: number;
  etag: string;
  parts?: readonly PartFacts[];
};

/** Where the bytes of a new version are. */
export type Content = { content: Uint8Array } | { blobs: readonly Blob[] };

/** Conditions on what is there: an ETag without quotation marks, or `*`. */
export type Conditions = { match?: string; none_match?: string; modified_at?: string; size?: number };

const columns = sql`bucket_id, key, version_id, latest, delete_marker, size_bytes::float8 AS size, etag, content_type, headers,
  checksum, parts, blobs, tags, acl, grants, modified_at`;

/** The latest version, or the named one, with its content if that is small. */
export function readVersion(
  bucketId: string,
  key: string,
  versionId: string | undefined,
): Promise<(Version & { content: Buffer | null }) | undefined> {
  const which = versionId === undefined ? sql`latest` : sql`version_id = ${versionId}::text`;
  return queryOne(sql`SELECT ${columns}, content FROM object_versions
    WHERE bucket_id = ${bucketId}::uuid AND key = ${key}::text AND ${which}`);
}

/** The row of a new version, as `put_version` takes it. */
function newRow(version: NewVersion, content: Content): Sql {
  const row = {
    ...version,
    size: undefined,
    size_bytes: version.size,
    version_id: '',
    delete_marker: false,
    parts: version.parts ?? null,
    content: 'content' in content ? `\\x${Buffer.from(content.content).toString('hex')}` : null,
    blobs: 'blobs' in content ? content.blobs : null,
  };
  return sql`jsonb_populate_record(NULL::object_versions, ${JSON.stringify(row)}::jsonb)`;
}

export type Put = { version: string; at: Date };

/** Makes a version the latest of its key. What it raises: see the migration. */
export function putObject(
  version: NewVersion,
  content: Content,
  files: readonly StoredBlob[],
  conditions: Conditions,
): Promise<Put> {
  return queryRow<Put>(
    sql`SELECT version, at FROM put_object(${newRow(version, content)}, ${JSON.stringify(files)}::jsonb, ${JSON.stringify(conditions)}::jsonb)`,
  );
}

/** The files of a version with their digests. */
export async function readBlobRows(blobs: readonly Blob[]): Promise<StoredBlob[]> {
  const rows =
    await query<StoredBlob>(sql`SELECT id, size_bytes::float8 AS size, encode(md5, 'hex') AS md5 FROM object_blobs
    WHERE id = ANY (${blobs.map(({ id }) => id)}::uuid[])`);
  return blobs.flatMap(({ id }) => rows.find((row) => row.id === id) ?? []);
}

export type Deleted = { version: string; marker: boolean; found: boolean };

export function deleteObject(
  bucketId: string,
  key: string,
  versionId: string | undefined,
  conditions: Conditions,
): Promise<Deleted> {
  return queryRow<Deleted>(sql`SELECT version, marker, found
    FROM delete_object(${bucketId}::uuid, ${key}::text, ${versionId ?? null}::text, ${JSON.stringify(conditions)}::jsonb)`);
}

/** Deletes many objects in one statement, in the order of their keys so that no two such statements wait for each other. */
export function deleteObjects(
  bucketId: string,
  objects: readonly { key: string; version_id?: string | undefined }[],
): Promise<(Deleted & { key: string; asked: string | null })[]> {
  return query(sql`SELECT o.key, o.version_id AS asked, d.version, d.marker, d.found
    FROM (SELECT * FROM jsonb_to_recordset(${JSON.stringify(objects)}::jsonb) AS given (key text, version_id text) ORDER BY key COLLATE "C" OFFSET 0) AS o
    CROSS JOIN LATERAL delete_object(${bucketId}::uuid, o.key, o.version_id, '{}') AS d`);
}

/** Changes what is said of a version, not its content. @returns whether there is one */
export async function changeVersion(
  version: Pick<Version, 'bucket_id' | 'key' | 'version_id'>,
  change: { tags: Record<string, string> | null } | Pick<Version, 'acl' | 'grants'>,
): Promise<boolean> {
  const set =
    'tags' in change
      ? sql`tags = ${change.tags === null ? null : JSON.stringify(change.tags)}::jsonb`
      : sql`acl = ${change.acl}::text, grants = ${change.grants === null ? null : JSON.stringify(change.grants)}::jsonb`;
  const rows = await query(sql`UPDATE object_versions SET ${set} WHERE bucket_id = ${version.bucket_id}::uuid
    AND key = ${version.key}::text AND version_id = ${version.version_id}::text RETURNING key`);
  return rows.length > 0;
}

/** An unfinished multipart upload. */
export type Upload = {
  id: string;
  bucket_id: string;
  key: string;
  content_type: string | null;
  headers: Record<string, string>;
  checksum: { algorithm: ChecksumAlgorithm; type: ChecksumType } | null;
  tags: Record<string, string> | null;
  acl: Version['acl'];
  initiator: string;
  size: number | null;
  part_size: number | null;
  created_at: Date;
};

export const uploadColumns = sql`id, bucket_id, key, content_type, headers, checksum, tags, acl, initiator,
  size_bytes::float8 AS size, part_size::float8 AS part_size, created_at`;

/** The upload of this key. */
export function readUpload(bucketId: string, key: string, id: string): Promise<Upload | undefined> {
  return queryOne(sql`SELECT ${uploadColumns} FROM object_uploads
    WHERE bucket_id = ${bucketId}::uuid AND key = ${key}::text AND id = ${id}::uuid`);
}

export async function createUpload(upload: Upload): Promise<void> {
  const { size, part_size, ...rest } = upload;
  await query(sql`INSERT INTO object_uploads SELECT * FROM jsonb_populate_record(NULL::object_uploads,
    ${JSON.stringify({ ...rest, size_bytes: size, part_size })}::jsonb)`);
}

export type Part = {
  number: number;
  blob_id: string;
  size: number;
  etag: string;
  checksum: { algorithm: ChecksumAlgorithm; value: string } | null;
  modified_at: Date;
};

export async function putPart(
  uploadId: string,
  number: number,
  file: StoredBlob,
  part: Pick<Part, 'etag' | 'checksum'>,
): Promise<Date> {
  const { at } = await queryRow<{
    at: Date;
  }>(sql`SELECT put_part(${uploadId}::uuid, ${number}::int, ${JSON.stringify(file)}::jsonb,
    ${part.etag}::text, ${part.checksum === null ? null : JSON.stringify(part.checksum)}::jsonb) AS at`);
  return at;
}

/** The parts after a number, in order. */
export function readParts(uploadId: string, after: number, most: number): Promise<Part[]> {
  return query(sql`SELECT number, blob_id, size_bytes::float8 AS size, etag, checksum, modified_at FROM object_parts
    WHERE upload_id = ${uploadId}::uuid AND number > ${after}::int ORDER BY number LIMIT ${most}::int`);
}

export function completeUpload(
  uploadId: string,
  version: NewVersion,
  blobs: readonly Blob[],
  conditions: Conditions,
): Promise<Put> {
  return queryRow<Put>(sql`SELECT version, at FROM complete_upload(${uploadId}::uuid, ${newRow(version, { blobs })},
    ${blobs.map(({ id }) => id)}::uuid[], ${JSON.stringify(conditions)}::jsonb)`);
}

/** The outcome of a completed upload of the last day. */
export function readCompleted(
  bucketId: string,
  key: string,
  id: string,
): Promise<{ etag: string; version_id: string } | undefined> {
  return queryOne(sql`SELECT etag, version_id FROM completed_uploads
    WHERE bucket_id = ${bucketId}::uuid AND key = ${key}::text AND id = ${id}::uuid`);
}

/** @returns whether there was one */
export async function abortUpload(id: string): Promise<boolean> {
  const { ended } = await queryRow<{ ended: boolean }>(sql`SELECT abort_upload(${id}::uuid) AS ended`);
  return ended;
}
