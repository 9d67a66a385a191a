import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { none } from '@/lib/core/domains/portal';
import { stopStages, type Watch } from '@/lib/core/domains/watch';

/**
 * Takes down what the domains have running in a cell, because the platform stops; with the next start it comes back.
 * A stage begins when the one before it has ended.
 * @returns false where nothing was touched: a cell that the database has never heard of has another database's machines
 */
export async function powerDown(cell: string, watches: readonly Pick<Watch, 'stop'>[]): Promise<boolean> {
  if (!(await queryOne(sql`SELECT FROM cells WHERE id = ${cell}::text`))) return false;
  const stops = watches.flatMap(({ stop }) => (stop === none ? [] : [stop]));
  for (const stage of stopStages) {
    await Promise.all(stops.filter((stop) => stop.stage === stage).map(({ grace_s, run }) => run(grace_s)));
  }
  return true;
}
