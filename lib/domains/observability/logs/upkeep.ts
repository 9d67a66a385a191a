import { execute, query } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import type { PeriodicJob } from '@/lib/core/operations/periodic';
import { purge } from '@/lib/core/operations/purge';
import { log } from '@/lib/log';
import { settings } from '@/lib/settings';
import { CHUNK_BYTES, Chunk, DamagedChunk, type Line, packChunk } from './chunk';
import { forgetCursors } from './collect';
import { lokiJob } from './loki/push';
import { isWaiting } from './loki/queue';

/** Chunks of one size class that are merged together. Eight of a class make one of the next: each line is packed anew at most six times. */
const MERGED_AT_ONCE = 8;
/** The first class ends here. */
const SMALLEST_BYTES = 1024;
/** What stays small for a day is merged with whatever is beside it. */
const OLD_US = 24 * 60 * 60 * 1_000_000;
/** As in the condition of the index `log_chunks_small`. */
const SMALL = raw(String(CHUNK_BYTES / 2));
const STREAMS_AT_ONCE = 200;
const REMOVED_AT_ONCE = 1000;

/** Removes arrivals that all who follow logs have read (`MOST_SLEEP_MS` of arrivals.ts); then their chunks are merged. */
export const arrivalPurge = purge('log_arrivals', 10_000, "at < (SELECT platform_now()) - interval '2 minutes'");

/** Merging small chunks, removing old ones, and pushing new ones to an outside Loki. */
export const logJobs: readonly PeriodicJob[] = [
  arrivalPurge,
  forgetCursors,
  lokiJob,
  { name: 'merge log chunks', every_ms: 10_000, run: mergeChunks },
  { name: 'remove old log lines', every_ms: 10 * 60_000, run: removeOldLines },
];

type Group = { project_id: string; stream_id: string; ids: string[] };

/** Merges neighbours among small chunks until none are left to merge. */
export async function mergeChunks(signal: AbortSignal): Promise<void> {
  for (let groups = await groupsToMerge(); groups.length > 0 && !signal.aborted; groups = await groupsToMerge()) {
    let merged = 0;
    for (const group of groups) {
      if (signal.aborted) return;
      if (await merge(group)) merged += 1;
    }
    if (merged === 0) return;
  }
}

async function groupsToMerge(): Promise<Group[]> {
  return query<Group>(sql`
    SELECT project_id, stream_id::text AS stream_id,
      (array_agg(id::text ORDER BY first_us, id))[1:${MERGED_AT_ONCE}::int] AS ids
    FROM (SELECT id, project_id, stream_id, first_us,
        CASE WHEN last_us < extract(epoch FROM platform_now()) * 1000000 - ${OLD_US}::bigint THEN -1
          ELSE floor(log(8, greatest(raw_bytes, ${SMALLEST_BYTES}::int) / ${SMALLEST_BYTES}::numeric)) END AS class
      FROM log_chunks WHERE raw_bytes < ${SMALL} AND NOT EXISTS (SELECT FROM log_arrivals a WHERE a.chunk_id = log_chunks.id)) AS small
    GROUP BY project_id, stream_id, class
    HAVING count(*) >= CASE WHEN class < 0 THEN 2 ELSE ${MERGED_AT_ONCE}::int END
    LIMIT ${STREAMS_AT_ONCE}::int`);
}

type Row = { id: string; checksum: number; body: Buffer };

/** One statement replaces the rows if all are still there: a line is never missing and never there twice. */
async function merge({ project_id, stream_id, ids }: Group): Promise<boolean> {
  const rows = await query<Row>(sql`
    SELECT id::text AS id, checksum::float8 AS checksum, body FROM log_chunks
    WHERE project_id = ${project_id}::uuid AND id = ANY (${ids}::bigint[]) ORDER BY first_us, id`);
  if (rows.length !== ids.length) return false;
  const lines = await linesOf(rows);
  if (!lines) return false;
  const packed = await packChunk(lines);
  const touched = await execute(sql`
    WITH held AS (
      SELECT octet_length(body) AS bytes FROM log_chunks
      WHERE project_id = ${project_id}::uuid AND id = ANY (${ids}::bigint[]) FOR UPDATE),
    whole AS (SELECT sum(bytes) AS bytes FROM held HAVING count(*) = ${ids.length}::int),
    taken AS (
      DELETE FROM log_chunks WHERE project_id = ${project_id}::uuid AND id = ANY (${ids}::bigint[])
        AND EXISTS (SELECT FROM whole)),
    used AS (
      UPDATE log_usage SET stored_bytes = stored_bytes - whole.bytes + ${packed.body.length}::int FROM whole
      WHERE project_id = ${project_id}::uuid),
    merged AS (
      INSERT INTO log_chunks (project_id, stream_id, first_us, last_us, lines, raw_bytes, checksum, body, grams)
      SELECT ${project_id}::uuid, ${stream_id}::bigint, ${packed.first_us}::bigint, ${packed.last_us}::bigint, ${packed.lines}::int,
        ${packed.raw_bytes}::int, ${packed.checksum}::bigint, ${packed.body}::bytea, ${packed.grams}::bytea
      FROM whole RETURNING id, first_us),
    waiting AS (INSERT INTO log_pushes (chunk_id, first_us) SELECT id, first_us FROM merged WHERE ${isWaiting(ids)})
    SELECT FROM merged`);
  return touched > 0;
}

/** All lines of chunks, sorted by time; undefined where one is damaged, which is then left as it is. */
async function linesOf(rows: readonly Row[]): Promise<Line[] | undefined> {
  const lines: Line[] = [];
  for (const row of rows) {
    try {
      const chunk = await Chunk.unpack(row);
      for (let index = 0; index < chunk.length; index += 1) lines.push(chunk.lineAt(index));
    } catch (error) {
      if (!(error instanceof DamagedChunk)) throw error;
      log.error({ chunk: row.id, err: error }, 'a chunk of log lines is damaged and cannot be merged');
      return undefined;
    }
  }
  return lines.sort((one, other) => one.at_us - other.at_us);
}

/** Removes chunks whose newest line is older than LOG_RETENTION_DAYS, then streams without chunks. */
export async function removeOldLines(signal: AbortSignal): Promise<void> {
  const days = settings().logRetentionDays;
  for (let gone = REMOVED_AT_ONCE; gone === REMOVED_AT_ONCE && !signal.aborted; ) {
    const [row] = await query<{ gone: number }>(sql`
      WITH taken AS (
        DELETE FROM log_chunks WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM log_chunks
          WHERE last_us < (SELECT extract(epoch FROM platform_now() - ${days}::int * interval '1 day') * 1000000)::bigint
          LIMIT ${REMOVED_AT_ONCE}::int FOR UPDATE SKIP LOCKED))
        RETURNING project_id, octet_length(body) AS bytes),
      used AS (
        UPDATE log_usage u SET stored_bytes = u.stored_bytes - freed.bytes
        FROM (SELECT project_id, sum(bytes) AS bytes FROM taken GROUP BY project_id) AS freed
        WHERE u.project_id = freed.project_id)
      SELECT count(*)::int AS gone FROM taken`);
    gone = row?.gone ?? 0;
  }
  await execute(sql`
    DELETE FROM log_streams s WHERE created_at < platform_now() - ${days}::int * interval '1 day'
      AND NOT EXISTS (SELECT FROM log_chunks c WHERE c.project_id = s.project_id AND c.stream_id = s.id)`);
}
