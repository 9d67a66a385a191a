import { join, raw, type Sql, sql } from '@/lib/core/db/sql';
import { joinRouter } from '@/lib/domains/network/fragments';
import type { Parts } from './guarded';

/** The kinds of capacity of a cell: columns `<kind>_usable` and `<kind>_reserved` of its row. */
export const roomKinds = ['vcpus', 'memory_mb', 'disk_gb', 'gpu_slices'] as const;
export type RoomKind = (typeof roomKinds)[number];

/**
 * A reservation of a device in a cell; a negative amount releases. An amount in SQL can refer to `cell`, the locked row
 * of the cell, and in a `commit` to `target`.
 */
export type Need = {
  cell: string;
  /** The resource's id; its row in `devices` is written earlier or in the same statement. */
  device: string;
  amounts: { readonly [Kind in RoomKind]?: number | Sql };
};

/**
 * The first parts of a guarded statement with reservations: locks the project's account, its router and the cells, in
 * this order and before anything that refers to `k`.
 */
export function lockParts(account: Sql, needs: readonly Need[]): Parts {
  const cells = [...new Set(needs.map(({ cell }) => cell))];
  return [
    ['account', account],
    ['locked_router', sql`SELECT r.project_id FROM account ${joinRouter('account')} FOR UPDATE OF r`],
    [
      'locked_cells',
      sql`SELECT cell.* FROM (SELECT count(*) FROM locked_router) AS router_first CROSS JOIN cells cell
        WHERE cell.id = ANY (${cells}::text[]) ORDER BY cell.id FOR UPDATE OF cell`,
    ],
    ['k', sql`SELECT account.* FROM account CROSS JOIN (SELECT count(*) FROM locked_cells) AS cells_first`],
  ];
}

/**
 * The parts of a guard that compute the demand per device and per cell. @param target whether the guard has a target
 */
export function demandParts(needs: readonly Need[], target: boolean): Parts {
  if (needs.length === 0) return [];
  const selects = needs.map(({ cell, device, amounts }) => {
    const kinds = roomKinds.flatMap((kind) => {
      const amount = amounts[kind];
      return amount === undefined ? [] : sql`(${raw(`'${kind}'`)}, (${amount})::int)`;
    });
    return sql`SELECT cell.id AS cell_id, ${device}::uuid AS device_id, part.kind, part.amount
      FROM locked_cells AS cell ${raw(target ? 'CROSS JOIN target' : '')}
      CROSS JOIN LATERAL (VALUES ${join(kinds, ', ')}) AS part (kind, amount) WHERE cell.id = ${cell}::text`;
  });
  const sums = roomKinds.map((kind) => raw(`coalesce(sum(amount) FILTER (WHERE kind = '${kind}'), 0)::int AS ${kind}`));
  return [
    ['needed', join(selects, ' UNION ALL ')],
    ['demand', sql`SELECT cell_id, ${join(sums, ', ')} FROM needed GROUP BY cell_id`],
  ];
}

/** An SQL boolean: whether a cell lacks room for the needs. Releases always fit. */
export function crowded(needs: readonly Need[]): Sql {
  if (needs.length === 0) return raw('false');
  const cells = [...new Set(needs.map(({ cell }) => cell))];
  const over = roomKinds.map((kind) =>
    raw(`(demand.${kind} > 0 AND cell.${kind}_reserved + demand.${kind} > cell.${kind}_usable)`),
  );
  return sql`EXISTS (SELECT FROM unnest(${cells}::text[]) AS wanted (id) LEFT JOIN locked_cells AS cell ON cell.id = wanted.id
    LEFT JOIN demand ON demand.cell_id = cell.id WHERE cell.id IS NULL OR ${join(over, ' OR ')})`;
}

/**
 * The parts of a guarded statement that enter the demand in the reservations ledger and the cell counters. New counts
 * derive from the locked rows, as with the account.
 */
export function reservationParts(needs: readonly Need[]): Parts {
  if (needs.length === 0) return [];
  const counts = roomKinds.map((kind) => raw(`${kind}_reserved = greatest(0, cell.${kind}_reserved + demand.${kind})`));
  return [
    [
      'reserved',
      sql`INSERT INTO reservations (project_id, cell_id, device_id, kind, amount)
        SELECT verdict.project_id, needed.cell_id, needed.device_id, needed.kind, sum(needed.amount)
        FROM verdict CROSS JOIN needed WHERE verdict.ok GROUP BY 1, 2, 3, 4 HAVING sum(needed.amount) <> 0
        ON CONFLICT (device_id, cell_id, kind) DO UPDATE SET amount = reservations.amount + excluded.amount`,
    ],
    [
      'occupied',
      sql`UPDATE cells SET ${join(counts, ', ')} FROM verdict, locked_cells AS cell JOIN demand ON demand.cell_id = cell.id
        WHERE verdict.ok AND cells.id = cell.id`,
    ],
  ];
}
