import { archiveCluster } from '../backups/archives';
import { backupOfDelete, takeBackup } from '../backups/take';
import type { Cluster, Member } from '../cluster/clusters';
import { stateOf } from './state';

/** A deletion waits for a primary that is only slow. */
const PATIENT_MS = 5_000;

/**
 * The backup that a deleted cluster leaves, with its log: once, also when the step is repeated.
 * @returns what to log @throws Error when its data could not be read
 */
export async function lastBackup(cluster: Cluster, primary: Member): Promise<string> {
  const last = await backupOfDelete(cluster.id);
  if (last.isThere) return 'A last backup is kept.';
  const state = await stateOf(cluster, primary, PATIENT_MS);
  if (!state.isUp || !state.isPrimary) return 'There is no last backup: the primary does not answer.';
  const bytes = await takeBackup(cluster, primary, 'final', last.id);
  await archiveCluster(cluster, true).catch(() => {});
  return `A last backup of ${bytes} bytes is kept.`;
}
