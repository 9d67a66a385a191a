import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import type { Chunk } from './chunk';
import { attempt, type Reader } from './query';
import { readChunks, streamsOf } from './read';

const ERROR_LEVELS: ReadonlySet<string | undefined> = new Set(['error', 'critical', 'fatal']);

/** How many lines a project has since a time, and how many of them are errors. Only chunks that begin earlier are read. */
export async function countLines(
  reader: Reader,
  since: Date,
  signal: AbortSignal,
): Promise<{ lines: number; errors: number }> {
  const from_us = since.getTime() * 1000;
  const { result } = await attempt(reader, signal, async (run) => {
    const streams = await streamsOf(reader.project_id, reader);
    const counts = new Map<string, number>();
    const add = (id: string, lines: number) => counts.set(id, (counts.get(id) ?? 0) + lines);
    const earlier = { from_us, to_us: from_us };
    for await (const { chunks } of readChunks(reader.project_id, streams, earlier, 'forward', run.stats)) {
      for (const { stream, chunk } of chunks) {
        add(stream.id, linesFrom(chunk, from_us));
        await run.turn(chunk.length);
      }
    }
    const later = await query<{ stream_id: string; lines: number }>(sql`
      SELECT stream_id::text AS stream_id, sum(lines)::float8 AS lines FROM log_chunks
      WHERE project_id = ${reader.project_id}::uuid AND stream_id = ANY (${streams.map(({ id }) => id)}::bigint[])
        AND last_us >= ${from_us}::bigint AND first_us >= ${from_us}::bigint GROUP BY 1`);
    for (const { stream_id, lines } of later) add(stream_id, lines);
    const sum = (ids: readonly string[]) => ids.reduce((total, id) => total + (counts.get(id) ?? 0), 0);
    return {
      lines: sum(streams.map(({ id }) => id)),
      errors: sum(streams.flatMap(({ id, labels }) => (ERROR_LEVELS.has(labels.level) ? [id] : []))),
    };
  });
  return result;
}

/** Lines are sorted by time. */
function linesFrom(chunk: Chunk, from_us: number): number {
  let line = 0;
  while (line < chunk.length && chunk.timeOf(line) < from_us) line += 1;
  return chunk.length - line;
}
