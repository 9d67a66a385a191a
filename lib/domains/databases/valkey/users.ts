import { engineOf } from '@/lib/engines/engines';
import type { Cluster } from '../cluster/clusters';
import { MemberError } from '../cluster/member-error';
import { openSecrets } from '../secrets';
import { ask } from './connections';
import { memberSpec } from './specs';

/**
 * Brings the tenant's password to every member that answers, of both versions while there is a way back, and into the files
 * that the others begin with.
 * The running server is told the password itself: a look that read the cluster before may still write the former file.
 */
export async function settleUsers(cluster: Cluster, primary: { id: string }): Promise<void> {
  const { verifier } = openSecrets(cluster.id, cluster.sealed_secrets);
  for (const member of cluster.members) {
    if (member.leaving) continue;
    // While a cluster is created, the standbys do not run yet.
    if (cluster.launched_at === null && member.id !== primary.id) continue;
    const answer = await engineOf(cluster.cell_id).services.ensureService(await memberSpec(cluster, member));
    if (!answer.settled && member.id === primary.id) throw new MemberError('starting', undefined);
    try {
      await ask(cluster, member, ['ACL', 'SETUSER', cluster.username, 'resetpass', `#${verifier}`], 2_000);
    } catch (error) {
      if (member.id === primary.id || !(error instanceof MemberError)) throw error;
    }
  }
}
