import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';

/** What a cell can bear, all of it, and the range that its floating IPs come from. */
export type CellReport = {
  vcpus: number;
  memory_mb: number;
  memory_mb_overhead: number;
  disk_gb: number;
  gpu_slices: number;
  pool: { first: string; last: string };
};

/** Writes down what a cell can bear now, and counts anew what it has promised. A new cell begins with its first report. */
export async function reportCell(id: string, report: CellReport): Promise<void> {
  const { pool } = report;
  await execute(sql`
    INSERT INTO cells (id, vcpus_usable, memory_mb_usable, memory_mb_overhead, disk_gb_usable, gpu_slices_usable,
      floating_ip_first, floating_ip_last, seen_at)
    VALUES (${id}::text, ${report.vcpus}::int, ${report.memory_mb}::int, ${report.memory_mb_overhead}::int,
      ${report.disk_gb}::int, ${report.gpu_slices}::int, ${pool.first}::inet, ${pool.last}::inet, platform_now())
    ON CONFLICT (id) DO UPDATE SET vcpus_usable = excluded.vcpus_usable, memory_mb_usable = excluded.memory_mb_usable,
      memory_mb_overhead = excluded.memory_mb_overhead, disk_gb_usable = excluded.disk_gb_usable,
      gpu_slices_usable = excluded.gpu_slices_usable, floating_ip_first = excluded.floating_ip_first,
      floating_ip_last = excluded.floating_ip_last, seen_at = excluded.seen_at`);
  await execute(sql`SELECT recount_cell(${id}::text)`);
}
