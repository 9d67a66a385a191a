import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import type { Chunk } from './chunk';
import { attempt, type Reader } from './query';
import { readChunks, type Span, streamsOf } from './read';

const ERROR_LEVELS: ReadonlySet<string | undefined> = new Set(['error', 'critical', 'fatal']);

/** How many lines a project has in a time, and how many of them are errors. Only chunks across its start or end are read. */
export async function countLines(
  reader: Reader,
  time: { from: Date; to: Date },
  signal: AbortSignal,
): Promise<{ lines: number; errors: number }> {
  const [from_us, to_us] = [time.from.getTime() * 1000, time.to.getTime() * 1000 + 1000];
  const { result } = await attempt(reader, signal, async (run) => {
    const streams = await streamsOf(reader.project_id, reader);
    const counts = new Map<string, number>();
    const add = (id: string, lines: number) => counts.set(id, (counts.get(id) ?? 0) + lines);
    for (const at of [from_us, to_us]) {
      const across = { from_us: at, to_us: at };
      for await (const { chunks } of readChunks(reader.project_id, streams, across, 'forward', run.stats)) {
        for (const { stream, chunk } of chunks) {
          // The first round had those across both.
          const isCounted = at === to_us && chunk.timeOf(0) < from_us;
          if (!isCounted) add(stream.id, linesWithin(chunk, { from_us, to_us }));
          await run.turn(chunk.length);
        }
      }
    }
    const inside = await query<{ stream_id: string; lines: number }>(sql`
      SELECT stream_id::text AS stream_id, sum(lines)::float8 AS lines FROM log_chunks
      WHERE project_id = ${reader.project_id}::uuid AND stream_id = ANY (${streams.map(({ id }) => id)}::bigint[])
        AND last_us >= ${from_us}::bigint AND first_us >= ${from_us}::bigint AND last_us < ${to_us}::bigint GROUP BY 1`);
    for (const { stream_id, lines } of inside) add(stream_id, lines);
    const sum = (ids: readonly string[]) => ids.reduce((total, id) => total + (counts.get(id) ?? 0), 0);
    return {
      lines: sum(streams.map(({ id }) => id)),
      errors: sum(streams.flatMap(({ id, labels }) => (ERROR_LEVELS.has(labels.level) ? [id] : []))),
    };
  });
  return result;
}

function linesWithin(chunk: Chunk, { from_us, to_us }: Span): number {
  let lines = 0;
  for (let line = 0; line < chunk.length; line += 1) {
    if (chunk.timeOf(line) >= from_us && chunk.timeOf(line) < to_us) lines += 1;
  }
  return lines;
}
