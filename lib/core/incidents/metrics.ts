import { Gauge } from 'prom-client';
import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { log } from '@/lib/log';
import { registry } from '@/lib/metrics';

const openIncidents = new Gauge({
  name: 'nephele_incidents_open',
  help: 'Incidents that are open: what an operator should look at.',
  registers: [registry],
});

/** Updates the gauge; without a database it keeps the last value. */
export async function measureIncidents(): Promise<void> {
  try {
    const found = await queryOne<{ n: number }>(sql`SELECT count(*)::int AS n FROM incidents WHERE closed_at IS NULL`);
    openIncidents.set(found?.n ?? 0);
  } catch (error) {
    log.warn({ err: error }, 'open incidents could not be counted');
  }
}
