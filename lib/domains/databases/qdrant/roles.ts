import { log } from '@/lib/log';
import { type Cluster, isCurrent, type Member, membersBeside, primaryOf, servingMembers } from '../cluster/clusters';
import { MemberError } from '../cluster/member-error';
import { startMember } from '../cluster/member-process';
import type { MemberNote } from '../cluster/notes';
import { memberSpec } from './specs';
import { follow, lagBehind, lead, rolesOf, type Seen } from './state';

const ANSWER_MS = 1_500;

/**
 * Has the serving member take changes, and those of another version follow it: level-triggered, whatever a switch that was cut
 * short has left.
 */
export async function settleRoles(cluster: Cluster): Promise<MemberNote[]> {
  const serving = primaryOf(servingMembers(cluster));
  if (!serving) return [];
  const beside = membersBeside(cluster);
  const seen = await rolesOf(cluster, [serving, ...beside], ANSWER_MS);
  const misplaced = seen.filter((one) => isMisplaced(one, serving));
  if (misplaced.length > 0 && (await isCurrent(cluster))) {
    for (const { member } of misplaced) {
      await (member.id === serving.id ? lead(cluster, member) : follow(cluster, member, serving)).catch((error) => {
        if (!(error instanceof MemberError)) throw error;
        log.warn({ cluster: cluster.id, member: member.ordinal, err: error.cause }, 'a member did not take its role');
      });
      // Its start files may be left over from the same switch.
      startMember(memberSpec, cluster, member.id);
    }
  }
  const leading = seen.find(({ member }) => member.id === serving.id)?.role ?? 'refused';
  return seen.filter(({ member }) => member.id !== serving.id).map((one) => noteOf(one, serving, leading));
}

const isMisplaced = ({ member, role }: Seen, serving: Member): boolean =>
  typeof role !== 'string' && (member.id === serving.id ? !role.leads : role.follows !== serving.ip);

function noteOf({ member: { id }, role }: Seen, serving: Member, leading: Seen['role']): MemberNote {
  if (role === 'silent') return { id, status: 'failed', reason: 'It does not answer.', lag: null };
  if (typeof role === 'string') return { id, status: 'starting', reason: null, lag: null };
  const lag = lagBehind(role, serving, leading);
  return { id, status: lag === null ? 'catching_up' : 'running', reason: role.following.trouble, lag: null };
}
