import { join, raw, type Sql, sql } from '@/lib/core/db/sql';
import type { Parts } from './guarded';

/** What a cell has room for; `<kind>_usable` and `<kind>_reserved` of its row. */
export const roomKinds = ['vcpus', 'memory_mb', 'disk_gb', 'gpu_slices'] as const;
export type RoomKind = (typeof roomKinds)[number];

/**
 * Room that a device takes in a cell; an amount below zero gives room back. An amount in SQL may refer to `cell`, the
 * locked row of the cell, and in a `commit` to `target`.
 */
export type Need = {
  cell: string;
  /** The resource's id; its row in `devices` is written before, or together with this. */
  device: string;
  amounts: { readonly [Kind in RoomKind]?: number | Sql };
};

/**
 * The first parts of a guarded statement that takes room: locks the project's account, its router and the cells, in this
 * order and before everything that refers to `k`.
 */
export function lockParts(account: Sql, needs: readonly Need[]): Parts {
  const cells = [...new Set(needs.map(({ cell }) => cell))];
  return [
    ['account', account],
    [
      'locked_router',
      sql`SELECT r.project_id FROM account JOIN routers r ON r.project_id = account.project_id FOR UPDATE OF r`,
    ],
    [
      'locked_cells',
      sql`SELECT cell.* FROM (SELECT count(*) FROM locked_router) AS router_first CROSS JOIN cells cell
        WHERE cell.id = ANY (${cells}::text[]) ORDER BY cell.id FOR UPDATE OF cell`,
    ],
    ['k', sql`SELECT account.* FROM account CROSS JOIN (SELECT count(*) FROM locked_cells) AS cells_first`],
  ];
}

/** The parts of a guard that compute what is needed, per device and per cell. @param target whether the guard has one */
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

/** Whether a cell lacks room for what is needed, as a boolean in SQL; what gives room back always fits. */
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
 * The parts of a guarded statement that enter what is needed in the ledger of reservations and in the counters of the
 * cells. New counts come from the locked rows, as those of the account do.
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
