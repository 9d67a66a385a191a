import { query } from '@/lib/core/db/pool';
import { join, type Sql, sql } from '@/lib/core/db/sql';
import type { PeriodicJob } from '@/lib/core/operations/periodic';
import { log } from '@/lib/log';

/** An expected reservation of a device in a cell, and the ledger's amount; null: no such device, or no entry. */
export type Difference = {
  cell_id: string;
  device_id: string;
  kind: string;
  expected: number | null;
  reserved: number | null;
};

/**
 * The differences between the ledger of reservations and the resources.
 * @param holders the resources of each domain: `SELECT cell_id, device_id, kind, amount`
 */
export function reservationDifferences(holders: readonly Sql[]): Promise<Difference[]> {
  return query<Difference>(sql`
    SELECT cell_id, device_id, kind, e.amount AS expected, r.amount AS reserved
    FROM (SELECT * FROM (${join(holders, ' UNION ALL ')}) AS held WHERE amount <> 0) AS e
    FULL JOIN (SELECT cell_id, device_id, kind, amount FROM reservations WHERE amount <> 0) AS r USING (cell_id, device_id, kind)
    WHERE e.amount IS DISTINCT FROM r.amount ORDER BY cell_id, device_id, kind`);
}

/** Logs differences between reservations and resources whenever they change. */
export function compareReservations(holders: readonly Sql[]): PeriodicJob {
  let reported = '[]';
  return {
    name: 'compare reservations with what exists',
    every_ms: 60_000,
    async run() {
      const differences = await reservationDifferences(holders);
      const found = JSON.stringify(differences);
      if (found === reported) return;
      reported = found;
      if (differences.length === 0) log.info('reservations match what exists again');
      else
        log.error(
          { count: differences.length, differences: differences.slice(0, 20) },
          'reservations differ from what exists',
        );
    },
  };
}
