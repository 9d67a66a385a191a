import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { engineOf } from '@/lib/engines/engines';
import type { Cluster, Member } from './clusters';
import { nearly } from './notes';

const DISK_MS = 3_000;
/** Share of the disk that is free: below it, the cluster takes no writes; with twice as much, it does again. */
const FULL = 0.04;

export type DiskMemory = { diskAt: number };
export const newDiskMemory = (): DiskMemory => ({ diskAt: Number.NEGATIVE_INFINITY });

/**
 * Keeps a cluster from filling its disk to the last block, which no engine survives.
 * @param primary that serves
 * @param setReadOnly tells the engine to refuse writes, or to take them again
 * @param full share of the disk that is left when it counts as full
 */
export async function watchDisk(
  cluster: Cluster,
  primary: Member,
  memory: DiskMemory,
  setReadOnly: (isFull: boolean) => Promise<void>,
  full = FULL,
): Promise<void> {
  if (performance.now() - memory.diskAt < DISK_MS) return;
  memory.diskAt = performance.now();
  const sample = await engineOf(cluster.cell_id).services.sampleService(primary.id);
  if (!sample?.state) return;
  const { usedBytes, totalBytes } = sample.state;
  const free = 1 - usedBytes / totalBytes;
  const isFull = free < (cluster.read_only ? 2 * full : full);
  const isNews = isFull !== cluster.read_only;
  if (isNews) await setReadOnly(isFull);
  if (isNews || !nearly(cluster.used_bytes, usedBytes))
    await execute(
      sql`UPDATE database_clusters SET used_bytes = ${usedBytes}::bigint, read_only = ${isFull}::boolean WHERE id = ${cluster.id}::uuid`,
    );
}
