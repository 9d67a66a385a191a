import { batched } from '@/lib/core/db/batched';
import { databaseError, query, queryOne, queryRow } from '@/lib/core/db/pool';
import { type Sql, sql } from '@/lib/core/db/sql';
import { accessOf, type Names } from './access';
import type { Blob, StoredBlob } from './blobs';
import type { Checksum, ChecksumAlgorithm, ChecksumType } from './checksums';

export type LockMode = 'GOVERNANCE' | 'COMPLIANCE';

/** What keeps a version from being deleted. */
export type Lock<Moment = string> = {
  lock_mode: LockMode | null;
  retain_until: Moment | null;
  legal_hold: boolean | null;
};

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
} & Lock<Date>;

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
} & Partial<Lock>;

/** Where the bytes of a new version are. */
export type Content = { content: Uint8Array } | { blobs: readonly Blob[] };

/** Conditions on what is there: an ETag without quotation marks, or `*`. */
export type Conditions = { match?: string; none_match?: string; modified_at?: string; size?: number };

const columns = sql`bucket_id, key, version_id, latest, delete_marker, size_bytes::float8 AS size, etag, content_type, headers,
  checksum, parts, blobs, tags, acl, grants, modified_at, lock_mode, retain_until, legal_hold`;

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

/** The columns of a new version, as `put_version` takes them. */
const columnsOf = (version: NewVersion, content: Content) => ({
  ...version,
  size: undefined,
  size_bytes: version.size,
  version_id: '',
  delete_marker: false,
  parts: version.parts ?? null,
  content: 'content' in content ? `\\x${Buffer.from(content.content).toString('hex')}` : null,
  blobs: 'blobs' in content ? content.blobs : null,
});

const newRow = (version: NewVersion, content: Content): Sql =>
  sql`jsonb_populate_record(NULL::object_versions, ${JSON.stringify(columnsOf(version, content))}::jsonb)`;

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

/** An access that a request relies on without having looked it up: its names, and the stamp that it had. */
export type Seen = Names & { stamp: string };

type SmallPut = { version: NewVersion; content: Uint8Array; seen: Seen | undefined };
/** `put` null: it was not stored, because the access that it relies on has changed. */
type SmallOutcome = { put: Put | null } | { error: unknown };
const MOST_PUT = 64;

/** One for each bucket, so that no tenant waits for the writes of another. */
const smallPuts = new Map<string, { put: (item: SmallPut) => Promise<SmallOutcome>; underWay: number }>();

/**
 * As `putObject` without conditions, for small contents: those that come together for a bucket are one transaction. Not for
 * a bucket with a quota, which is refused for one object and not for another.
 * @param seen what the same statement confirms of the access @returns null when it has changed, and nothing was stored
 */
export async function putSmallObject(
  version: NewVersion,
  content: Uint8Array,
  seen: Seen | undefined,
): Promise<Put | null> {
  const id = version.bucket_id;
  const own = smallPuts.get(id) ?? { put: batched(putTogether, MOST_PUT), underWay: 0 };
  smallPuts.set(id, own);
  own.underWay += 1;
  try {
    const outcome = await own.put({ version, content, seen });
    if ('error' in outcome) throw outcome.error;
    return outcome.put;
  } finally {
    own.underWay -= 1;
    if (own.underWay === 0) smallPuts.delete(id);
  }
}

/**
 * Each key once in a statement, in turns: of two writes of one key the later one is the object. When the database refuses a
 * statement, each of its objects is tried alone, so that the refused one does not harm the others.
 */
async function putTogether(items: readonly SmallPut[]): Promise<SmallOutcome[]> {
  const outcomes = new Map<SmallPut, SmallOutcome>();
  const groups: (readonly SmallPut[])[] = turns(items);
  for (let group = groups.shift(); group; group = groups.shift()) {
    try {
      for (const { place, ...put } of await putEach(group)) outcomes.set(group[place] as SmallPut, { put });
    } catch (error) {
      const [only, another] = group;
      if (!databaseError(error)) throw error;
      if (another) groups.unshift(...group.map((item) => [item]));
      else if (only) outcomes.set(only, { error });
    }
  }
  return items.map((item) => outcomes.get(item) ?? { put: null });
}

function turns(items: readonly SmallPut[]): SmallPut[][] {
  const found: SmallPut[][] = [];
  const seen = new Map<string, number>();
  for (const item of items) {
    const turn = seen.get(item.version.key) ?? 0;
    seen.set(item.version.key, turn + 1);
    const own = found[turn] ?? [];
    found[turn] = own;
    own.push(item);
  }
  return found;
}

