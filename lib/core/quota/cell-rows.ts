import { type Sql, sql } from '@/lib/core/db/sql';

/** The room of a cell that can be promised to projects. */
export type CellRoom = {
  vcpus: number;
  memory_mb: number;
  memory_mb_overhead: number;
  disk_gb: number;
  gpu_slices: number;
};

/** Records a cell's room and that it reported now. The first report creates the cell. */
export function cellReport(id: string, room: CellRoom): Sql {
  return sql`
    INSERT INTO cells (id, vcpus_usable, memory_mb_usable, memory_mb_overhead, disk_gb_usable, gpu_slices_usable, seen_at)
    VALUES (${id}::text, ${room.vcpus}::int, ${room.memory_mb}::int, ${room.memory_mb_overhead}::int,
      ${room.disk_gb}::int, ${room.gpu_slices}::int, platform_now())
    ON CONFLICT (id) DO UPDATE SET vcpus_usable = excluded.vcpus_usable, memory_mb_usable = excluded.memory_mb_usable,
      memory_mb_overhead = excluded.memory_mb_overhead, disk_gb_usable = excluded.disk_gb_usable,
      gpu_slices_usable = excluded.gpu_slices_usable, seen_at = excluded.seen_at`;
}
