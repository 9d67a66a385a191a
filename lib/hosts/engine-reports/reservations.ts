import { query } from '@/lib/core/db/pool';
import { join, type Sql, sql } from '@/lib/core/db/sql';

/** The rows that hold room in a cell: `SELECT device_id, kind, amount`, one row for each kind. */
export type RoomHolders = (cellId: string) => Sql;

/** Room that a device should hold in its cell, and what the ledger says; null: no such device, or no entry. */
export type Difference = {
  device_id: string;
  kind: string;
  expected: number | null;
  reserved: number | null;
};

/** Where the ledger of a cell's reservations and what exists there differ. */
export function reservationDifferences(cellId: string, holders: readonly RoomHolders[]): Promise<Difference[]> {
  const existing = join(
    holders.map((rows) => rows(cellId)),
    ' UNION ALL ',
  );
  return query<Difference>(sql`
    SELECT coalesce(e.device_id, r.device_id) AS device_id, coalesce(e.kind, r.kind) AS kind, e.amount AS expected, r.amount AS reserved
    FROM (SELECT * FROM (${existing}) AS held WHERE amount <> 0) AS e
    FULL JOIN (SELECT * FROM reservations WHERE cell_id = ${cellId}::text AND amount <> 0) AS r
      ON r.device_id = e.device_id AND r.kind = e.kind
    WHERE e.amount IS DISTINCT FROM r.amount ORDER BY 1, 2`);
}
