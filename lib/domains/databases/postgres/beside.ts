import { log } from '@/lib/log';
import { type Cluster, type Member, membersBeside, membersOf } from '../cluster/clusters';
import type { Since } from '../cluster/lasting';
import type { MemberNote } from '../cluster/notes';
import { newReplicationMemory, type ReplicationMemory, settleReplication } from './replication';
import { noteOf, statesOf } from './state';
import { wakeMember } from './wake';

/** Interval between looks while all members are in step. */
const SETTLED_MS = 1_000;

type Memory = ReplicationMemory & { since: Since; lookedAt: number };

/**
 * A look at the members of the version that does not serve, next or former. Their standbys replicate synchronously like those
 * of the serving version, so that either version can serve with all of its members. Their primary is never replaced, because
 * a successor could not resume the replication between the versions.
 * @returns a note for each member; empty between looks
 */
export function newLookBeside(): (cluster: Cluster) => Promise<MemberNote[]> {
  const memory: Memory = { ...newReplicationMemory(), since: new Map(), lookedAt: Number.NEGATIVE_INFINITY };
  return async (cluster) => {
    const beside = membersBeside(cluster);
    const isSettled = beside.every(({ role, in_sync }) => role === 'primary' || in_sync);
    if (beside.length === 0 || (isSettled && performance.now() - memory.lookedAt < SETTLED_MS)) return [];
    memory.lookedAt = performance.now();
    const groups = [...new Set(beside.map(({ group_no }) => group_no))];
    const notes = groups.map((group) => lookAt(cluster, membersOf(cluster, group), memory));
    return (await Promise.all(notes)).flat();
  };
}

async function lookAt(cluster: Cluster, members: readonly Member[], memory: Memory): Promise<MemberNote[]> {
  const seen = await statesOf(cluster, members);
  const own = seen.find(({ member }) => member.role === 'primary');
  const isServed = own?.state.isUp === true && own.state.isPrimary;
  if (own?.state.isUp && own.state.isPrimary) {
    const standbys = members.filter(({ role }) => role === 'standby');
    const isAway = (standby: Member) => seen.some(({ member, state }) => member === standby && !state.isUp);
    try {
      await settleReplication(cluster, own.member, own.state, standbys, { isAway, isStuck: () => false }, memory);
    } catch (error) {
      // A failure here must not hold up the version that serves.
      log.warn({ err: error, cluster: cluster.id }, 'standbys of the version that does not serve could not be settled');
    }
  }
  for (const one of seen) wakeMember(cluster, one, isServed, memory.since);
  return seen.map((one) => noteOf(one, own));
}
