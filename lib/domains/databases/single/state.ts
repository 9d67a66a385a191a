import { type Cluster, type Member, primaryOf, servingMembers } from '../cluster/clusters';
import { type Failure, MemberError } from '../cluster/member-error';
import { ask } from './socket';

const PATIENT_MS = 5_000;

/** How a member fails to serve; null when it serves. One that does not answer within `timeoutMs` is silent. */
export async function failureOf(cluster: Cluster, member: Member, timeoutMs: number): Promise<Failure | null> {
  try {
    await ask(cluster, member, '/readyz', timeoutMs);
    return null;
  } catch (error) {
    if (error instanceof MemberError) return error.failure;
    throw error;
  }
}

/** What is waited for until the member serves. */
export async function inStep(cluster: Cluster): Promise<string | null> {
  const member = primaryOf(servingMembers(cluster));
  if (!member) return 'the member to serve';
  return (await failureOf(cluster, member, PATIENT_MS)) === null ? null : 'the member to serve';
}
