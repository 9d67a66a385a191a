import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { none } from '@/lib/core/domains/portal';
import { stopStages, type Watch } from '@/lib/core/domains/watch';

/**
 * Stops everything that the domains run in a cell when the platform stops; the next start brings it back. Each stage
 * begins when the previous one has ended.
 * @returns false if nothing was touched, because the database does not know the cell: its machines belong to another
 * database
 */
export async function powerDown(cell: string, watches: readonly Pick<Watch, 'stop'>[]): Promise<boolean> {
  if (!(await queryOne(sql`SELECT FROM cells WHERE id = ${cell}::text`))) return false;
  const stops = watches.flatMap(({ stop }) => (stop === none ? [] : [stop]));
  for (const stage of stopStages) {
    await Promise.all(stops.filter((stop) => stop.stage === stage).map(({ grace_s, run }) => run(grace_s)));
  }
  return true;
}
