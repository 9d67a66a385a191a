import { Gauge } from 'prom-client';
import { queryRow } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { log } from '@/lib/log';
import { registry } from '@/lib/metrics';

const chunks = new Gauge({
  name: 'nephele_loki_waiting_chunks',
  help: 'Chunks of log lines that the Loki of LOKI_URL does not have yet.',
  registers: [registry],
});
const seconds = new Gauge({
  name: 'nephele_loki_behind_seconds',
  help: 'Age of the oldest log line that the Loki of LOKI_URL does not have yet; 0 if it has all.',
  registers: [registry],
});

/** Updates the gauges; without a database they keep the last values. */
export async function measurePushes(): Promise<void> {
  try {
    const { waiting, behind_s } = await queryRow<{ waiting: number; behind_s: number }>(sql`
      SELECT count(*)::float8 AS waiting,
        coalesce(greatest(0, extract(epoch FROM platform_now()) - min(first_us) / 1e6), 0)::float8 AS behind_s FROM log_pushes`);
    chunks.set(waiting);
    seconds.set(behind_s);
  } catch (error) {
    log.warn({ err: error }, 'the log lines that wait for Loki could not be counted');
  }
}
