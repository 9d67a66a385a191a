import { log } from '@/lib/log';
import type { Cluster, Member } from '../cluster/clusters';
import { setProvider } from './provider';
import { isServing, type Seen, statesOf } from './state';
import { pause } from './switch';

/** How often the agent sets them again: members that join count before they answer. */
const AGAIN_MS = 2_000;
const SETTLED_WITHIN_MS = 5_000;

/**
 * What a member counts for in the majority of its group. Those that serve keep the majority when all members of an upgrade's
 * other version end at once; those of the other version keep it beside one that serves while others are away.
 */
export const weightOf = (cluster: Pick<Cluster, 'serving_group'>, { group_no }: Pick<Member, 'group_no'>): 1 | 2 =>
  group_no === cluster.serving_group ? 2 : 1;

/** Whether the members that are seen in the group count for what they should. */
export function areWeighed(cluster: Pick<Cluster, 'serving_group'>, seen: readonly Seen[]): boolean {
  const inGroup = seen.filter(isServing);
  const wanted = inGroup.reduce((sum, { member }) => sum + weightOf(cluster, member), 0);
  return inGroup.every(({ state }) => state.isUp && state.groupWeight === wanted);
}

/** The majority is never smaller meanwhile than before or after: what rises comes first. */
async function setWeights(cluster: Cluster, seen: readonly Seen[]): Promise<void> {
  const members = seen.filter(isServing).map(({ member }) => member);
  for (const member of members.toSorted((one, other) => weightOf(cluster, other) - weightOf(cluster, one)))
    await setProvider(cluster, member, 'weight', weightOf(cluster, member)).catch((error) =>
      // One that has just left the group takes none; it is set when it has come back.
      log.info({ err: error, cluster: cluster.id, member: member.ordinal }, 'a member takes no weight now'),
    );
}

const lastSet = new Map<string, number>();

/** Sets the weights in the background where they differ: a look at the cluster must not wait for its group. */
export function keepWeights(cluster: Cluster, seen: readonly Seen[]): void {
  if (areWeighed(cluster, seen)) {
    lastSet.delete(cluster.id);
    return;
  }
  const now = performance.now();
  if (now - (lastSet.get(cluster.id) ?? Number.NEGATIVE_INFINITY) < AGAIN_MS) return;
  lastSet.set(cluster.id, now);
  setWeights(cluster, seen).catch((error) => log.warn({ err: error, cluster: cluster.id }, 'weights could not be set'));
}

/** Sets the weights, and waits a while until the group has them. Where it has not, the agent goes on. */
export async function settleWeights(cluster: Cluster): Promise<void> {
  const until = performance.now() + SETTLED_WITHIN_MS;
  let seen = await statesOf(cluster, cluster.members);
  if (areWeighed(cluster, seen)) return;
  await setWeights(cluster, seen);
  while (!areWeighed(cluster, seen) && performance.now() < until) {
    await pause();
    seen = await statesOf(cluster, cluster.members);
  }
}
