import type { Cluster, Member } from '../cluster/clusters';
import { type Failure, MemberError } from '../cluster/member-error';
import { ask } from './connections';

/** A member as it answered just now; an offset counts bytes of replicated commands. */
export type MemberState =
  | { isUp: false; failure: Failure }
  | { isUp: true; isPrimary: true; offset: number }
  | { isUp: true; isPrimary: false; offset: number; follows: string; isLinked: boolean };

export type Seen = { member: Member; state: MemberState };

/** Asks a member what it is. A member that does not answer within `timeoutMs` is silent. */
export async function stateOf(cluster: Cluster, member: Member, timeoutMs = 700): Promise<MemberState> {
  try {
    const info = fieldsOf(String(await ask(cluster, member, ['INFO', 'replication'], timeoutMs)));
    if (info.get('role') === 'master')
      return { isUp: true, isPrimary: true, offset: Number(info.get('master_repl_offset')) };
    return {
      isUp: true,
      isPrimary: false,
      offset: Number(info.get('slave_repl_offset')),
      follows: info.get('master_host') ?? '',
      isLinked: info.get('master_link_status') === 'up',
    };
  } catch (error) {
    if (error instanceof MemberError) return { isUp: false, failure: error.failure };
    throw error;
  }
}

const fieldsOf = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split('\r\n').map((line): [string, string] => {
      const at = line.indexOf(':');
      return [line.slice(0, at), line.slice(at + 1)];
    }),
  );

export const statesOf = (cluster: Cluster, members: readonly Member[], timeoutMs?: number): Promise<Seen[]> =>
  Promise.all(members.map(async (member) => ({ member, state: await stateOf(cluster, member, timeoutMs) })));

/** The standby to promote: of those that followed the primary, the one that has received most. */
export function bestStandby(seen: readonly Seen[]): { member: Member; offset: number } | undefined {
  const ready = seen.flatMap(({ member, state }) =>
    member.role === 'standby' && member.in_sync && state.isUp && !state.isPrimary
      ? [{ member, offset: state.offset }]
      : [],
  );
  return ready.toSorted((one, other) => other.offset - one.offset)[0];
}
