import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { reportRanges } from '@/lib/hosts/engine-reports/cells';

/** The smallest flavor, and the image that every installation has. */
export const NANO = '01940000-0000-7000-8000-000000000064';
export const TINY_IMAGE = '01940000-0000-7000-8000-000000000101';

/** The source of an image uploaded by a tenant. */
export const UPLOADED = { kind: 'upload', cell_id: 'test-host' };

export type TestCell = {
  vcpus?: number;
  memory_mb?: number;
  disk_gb?: number;
  gpu_slices?: number;
  ranges?: { first: string; last: string }[];
};

/** A cell that reports itself able to run guests, as a worker would write it. */
export async function createCell(id = 'test-host', room: TestCell = {}): Promise<string> {
  await execute(sql`
    INSERT INTO cells (id, vcpus_usable, memory_mb_usable, memory_mb_overhead, disk_gb_usable, gpu_slices_usable,
      seen_at)
    VALUES (${id}::text, ${room.vcpus ?? 100_000}::int, ${room.memory_mb ?? 100_000_000}::int, 160, ${room.disk_gb ?? 100_000_000}::int,
      ${room.gpu_slices ?? 0}::int, platform_now())
    ON CONFLICT (id) DO UPDATE SET seen_at = platform_now(), vcpus_usable = excluded.vcpus_usable,
      memory_mb_usable = excluded.memory_mb_usable, disk_gb_usable = excluded.disk_gb_usable,
      gpu_slices_usable = excluded.gpu_slices_usable`);
  await reportRanges(id, room.ranges ?? [{ first: '198.18.0.1', last: '198.18.15.254' }]);
  return id;
}
