import type { Cluster, Member } from '../cluster/clusters';
import { type Failure, MemberError } from '../cluster/member-error';
import { ask, type Desk, tell } from './connections';

export type State =
  | {
      isUp: true;
      /** Whether its group has the majority: only then does it take statements. */
      isInGroup: boolean;
      /** Whether it is in no group with a majority; one that is fetching what it lacks is in one. */
      isParted: boolean;
      /** Whether it has applied what the group agreed on, up to flow control. */
      isSynced: boolean;
      committed: number;
      /** Addresses of the members that its group counts. */
      group: readonly string[];
    }
  | { isUp: false; failure: Failure; desk: Desk | undefined };

export type Seen = { member: Member; state: State };

const NAMES = [
  'wsrep_cluster_status',
  'wsrep_local_state',
  'wsrep_ready',
  'wsrep_last_committed',
  'wsrep_incoming_addresses',
];

/** What a member says of itself. */
export async function stateOf(cluster: Cluster, member: Member, timeoutMs = 700): Promise<State> {
  try {
    const rows = await ask<{ Variable_name: string; Value: string }>(
      cluster,
      member,
      `SHOW GLOBAL STATUS WHERE Variable_name IN (${NAMES.map((name) => `'${name}'`).join(', ')})`,
      { timeoutMs, lane: 'watch' },
    );
    const value = new Map(rows.map((row) => [row.Variable_name, row.Value]));
    return {
      isUp: true,
      isInGroup: value.get('wsrep_cluster_status') === 'Primary' && value.get('wsrep_ready') === 'ON',
      isParted: value.get('wsrep_cluster_status') !== 'Primary',
      isSynced: value.get('wsrep_local_state') === '4',
      committed: Number(value.get('wsrep_last_committed') ?? -1),
      group: (value.get('wsrep_incoming_addresses') ?? '').split(',').map((one) => one.replace(/:\d+$/, '')),
    };
  } catch (error) {
    if (!(error instanceof MemberError)) throw error;
    const desk = error.failure === 'refused' ? await tell(cluster, member) : undefined;
    return { isUp: false, failure: error.failure, desk };
  }
}

export const statesOf = (cluster: Cluster, members: readonly Member[], timeoutMs?: number): Promise<Seen[]> =>
  Promise.all(members.map(async (member) => ({ member, state: await stateOf(cluster, member, timeoutMs) })));

/** Whether clients may be led to it. */
export const isServing = ({ state }: Seen): boolean => state.isUp && state.isInGroup;
/** Whether it has all that the group has. */
export const isInStep = (one: Seen): boolean => isServing(one) && one.state.isUp && one.state.isSynced;

/** Whether a group that serves counts a member: it counts one that ended, too, until it has been silent for 1.5 seconds. */
export const isCounted = (seen: readonly Seen[], { ip }: Pick<Member, 'ip'>): boolean =>
  seen.some((one) => isServing(one) && one.state.isUp && one.state.group.includes(ip));

const committed = ({ state }: Seen) => (state.isUp ? state.committed : -1);

/** The member that takes over: one in step, which has applied most. */
export const bestSuccessor = (seen: readonly Seen[]): Member | undefined =>
  seen
    .filter((one) => one.member.role === 'standby' && isServing(one))
    .toSorted((one, other) => Number(isInStep(other)) - Number(isInStep(one)) || committed(other) - committed(one))[0]
    ?.member;
