import { execute, query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import type { PeriodicJob } from '@/lib/core/operations/periodic';
import { log } from '@/lib/log';
import { settings } from '@/lib/settings';
import { attempts, OutsideRefusal } from '../../outside';
import { Chunk, DamagedChunk } from '../chunk';
import type { Labels } from '../labels';
import { nanoseconds } from '../times';
import { askLoki, lokiName } from './client';
import { beginPushing, endPushing } from './queue';

/** Text per request: Loki accepts 4 MB by default. */
const BATCH_BYTES = 1024 * 1024;
const MOST_CHUNKS = 64;
/** The timeout of Loki’s own clients. */
const REQUEST_MS = 10_000;
/** Statuses of invalid lines: another attempt would fail in the same way. */
const REFUSED = [400, 422];

/** Pushes stored lines to the Loki of `LOKI_URL`. Workers that push the same chunks do no harm: Loki drops exact duplicates. */
export const lokiJob: PeriodicJob = { name: 'push log lines to Loki', every_ms: 1000, run: pushLines };

const attempted = attempts('log lines could not be pushed to Loki');

/** Pushes all chunks that wait, oldest lines first. A chunk waits until Loki has confirmed it: a crash loses no line. */
export async function pushLines(signal: AbortSignal): Promise<void> {
  if (!settings().loki) return endPushing();
  await attempted(signal, async () => {
    await beginPushing(lokiName());
    for (let batch = await nextBatch(); batch.length > 0 && !signal.aborted; batch = await nextBatch()) {
      await push(batch, signal);
      await execute(sql`DELETE FROM log_pushes WHERE chunk_id = ANY (${batch.map(({ id }) => id)}::bigint[])`);
    }
  });
}

type Waiting = { id: string; labels: Labels; checksum: number; body: Buffer };

const nextBatch = () =>
  query<Waiting>(sql`
    SELECT c.id::text AS id, s.labels || jsonb_build_object('project', c.project_id) AS labels, c.checksum::float8 AS checksum, c.body
    FROM (
      SELECT p.chunk_id, p.first_us, sum(c.raw_bytes) OVER (ORDER BY p.first_us, p.chunk_id) - c.raw_bytes AS bytes_before
      FROM (SELECT chunk_id, first_us FROM log_pushes ORDER BY first_us, chunk_id LIMIT ${MOST_CHUNKS}::int) AS p
      JOIN log_chunks c ON c.id = p.chunk_id) AS first
    JOIN log_chunks c ON c.id = first.chunk_id
    JOIN log_streams s ON s.project_id = c.project_id AND s.id = c.stream_id
    WHERE first.bytes_before < ${BATCH_BYTES}::int ORDER BY first.first_us, first.chunk_id`);

async function push(batch: readonly Waiting[], signal: AbortSignal): Promise<void> {
  const streams = await Promise.all(batch.map(streamOf));
  const body = JSON.stringify({ streams: streams.filter(({ values }) => values.length > 0) });
  const options = {
    body,
    headers: { 'Content-Type': 'application/json' },
    signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]),
  };
  try {
    await askLoki('push', options);
  } catch (error) {
    if (!(error instanceof OutsideRefusal) || !REFUSED.includes(error.status)) throw error;
    log.warn(
      { err: error, chunks: batch.length },
      'Loki refused log lines; those that it refused are only in the own store',
    );
  }
}

/** The lines of a chunk; none of a damaged one. */
async function streamOf({ id, labels, ...packed }: Waiting): Promise<{ stream: Labels; values: [string, string][] }> {
  try {
    const chunk = await Chunk.unpack(packed);
    const values = Array.from({ length: chunk.length }, (_, index): [string, string] => {
      const { at_us, text } = chunk.lineAt(index);
      return [nanoseconds(at_us), text];
    });
    return { stream: labels, values };
  } catch (error) {
    if (!(error instanceof DamagedChunk)) throw error;
    log.error({ chunk: id, err: error }, 'a chunk of log lines is damaged and cannot be pushed to Loki');
    return { stream: labels, values: [] };
  }
}
