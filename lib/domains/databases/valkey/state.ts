import type { Cluster, Member } from '../cluster/clusters';
import { type Failure, MemberError } from '../cluster/member-error';
import { ask } from './connections';

type Up = {
  isUp: true;
  /** Bytes of replicated commands. */
  offset: number;
  /** Whether it was told to take no writes (`refuseWrites`). */
  refusesWrites: boolean;
};

/** A member as it answered just now. */
export type MemberState =
  | { isUp: false; failure: Failure }
  | (Up & { isPrimary: true })
  | (Up & { isPrimary: false; follows: string; isLinked: boolean });

export type Seen = { member: Member; state: MemberState };

/** Asks a member what it is. A member that does not answer within `timeoutMs` is silent. */
export async function stateOf(cluster: Cluster, member: Member, timeoutMs = 700): Promise<MemberState> {
  try {
    const info = fieldsOf(String(await ask(cluster, member, ['INFO', 'replication'], timeoutMs)));
    // Shown where replicas are asked for before a write is taken.
    const refusesWrites = info.has('min_slaves_good_slaves');
    if (info.get('role') === 'master')
      return { isUp: true, isPrimary: true, offset: Number(info.get('master_repl_offset')), refusesWrites };
    return {
      isUp: true,
      isPrimary: false,
      offset: Number(info.get('slave_repl_offset')),
      refusesWrites,
      follows: info.get('master_host') ?? '',
      isLinked: info.get('master_link_status') === 'up',
    };
  } catch (error) {
    if (error instanceof MemberError) return { isUp: false, failure: error.failure };
    throw error;
  }
}

export const fieldsOf = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split('\r\n').map((line): [string, string] => {
      const at = line.indexOf(':');
      return [line.slice(0, at), line.slice(at + 1)];
    }),
  );

export const statesOf = (cluster: Cluster, members: readonly Member[], timeoutMs?: number): Promise<Seen[]> =>
  Promise.all(members.map(async (member) => ({ member, state: await stateOf(cluster, member, timeoutMs) })));

/** Whether a member follows another, and how far it is behind that; null where it does not. */
export function lagBehind(
  state: MemberState,
  leader: Pick<Member, 'ip'>,
  written: MemberState | undefined,
): number | null {
  if (!state.isUp || state.isPrimary || state.follows !== leader.ip || !state.isLinked || !written?.isUp) return null;
  return Math.max(0, written.offset - state.offset);
}

/** The standby to promote: of those that followed the primary, the one that has received most. */
export function bestStandby(seen: readonly Seen[]): { member: Member; offset: number } | undefined {
  const ready = seen.flatMap(({ member, state }) =>
    member.role === 'standby' && member.in_sync && state.isUp && !state.isPrimary
      ? [{ member, offset: state.offset }]
      : [],
  );
  return ready.toSorted((one, other) => other.offset - one.offset)[0];
}
