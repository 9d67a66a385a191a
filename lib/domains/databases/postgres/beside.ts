import { log } from '@/lib/log';
import type { Cluster, Member } from '../cluster/clusters';
import type { Since } from '../cluster/lasting';
import type { MemberNote } from '../cluster/notes';
import { newReplicationMemory, type ReplicationMemory, settleReplication } from './replication';
import { noteOf, statesOf } from './state';
import { wakeMember } from './wake';

/** How often members that are all in step are looked at. */
const SETTLED_MS = 1_000;

type Memory = ReplicationMemory & { since: Since; lookedAt: number };

/**
 * A look at the members of the version that does not serve, the next one or the former one: their standbys follow their
 * primary as those of the serving version do, and are waited for, so that either version can serve with all of its members.
 * Their primary is never replaced: who follows the serving version in its place could not go on from where it was.
 * @returns what to note of them, none where it is not time to look
 */
export function newLookBeside(): (cluster: Cluster) => Promise<MemberNote[]> {
  const memory: Memory = { ...newReplicationMemory(), since: new Map(), lookedAt: Number.NEGATIVE_INFINITY };
  return async (cluster) => {
    const beside = cluster.members.filter(({ group_no, leaving }) => group_no !== cluster.serving_group && !leaving);
    const isSettled = beside.every(({ role, in_sync }) => role === 'primary' || in_sync);
    if (beside.length === 0 || (isSettled && performance.now() - memory.lookedAt < SETTLED_MS)) return [];
    memory.lookedAt = performance.now();
    const groups = [...new Set(beside.map(({ group_no }) => group_no))];
    const notes = groups.map((group) =>
      lookAt(
        cluster,
        beside.filter(({ group_no }) => group_no === group),
        memory,
      ),
    );
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
      // Nothing of it may hold up the version that serves.
      log.warn({ err: error, cluster: cluster.id }, 'standbys of the version that does not serve could not be settled');
    }
  }
  for (const one of seen) wakeMember(cluster, one, isServed, memory.since);
  return seen.map((one) => noteOf(one, own));
}
