import type { ServiceSpec } from '@/lib/hosts/services/engine';
import type { CheckedBackup } from '../backups/engine';
import type { Cluster, Member } from '../cluster/clusters';
import type { MemberNote } from '../cluster/notes';

/** What engines of one member differ in. The member answers at a Unix socket, `/readyz` too, and gives its data in frames. */
export type SingleEngine = {
  /** As people call it. */
  title: string;
  memberSpec(cluster: Cluster, member: Member): Promise<ServiceSpec>;
  /** The service that restores a backup as a check. */
  checkSpec(backup: CheckedBackup): ServiceSpec;
  /** Where a member says which secrets it takes now, */
  secretsPath: string;
  /** and what it says there when they are the cluster's own. */
  secretsMark(cluster: Cluster): string;
  /** Of the disk, what a member's writes leave free. */
  keptFreeMb(cluster: Pick<Cluster, 'storage_gb'>): number;
  /** What helps a cluster whose disk is nearly full beside a larger one; null: nothing else. */
  alsoHelps: string | null;
  /**
   * Has the serving member take writes, and those of a version that does not serve follow it. Null where no member follows.
   * @returns how the others are
   */
  settleRoles: ((cluster: Cluster) => Promise<MemberNote[]>) | null;
};
