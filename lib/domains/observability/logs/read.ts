import { queryWithin } from '@/lib/core/db/pool';
import { isAfter, type Position } from '@/lib/core/db/position';
import { sql } from '@/lib/core/db/sql';
import { log } from '@/lib/log';
import { Chunk, DamagedChunk } from './chunk';
import { type Gram, mayHave } from './gram-filter';
import type { Labels } from './labels';

/** A stream of a project, with all of its labels. */
export type LogStream = { id: string; labels: Labels };

/**
 * From `from_us` on, before `to_us`; as of a position: without chunks that arrived after it; with grams: without chunks
 * that lack one of them.
 */
export type Span = { from_us: number; to_us: number; as_of?: Position; grams?: readonly Gram[] };

/** The latest time that the store can hold, in microseconds since 1970. */
export const LATEST_US = 8e15;

export type Direction = 'forward' | 'backward';

/** What a query has read. */
export type ReadStats = { chunks: number; lines: number; bytes: number; damaged: number };

/** How long a query may take, and each of its statements (design: services, section 10). */
export const MOST_MS = 30_000;

/** Chunks that are fetched together: their bodies are some 30 kB each. */
const AT_ONCE = 32;

/** The streams of a project; without `audit` for roles that may not read the audit log. */
export async function streamsOf(project_id: string, { audit }: { audit: boolean }): Promise<LogStream[]> {
  const rows = await queryWithin<LogStream>(
    MOST_MS,
    sql`
    SELECT id::text AS id, labels || jsonb_build_object('project', project_id) AS labels FROM log_streams
    WHERE project_id = ${project_id}::uuid AND (${audit}::boolean OR labels ->> 'service' <> 'audit') ORDER BY id`,
  );
  return rows;
}

/** Of these streams, those that have lines in a span. */
export async function streamsWithin(
  project_id: string,
  streams: readonly LogStream[],
  { from_us, to_us }: Span,
): Promise<LogStream[]> {
  const rows = await queryWithin<{ id: string }>(
    MOST_MS,
    sql`
    SELECT wanted.id::text AS id FROM unnest(${streams.map(({ id }) => id)}::bigint[]) AS wanted (id)
    WHERE EXISTS (SELECT FROM log_chunks c WHERE c.project_id = ${project_id}::uuid AND c.stream_id = wanted.id
      AND c.last_us >= ${from_us}::bigint AND c.first_us < ${to_us}::bigint)`,
  );
  const found = new Set(rows.map(({ id }) => id));
  return streams.filter(({ id }) => found.has(id));
}

type ReadChunk = { stream: LogStream; chunk: Chunk };

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
    const chunks = await chunksAt(project_id, batch, byId, stats);
    yield { chunks, bound_us: direction === 'forward' ? next?.first_us : next?.last_us };
  }
}

/**
 * The chunks at some places, without damaged ones.
 * @throws ChunksMoved
 */
export async function chunksAt(
  project_id: string,
  places: readonly Pick<Place, 'id' | 'stream_id'>[],
  streams: ReadonlyMap<string, LogStream>,
  stats: ReadStats,
): Promise<ReadChunk[]> {
  const bodies = await bodiesOf(project_id, places);
  const unpacked = await Promise.all(
    places.map(async ({ id, stream_id }): Promise<ReadChunk[]> => {
      const stream = streams.get(stream_id);
      const row = bodies.get(id);
      if (!stream) return [];
      if (!row) throw new ChunksMoved();
      const chunk = await unpackOrLeave(id, row, stats);
      if (!chunk) return [];
      stats.chunks += 1;
      stats.lines += chunk.length;
      stats.bytes += row.raw_bytes;
      return [{ stream, chunk }];
    }),
  );
  return unpacked.flat();
}

/** Thrown where chunks were merged or removed while a query read them: the query begins anew. */
export class ChunksMoved extends Error {
  override name = 'ChunksMoved';
}

async function placesOf(
  project_id: string,
  ids: readonly string[],
  { from_us, to_us, as_of, grams = [] }: Span,
  direction: Direction,
) {
  const arrivedLater = as_of
    ? sql`EXISTS (SELECT FROM log_arrivals a WHERE a.chunk_id = log_chunks.id AND ${isAfter(as_of)})`
    : sql`false`;
  const rows = await queryWithin<Place>(
    MOST_MS,
    sql`
    SELECT id::text AS id, stream_id::text AS stream_id, first_us::float8 AS first_us, last_us::float8 AS last_us
    FROM log_chunks WHERE project_id = ${project_id}::uuid AND stream_id = ANY (${ids}::bigint[])
      AND last_us >= ${from_us}::bigint AND first_us < ${to_us}::bigint AND NOT ${arrivedLater} AND ${mayHave(grams)}`,
  );
  return direction === 'forward'
    ? rows.sort((one, other) => one.first_us - other.first_us)
    : rows.sort((one, other) => other.last_us - one.last_us);
}

type Body = { id: string; raw_bytes: number; checksum: number; body: Buffer };

async function bodiesOf(project_id: string, places: readonly Pick<Place, 'id'>[]): Promise<Map<string, Body>> {
  const rows = await queryWithin<Body>(
    MOST_MS,
    sql`
    SELECT id::text AS id, raw_bytes, checksum::float8 AS checksum, body FROM log_chunks
    WHERE project_id = ${project_id}::uuid AND id = ANY (${places.map(({ id }) => id)}::bigint[])`,
  );
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
