import { engineOf } from '@/lib/engines/engines';
import { type Cluster, servingMembers } from '../cluster/clusters';
import { MemberError } from '../cluster/member-error';
import { ask } from './connections';
import { memberSpec } from './specs';

/** Brings accounts to every member that answers: the others begin with them. The primary must have them. */
export async function settleUsers(cluster: Cluster, primary: { id: string }): Promise<void> {
  for (const member of servingMembers(cluster)) {
    // While a cluster is created, the standbys do not run yet.
    if (cluster.launched_at === null && member.id !== primary.id) continue;
    await engineOf(cluster.cell_id).services.ensureService(await memberSpec(cluster, member));
    try {
      await ask(cluster, member, ['ACL', 'LOAD'], 2_000);
    } catch (error) {
      if (member.id === primary.id || !(error instanceof MemberError)) throw error;
    }
  }
}
