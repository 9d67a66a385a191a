import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { engineOf } from '@/lib/engines/engines';
import type { Cluster, Member } from './clusters';
import { nearly } from './notes';

const DISK_MS = 3_000;
/** Share of the disk that is free: below it, the cluster takes no writes. */
const FULL = 0.04;
/** Writes resume at twice that share, but never need more than this beyond it: a share of a large disk is many gigabytes. */
const ROOMY_GB = 0.5;
const GB = 1024 ** 3;
/** Of a disk, what its file system leaves for data. */
const USABLE = 0.95;

/**
 * Free share of a disk with which a cluster takes writes again.
 * @param full share with which it takes none @param times how much more of that
 */
export const roomyShare = (full: number, sizeGb: number, times = 2): number =>
  full + Math.min(full * (times - 1), ROOMY_GB / sizeGb);

/**
 * What helps a cluster whose disk is full: the smallest storage with which it takes writes again.
 * @param roomy free share with which it does, by the storage in GB
 */
export function enlargedTo(
  { storage_gb, used_bytes }: Pick<Cluster, 'storage_gb' | 'used_bytes'>,
  roomy: (storageGb: number) => number = (gb) => roomyShare(FULL, gb),
): string {
  let gb = storage_gb + 1;
  while (used_bytes !== null && used_bytes > (1 - roomy(gb)) * gb * USABLE * GB) gb += 1;
  return `its storage is enlarged to ${gb} GB or more`;
}

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
  const isFull = free < (cluster.read_only ? roomyShare(full, totalBytes / GB) : full);
  const isNews = isFull !== cluster.read_only;
  if (isNews) await setReadOnly(isFull);
  if (isNews || !nearly(cluster.used_bytes, usedBytes))
    await execute(
      sql`UPDATE database_clusters SET used_bytes = ${usedBytes}::bigint, read_only = ${isFull}::boolean WHERE id = ${cluster.id}::uuid`,
    );
}
