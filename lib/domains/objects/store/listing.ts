import { query } from '@/lib/core/db/pool';
import { type Sql, sql } from '@/lib/core/db/sql';
import type { Checksum } from './checksums';
import { type Upload, uploadColumns } from './rows';

/** The first text after all that begin with `prefix`, in the order of bytes; undefined: none. */
export function after(prefix: string): string | undefined {
  const signs = [...prefix];
  while (signs.length > 0) {
    const last = signs.pop()?.codePointAt(0) ?? 0;
    // Half of a pair is no character of its own.
    if (last < 0x10ffff) return signs.join('') + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1);
  }
  return undefined;
}

/** What a list of keys is limited to. */
export type Range = {
  bucketId: string;
  prefix: string;
  delimiter: string;
  /** Keys and common prefixes after this one. */
  marker: string;
  most: number;
};

export type Listed = {
  key: string;
  size: number;
  etag: string;
  content_type: string | null;
  checksum: Checksum | null;
  modified_at: Date;
};

/** An object, or a prefix that several share up to the delimiter. */
export type Entry = ({ prefix: string } | ({ prefix: null } & Listed)) & { name: string };

/**
 * Current objects in the order of their keys, with what they share up to the delimiter folded; one entry more than `most`, if there
 * is one. Each entry is one look into the index, so that a folder of a million objects costs as much as one of ten.
 */
export async function listObjects(range: Range): Promise<Entry[]> {
  const { bucketId, prefix, delimiter, most } = range;
  const end = after(prefix);
  const from = begin(range);
  const within = sql`v.bucket_id = ${bucketId}::uuid AND v.latest AND NOT v.delete_marker${end === undefined ? sql`` : sql` AND v.key < ${end}::text`}`;
  const facts = sql`v.size_bytes::float8 AS size, v.etag, v.content_type, v.checksum, v.modified_at`;
  if (from === undefined) return [];
  if (delimiter === '') {
    return query<Entry>(sql`SELECT v.key AS name, NULL AS prefix, v.key, ${facts} FROM object_versions v
      WHERE ${within} AND v.key ${from.inclusive ? sql`>=` : sql`>`} ${from.key}::text COLLATE "C" ORDER BY v.key LIMIT ${most + 1}::int`);
  }
  const folded = (
    key: Sql,
  ) => sql`CASE WHEN strpos(substr(${key}, ${[...prefix].length + 1}::int), ${delimiter}::text) > 0
    THEN left(${key}, ${[...prefix].length}::int + strpos(substr(${key}, ${[...prefix].length + 1}::int), ${delimiter}::text) + ${[...delimiter].length - 1}::int) END`;
  const next = (condition: Sql) => sql`SELECT v.key, ${folded(sql`v.key`)} AS prefix, ${facts}
    FROM object_versions v WHERE ${within} AND ${condition} ORDER BY v.key LIMIT 1`;
  return query<Entry>(sql`
    WITH RECURSIVE walk AS (
      (SELECT 1 AS n, * FROM (${next(sql`v.key ${from.inclusive ? sql`>=` : sql`>`} ${from.key}::text COLLATE "C"`)}) AS first)
      UNION ALL
      SELECT walk.n + 1, found.* FROM walk, LATERAL (
        ${next(sql`v.key >= CASE WHEN walk.prefix IS NULL THEN walk.key || chr(1)
          ELSE left(walk.prefix, -1) || chr(CASE ascii(right(walk.prefix, 1)) WHEN 55295 THEN 57344 ELSE ascii(right(walk.prefix, 1)) + 1 END) END`)}
      ) AS found WHERE walk.n <= ${most}::int
    )
    SELECT coalesce(prefix, key) AS name, prefix, key, size, etag, content_type, checksum, modified_at FROM walk ORDER BY n`);
}