/** Stores objects of different keys in one bucket, if their access stands. */
function putEach(items: readonly SmallPut[]): Promise<(Put & { place: number })[]> {
  const accesses = new Map<string, Seen>();
  for (const { seen } of items) if (seen) accesses.set(nameOf(seen), seen);
  const names = [...accesses.keys()];
  let start = 1;
  const rows = items.map(({ version, content, seen }) => {
    const { size, ...row } = version;
    const access = seen ? names.indexOf(nameOf(seen)) + 1 : null;
    const placed = { ...row, bucket_id: undefined, size_bytes: size, start, access };
    start += content.byteLength;
    return placed;
  });
  const seen = [...accesses.values()];
  return query(sql`SELECT place, version, at FROM put_small_objects(${items[0]?.version.bucket_id ?? null}::uuid, ${JSON.stringify(rows)}::jsonb,
    ${Buffer.concat(items.map(({ content }) => content))}::bytea,
    ARRAY(SELECT now.place FROM ${accessOf(seen)} WHERE now.stamp = (${seen.map(({ stamp }) => stamp)}::text[])[now.place]))`);
}

const nameOf = ({ accessKey, bucket, stamp }: Seen) => JSON.stringify([accessKey, bucket, stamp]);

/** The files of a version with their digests. */
export async function readBlobRows(blobs: readonly Blob[]): Promise<StoredBlob[]> {
  const rows =
    await query<StoredBlob>(sql`SELECT id, size_bytes::float8 AS size, encode(md5, 'hex') AS md5 FROM object_blobs
    WHERE id = ANY (${blobs.map(({ id }) => id)}::uuid[])`);
  return blobs.flatMap(({ id }) => rows.find((row) => row.id === id) ?? []);
}

export type Deleted = { version: string; marker: boolean; existed: boolean };

/** @param bypass whether a retention in governance mode does not count */
export function deleteObject(
  bucketId: string,
  key: string,
  versionId: string | undefined,
  conditions: Conditions,
  bypass = false,
): Promise<Deleted> {
  // It is set before the function runs, because the function's argument needs it, and ends with the statement.
  return queryRow<Deleted>(sql`WITH mode AS MATERIALIZED (SELECT set_config('nephele.bypass_governance', ${bypass ? 'on' : 'off'}::text, true) AS value)
    SELECT d.version, d.marker, d.existed FROM mode
    CROSS JOIN LATERAL delete_object(${bucketId}::uuid, ${key}::text || left(mode.value, 0), ${versionId ?? null}::text, ${JSON.stringify(conditions)}::jsonb) AS d`);
}

type Named = Pick<Version, 'bucket_id' | 'key' | 'version_id'>;

const isNamed = (version: Named) =>
  sql`bucket_id = ${version.bucket_id}::uuid AND key = ${version.key}::text AND version_id = ${version.version_id}::text`;

/** Changes a retention; one that counts can be extended, and in governance mode bypassed. @returns whether it was allowed */
export async function changeRetention(
  version: Named,
  wanted: { mode: LockMode; until: string } | null,
  bypass: boolean,
): Promise<boolean> {
  const [mode, until] = [wanted?.mode ?? null, wanted?.until ?? null];
  const rows =
    await query(sql`UPDATE object_versions SET lock_mode = ${mode}::text, retain_until = ${until}::timestamptz
    WHERE ${isNamed(version)} AND (retain_until IS NULL OR retain_until <= platform_now()
      OR lock_mode = ${mode}::text AND ${until}::timestamptz >= retain_until OR lock_mode = 'GOVERNANCE' AND ${bypass}::boolean)
    RETURNING key`);
  return rows.length > 0;
}

export async function setLegalHold(version: Named, on: boolean): Promise<void> {
  await query(sql`UPDATE object_versions SET legal_hold = ${on}::boolean WHERE ${isNamed(version)}`);
}

/** Deletes many objects in one statement, in the order of their keys so that no two such statements wait for each other. */
export function deleteObjects(
  bucketId: string,
  objects: readonly { key: string; version_id?: string | undefined }[],
): Promise<(Deleted & { key: string; asked: string | null })[]> {
  return query(sql`SELECT o.key, o.version_id AS asked, d.version, d.marker, d.existed
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
  lock: Partial<Lock> | null;
  size: number | null;
  part_size: number | null;
  created_at: Date;
};

export const uploadColumns = sql`id, bucket_id, key, content_type, headers, checksum, tags, acl, initiator,
  size_bytes::float8 AS size, part_size::float8 AS part_size, lock, created_at`;

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
