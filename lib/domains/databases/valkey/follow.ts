import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { type Cluster, type Member, primaryOf, servingMembers } from '../cluster/clusters';
import { enginePorts } from '../ports';
import { ask } from './connections';
import { leaderOf } from './leader';
import { lagBehind, type MemberState, type Seen, statesOf } from './state';
import { settleWrites } from './writes';

/** A standby this close to the primary may be promoted. */
export const CLOSE_BYTES = 1024 ** 2;
const CHANGE_MS = 2_000;
const PATIENT_MS = 5_000;

/** Has a member take writes. */
export const promote = (cluster: Cluster, member: Member) =>
  ask(cluster, member, ['REPLICAOF', 'NO', 'ONE'], CHANGE_MS);

/** Has a member follow another; what it has and the other lacks is gone. */
export const follow = (cluster: Cluster, member: Member, primary: Pick<Member, 'ip'>) =>
  ask(cluster, member, ['REPLICAOF', primary.ip, enginePorts.valkey.serving], CHANGE_MS);

/** Brings each member to its role, and notes which standbys may be promoted: level-triggered. */
export async function settleRoles(cluster: Cluster, primary: Member, seen: readonly Seen[]): Promise<void> {
  const own = seen.find(({ member }) => member === primary);
  if (own?.state.isUp && !own.state.isPrimary) await promote(cluster, primary);
  const written = own?.state.isUp && own.state.isPrimary ? own.state.offset : undefined;
  for (const { member, state } of seen) {
    if (member === primary) continue;
    if (state.isUp && (state.isPrimary || state.follows !== primary.ip)) await follow(cluster, member, primary);
    if (written === undefined) continue;
    const isFollowing = state.isUp && !state.isPrimary && state.follows === primary.ip && state.isLinked;
    const isClose = isFollowing && written - state.offset <= CLOSE_BYTES;
    if (isClose !== member.in_sync) await note(cluster, member, isClose);
  }
}

/**
 * Keeps the members of a version that does not serve following the one that does: its primary the serving one, its standbys
 * their own. Level-triggered.
 */
export async function settleOthers(cluster: Cluster, seen: readonly Seen[], others: readonly Seen[]): Promise<void> {
  const known = new Map<string, MemberState>([...seen, ...others].map(({ member, state }) => [member.id, state]));
  for (const { member, state } of others) {
    const leader = leaderOf(cluster, member);
    if (!leader || !state.isUp) continue;
    if (state.isPrimary) await followAsFormer(cluster, member, leader);
    else if (state.follows !== leader.ip) await follow(cluster, member, leader);
    if (state.refusesWrites) await settleWrites(cluster, member, false);
    const lag = lagBehind(state, leader, known.get(leader.id));
    const isClose = lag !== null && lag <= CLOSE_BYTES;
    if (member.role === 'standby' && isClose !== member.in_sync) await note(cluster, member, isClose);
  }
}

/** Makes the primary of one version replicate from that of another, and counts the commands that it rejects from then on. */
export async function followAsFormer(cluster: Cluster, member: Member, leader: Pick<Member, 'ip'>): Promise<void> {
  await ask(cluster, member, ['CONFIG', 'RESETSTAT'], CHANGE_MS);
  await follow(cluster, member, leader);
}

async function note(cluster: Cluster, standby: Member, isInSync: boolean): Promise<void> {
  await execute(sql`UPDATE database_members m SET in_sync = ${isInSync}::boolean FROM database_clusters c
    WHERE m.id = ${standby.id}::uuid AND c.id = m.cluster_id AND c.moves = ${cluster.moves}::int AND m.role = 'standby' AND NOT m.leaving`);
  standby.in_sync = isInSync;
}

/** What is waited for until the primary serves and every standby follows it. */
export async function inStep(cluster: Cluster): Promise<string | null> {
  const members = servingMembers(cluster);
  const primary = primaryOf(members);
  if (!primary) return 'the primary to serve';
  const seen = await statesOf(cluster, members, PATIENT_MS);
  await settleRoles(cluster, primary, seen);
  const own = seen.find(({ member }) => member === primary);
  if (!own?.state.isUp || !own.state.isPrimary) return 'the primary to serve';
  return members.every((member) => member === primary || member.in_sync) ? null : 'the standbys to catch up';
}