/** Where a list begins: after the marker, and after all of the common prefix that the marker is. */
function begin({ prefix, delimiter, marker }: Range): { key: string; inclusive: boolean } | undefined {
  if (Buffer.compare(Buffer.from(marker), Buffer.from(prefix)) < 0) return { key: prefix, inclusive: true };
  if (delimiter !== '' && marker.startsWith(prefix)) {
    const at = marker.indexOf(delimiter, prefix.length);
    if (at >= 0 && at + delimiter.length === marker.length) {
      const next = after(marker);
      return next === undefined ? undefined : { key: next, inclusive: true };
    }
  }
  return { key: marker, inclusive: false };
}

export type VersionEntry = { name: string } & (
  | { prefix: string; key: string }
  | ({ prefix: null; version_id: string; latest: boolean; delete_marker: boolean } & Listed)
);

/** Versions and delete markers by key, the newest first; one more than `most`, if there is one. */
export async function listVersions(range: Range & { versionMarker: string }): Promise<VersionEntry[]> {
  const { bucketId, prefix, delimiter, most, versionMarker } = range;
  const end = after(prefix);
  const found: VersionEntry[] = [];
  let from = versionMarker === '' ? begin(range) : { key: range.marker, inclusive: true };
  let past = versionMarker;
  while (from !== undefined && found.length <= most) {
    const { key, inclusive } = from;
    const beyond: Sql =
      past === ''
        ? sql`v.key ${inclusive ? sql`>=` : sql`>`} ${key}::text COLLATE "C"`
        : sql`v.key >= ${key}::text COLLATE "C" AND (v.key > ${key}::text COLLATE "C" OR v.seq < (
            SELECT m.seq FROM object_versions m WHERE m.bucket_id = ${bucketId}::uuid AND m.key = ${key}::text AND m.version_id = ${past}::text))`;
    const rows: Exclude<VersionEntry, { prefix: string }>[] = await query(sql`
      SELECT v.key AS name, NULL AS prefix, v.key, v.version_id, v.latest, v.delete_marker, v.size_bytes::float8 AS size, v.etag, v.content_type, v.checksum,
        v.modified_at
      FROM object_versions v WHERE v.bucket_id = ${bucketId}::uuid AND ${beyond}${end === undefined ? sql`` : sql` AND v.key < ${end}::text`}
      ORDER BY v.key, v.seq DESC LIMIT ${most + 1}::int`);
    const [taken, resume] = fold(rows, prefix, delimiter);
    found.push(...taken);
    past = '';
    const isWhole = rows.length <= most;
    const last = rows.at(-1);
    if (resume !== undefined) from = { key: resume, inclusive: true };
    else if (isWhole || !last) from = undefined;
    else {
      from = { key: last.key, inclusive: true };
      past = last.version_id;
    }
  }
  return found.slice(0, most + 1);
}

/** Rows up to the first that is folded into a prefix, and where to go on after all that share the prefix. */
function fold(
  rows: readonly Exclude<VersionEntry, { prefix: string }>[],
  prefix: string,
  delimiter: string,
): [VersionEntry[], string | undefined] {
  if (delimiter === '') return [[...rows], undefined];
  const taken: VersionEntry[] = [];
  for (const row of rows) {
    const at = row.key.indexOf(delimiter, prefix.length);
    if (at >= 0) {
      const shared = row.key.slice(0, at + delimiter.length);
      taken.push({ name: shared, prefix: shared, key: row.key });
      return [taken, after(shared)];
    }
    taken.push(row);
  }
  return [taken, undefined];
}

/** Unfinished uploads in the order of key and id; one more than `most`, if there is one. */
export function listUploads(
  bucketId: string,
  { prefix, key, id, most }: { prefix: string; key: string; id: string; most: number },
): Promise<Upload[]> {
  const end = after(prefix);
  const beyond =
    key === ''
      ? sql`true`
      : id === ''
        ? sql`key > ${key}::text COLLATE "C"`
        : sql`(key, id) > (${key}::text COLLATE "C", ${id}::uuid)`;
  return query(sql`SELECT ${uploadColumns} FROM object_uploads WHERE bucket_id = ${bucketId}::uuid AND ${beyond}
    AND key >= ${prefix}::text COLLATE "C"${end === undefined ? sql`` : sql` AND key < ${end}::text`}
    ORDER BY key, id LIMIT ${most + 1}::int`);
}
