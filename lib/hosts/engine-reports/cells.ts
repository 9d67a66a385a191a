import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { type CellRoom, cellReport } from '@/lib/core/quota/cell-rows';

/** The total capacity of a cell, and the address ranges of its floating IPs. */
export type CellReport = CellRoom & { ranges: readonly { first: string; last: string }[] };

/** Records the capacity of a cell, and recounts its reservations. The first report creates the cell. */
export async function reportCell(id: string, report: CellReport): Promise<void> {
  await execute(cellReport(id, report));
  await reportRanges(id, report.ranges);
  await execute(sql`SELECT recount_cell(${id}::text)`);
}

/** Replaces the ranges of a cell; unchanged ones are not written. */
export async function reportRanges(cellId: string, ranges: CellReport['ranges']): Promise<void> {
  await execute(sql`
    WITH reported AS (
      SELECT * FROM unnest(${ranges.map(({ first }) => first)}::inet[], ${ranges.map(({ last }) => last)}::inet[]) AS r (first, last)
    ), gone AS (
      DELETE FROM floating_ip_ranges WHERE cell_id = ${cellId}::text AND first NOT IN (SELECT first FROM reported)
    )
    INSERT INTO floating_ip_ranges (cell_id, first, last) SELECT ${cellId}::text, first, last FROM reported
    ON CONFLICT (cell_id, first) DO UPDATE SET last = excluded.last WHERE floating_ip_ranges.last <> excluded.last`);
}
