import type { Cluster, Member } from '../cluster/clusters';
import { MemberError } from '../cluster/member-error';
import { settleMember } from '../cluster/member-process';
import type { SingleEngine } from './engine';
import { ask } from './socket';

const ANSWER_MS = 2_000;

/**
 * Brings the tenant's secrets to the member, and asks whether they are the ones that it takes.
 * @throws MemberError until they are
 */
export async function settleSecrets(
  { memberSpec, secretsPath, secretsMark }: SingleEngine,
  cluster: Cluster,
  member: Member,
): Promise<void> {
  await settleMember(memberSpec, cluster, member);
  const known = await ask(cluster, member, secretsPath, ANSWER_MS);
  if (known.trim() !== secretsMark(cluster))
    throw new MemberError('starting', new Error('the member still takes the former secrets'));
}
