import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { log } from '@/lib/log';
import { Chunk, DamagedChunk } from './chunk';
import type { Labels } from './labels';

/** A stream of a project, with all of its labels. */
export type LogStream = { id: string; labels: Labels };

/** From `from_us` on, before `to_us`. */
export type Span = { from_us: number; to_us: number };

export type Direction = 'forward' | 'backward';

/** What a query has read. */
export type ReadStats = { chunks: number; lines: number; bytes: number; damaged: number };

/** Chunks that are fetched together: their bodies are some 30 kB each. */
const AT_ONCE = 32;

/** The streams of a project; without `audit` for roles that may not read the audit log. */
export async function streamsOf(project_id: string, { audit }: { audit: boolean }): Promise<LogStream[]> {
  const rows = await query<LogStream>(sql`
    SELECT id::text AS id, labels || jsonb_build_object('project', project_id) AS labels FROM log_streams
    WHERE project_id = ${project_id}::uuid AND (${audit}::boolean OR labels ->> 'service' <> 'audit') ORDER BY id`);
  return rows;
}

/** Of these streams, those that have lines in a span. */
export async function streamsWithin(
  project_id: string,
  streams: readonly LogStream[],
  { from_us, to_us }: Span,
): Promise<LogStream[]> {
  const rows = await query<{ id: string }>(sql`
    SELECT wanted.id::text AS id FROM unnest(${streams.map(({ id }) => id)}::bigint[]) AS wanted (id)
    WHERE EXISTS (SELECT FROM log_chunks c WHERE c.project_id = ${project_id}::uuid AND c.stream_id = wanted.id
      AND c.last_us >= ${from_us}::bigint AND c.first_us < ${to_us}::bigint)`);
  const found = new Set(rows.map(({ id }) => id));
  return streams.filter(({ id }) => found.has(id));
}

export type ReadChunk = { stream: LogStream; chunk: Chunk; first_us: number; last_us: number };

type Place = { id: string; stream_id: string; first_us: number; last_us: number };

/**
 * The chunks of streams that may hold lines of a span, in batches: forward by their first line, backward by their last.
 * `bound_us` is the first, or last, time of whatever comes after the batch. Chunks that are merged meanwhile are found in
 * their new place.
 */
export async function* readChunks(
  project_id: string,
  streams: readonly LogStream[],
  span: Span,
  direction: Direction,
  stats: ReadStats,
): AsyncGenerator<{ chunks: ReadChunk[]; bound_us: number | undefined }> {
  const byId = new Map(streams.map((stream) => [stream.id, stream]));
  const places = await placesOf(project_id, [...byId.keys()], span, direction);
  for (let first = 0; first < places.length; first += AT_ONCE) {
    const batch = places.slice(first, first + AT_ONCE);
    const next = places[first + AT_ONCE];
    const bodies = await bodiesOf(project_id, batch);
    const unpacked = await Promise.all(
      batch.map(async (place): Promise<ReadChunk[]> => {
        const stream = byId.get(place.stream_id);
        const row = bodies.get(place.id);
        if (!stream) return [];
        if (!row) throw new ChunksMoved();
        const chunk = await unpackOrLeave(place.id, row, stats);
        if (!chunk) return [];
        stats.chunks += 1;
        stats.lines += chunk.length;
        stats.bytes += row.raw_bytes;
        return [{ stream, chunk, first_us: place.first_us, last_us: place.last_us }];
      }),
    );
    yield { chunks: unpacked.flat(), bound_us: direction === 'forward' ? next?.first_us : next?.last_us };
  }
}

/** Thrown where chunks were merged or removed while a query read them: the query begins anew. */
export class ChunksMoved extends Error {
  override name = 'ChunksMoved';
}

async function placesOf(project_id: string, ids: readonly string[], { from_us, to_us }: Span, direction: Direction) {
  const rows = await query<Place>(sql`
    SELECT id::text AS id, stream_id::text AS stream_id, first_us::float8 AS first_us, last_us::float8 AS last_us
    FROM log_chunks WHERE project_id = ${project_id}::uuid AND stream_id = ANY (${ids}::bigint[])
      AND last_us >= ${from_us}::bigint AND first_us < ${to_us}::bigint`);
  return direction === 'forward'
    ? rows.sort((one, other) => one.first_us - other.first_us)
    : rows.sort((one, other) => other.last_us - one.last_us);
}

type Body = { id: string; raw_bytes: number; checksum: number; body: Buffer };

async function bodiesOf(project_id: string, places: readonly Place[]): Promise<Map<string, Body>> {
  const rows = await query<Body>(sql`
    SELECT id::text AS id, raw_bytes, checksum::float8 AS checksum, body FROM log_chunks
    WHERE project_id = ${project_id}::uuid AND id = ANY (${places.map(({ id }) => id)}::bigint[])`);
  return new Map(rows.map((row) => [row.id, row]));
}

async function unpackOrLeave(id: string, row: Body, stats: ReadStats): Promise<Chunk | undefined> {
  try {
    return await Chunk.unpack(row);
  } catch (error) {
    if (!(error instanceof DamagedChunk)) throw error;
    stats.damaged += 1;
    log.error({ chunk: id, err: error }, 'a damaged chunk of log lines was left out of an answer');
    return undefined;
  }
}
