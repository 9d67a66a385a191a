import { engineOf } from '@/lib/engines/engines';
import type { Cluster, Member } from '../cluster/clusters';
import { MemberError } from '../cluster/member-error';
import { openSecrets } from '../secrets';
import { ask } from './socket';
import { memberSpec } from './specs';

const ANSWER_MS = 2_000;

/**
 * Brings the tenant's API key to the member, and asks whether it is the one that is taken.
 * @throws MemberError until it is
 */
export async function settleKey(cluster: Cluster, member: Member): Promise<void> {
  const answer = await engineOf(cluster.cell_id).services.ensureService(await memberSpec(cluster, member));
  if (!answer.settled) throw new MemberError('starting', undefined);
  const known = await ask(cluster, member, '/platform/keys', ANSWER_MS);
  const { verifier } = openSecrets(cluster.id, cluster.sealed_secrets);
  if (known.trim() !== verifier) throw new MemberError('starting', new Error('the member still takes another key'));
}
