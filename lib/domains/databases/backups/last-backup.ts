import type { Cluster, Member } from '../cluster/clusters';
import { driverOf } from '../cluster/drivers';
import { backupOfDelete, takeBackup } from './take';

/**
 * The backup that a deleted cluster leaves: once, also when the step is repeated.
 * @returns what to log; null where the engine has no backups @throws Error when its data could not be read
 */
export async function keepLastBackup(cluster: Cluster, primary: Member): Promise<string | null> {
  const { backups } = driverOf(cluster);
  if (!backups) return null;
  const last = await backupOfDelete(cluster.id);
  if (last.isThere) return 'A last backup is kept.';
  if (!(await backups.isServing(cluster, primary))) return 'There is no last backup: the primary does not answer.';
  const bytes = await takeBackup(cluster, primary, 'final', last.id);
  await backups.afterwards(cluster).catch(() => {});
  return `A last backup of ${bytes} bytes is kept.`;
}
