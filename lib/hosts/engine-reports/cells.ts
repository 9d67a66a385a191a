import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';

/** The total capacity of a cell, and the address ranges of its floating IPs. */
export type CellReport = {
  vcpus: number;
  memory_mb: number;
  memory_mb_overhead: number;
  disk_gb: number;
  gpu_slices: number;
  ranges: readonly { first: string; last: string }[];
};

/** Records the capacity of a cell, and recounts its reservations. The first report creates the cell. */
export async function reportCell(id: string, report: CellReport): Promise<void> {
  await execute(sql`
    INSERT INTO cells (id, vcpus_usable, memory_mb_usable, memory_mb_overhead, disk_gb_usable, gpu_slices_usable, seen_at)
    VALUES (${id}::text, ${report.vcpus}::int, ${report.memory_mb}::int, ${report.memory_mb_overhead}::int,
      ${report.disk_gb}::int, ${report.gpu_slices}::int, platform_now())
    ON CONFLICT (id) DO UPDATE SET vcpus_usable = excluded.vcpus_usable, memory_mb_usable = excluded.memory_mb_usable,
      memory_mb_overhead = excluded.memory_mb_overhead, disk_gb_usable = excluded.disk_gb_usable,
      gpu_slices_usable = excluded.gpu_slices_usable, seen_at = excluded.seen_at`);
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
