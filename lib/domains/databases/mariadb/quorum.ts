import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { engineOf } from '@/lib/engines/engines';
import { log } from '@/lib/log';
import type { Cluster, Member } from '../cluster/clusters';
import { lasting, type Since } from '../cluster/lasting';
import { type Desk, forget, tell } from './connections';
import { bootstrapGroup } from './provider';
import { isCounted, isServing, type Seen } from './state';

/** A member that does not come back may have the last writes: the others begin without it only after this time. */
const MISSING_MS = 120_000;
/** Members agree by themselves when the majority is there. */
const PARTED_MS = 4_000;
/** Before a member comes back to a group that has put it out. */
const SETTLES_MS = 1_000;
const DIFFER = 'histories differ';
/** A member was told to go on alone. */
const FORMED = 'told to go on alone';

type Waiting = { member: Pick<Member, 'role'>; desk: Pick<Desk, 'uuid' | 'seqno'> };

/**
 * The one whose data go furthest. Positions count within one history: the primary's, which clients wrote to, or the only one.
 * Undefined where the primary is away and the others disagree on the history.
 */
export function furthest<Of extends Waiting>(waiting: readonly Of[]): Of | undefined {
  const isPrimary = ({ member }: Waiting) => member.role === 'primary';
  const uuid = waiting.find(isPrimary)?.desk.uuid ?? waiting[0]?.desk.uuid;
  const same = waiting.filter(({ desk }) => desk.uuid === uuid);
  if (same.length < waiting.length && !same.some(isPrimary)) return undefined;
  return same.toSorted(
    (one, other) => other.desk.seqno - one.desk.seqno || Number(isPrimary(other)) - Number(isPrimary(one)),
  )[0];
}

const waitingOf = (seen: readonly Seen[]): { member: Member; desk: Desk }[] =>
  seen.flatMap(({ member, state }) =>
    !state.isUp && state.desk?.phase === 'waiting' ? [{ member, desk: state.desk }] : [],
  );

type Look = { serving: readonly Seen[]; seen: readonly Seen[] };

/**
 * The members that wait and may join the group that serves: not those whose former process it still counts, or has just put out.
 * A newcomer makes all members agree anew. No transaction ends meanwhile, and clients get their turn in between.
 */
export function joining({ serving, seen }: Look, since: Since): Member[] {
  const out = seen.filter(
    ({ member }) => lasting(since, `put out ${member.id}`, !isCounted(serving, member)) >= SETTLES_MS,
  );
  return waitingOf(out).map(({ member }) => member);
}

export async function letJoin(cluster: Cluster, look: Look, since: Since): Promise<void> {
  await Promise.all(joining(look, since).map((member) => tell(cluster, member, 'join')));
}

/**
 * Gives members that came back their word: to join those that serve, or, where no member of the cluster runs, the one whose
 * data go furthest to begin again.
 */
export async function beginAgain(cluster: Cluster, seen: readonly Seen[], since: Since): Promise<void> {
  const waiting = waitingOf(seen);
  if (seen.some(isServing)) {
    since.delete('nobody serves');
    await letJoin(cluster, { serving: seen, seen }, since);
    return;
  }
  // One that runs, or is about to, is waited for: it may be part of a group.
  const isRunning = seen.some(({ state }) => state.isUp);
  const nobody = lasting(since, 'nobody serves', waiting.length > 0 && !isRunning);
  if (waiting.length === 0 || isRunning) return;
  if (waiting.length < seen.length && nobody < MISSING_MS) return;
  const best = furthest(waiting);
  if (!best) {
    const positions = waiting.map(({ member, desk }) => `${member.ordinal} ${desk.uuid}:${desk.seqno}`);
    if (!since.has(DIFFER)) log.error({ cluster: cluster.id, positions }, 'members have different histories');
    since.set(DIFFER, performance.now());
    return;
  }
  since.delete(DIFFER);
  await endOthers(
    cluster,
    waiting.map(({ member }) => member),
  );
  await giveUpOtherVersion(cluster);
  log.warn({ cluster: cluster.id, member: best.member.ordinal, ...best.desk }, 'the cluster begins again');
  await tell(cluster, best.member, 'begin');
}

/**
 * Members that run but lost the majority go on where the host can prove that the others do not: it ends them first. A group of
 * two of which one was killed is such a case. One that does not take the word ends too, and then all begin again.
 */
export async function formAgain(cluster: Cluster, seen: readonly Seen[], since: Since): Promise<void> {
  const up = seen.flatMap(({ member, state }) => (state.isUp ? [{ member, state }] : []));
  const isParted = up.length > 0 && up.every(({ state }) => state.isParted);
  if (seen.some(isServing)) since.delete(FORMED);
  if (lasting(since, 'no majority', isParted) < PARTED_MS) return;
  since.delete('no majority');
  const [best] = up.toSorted((one, other) => other.state.committed - one.state.committed);
  if (!best) return;
  const isRefused = since.has(FORMED);
  since.set(FORMED, performance.now());
  await endOthers(cluster, isRefused ? [] : [best.member]);
  await giveUpOtherVersion(cluster);
  if (isRefused) {
    log.error({ cluster: cluster.id, member: best.member.ordinal }, 'the only member that ran could not go on alone');
    return;
  }
  log.warn({ cluster: cluster.id, member: best.member.ordinal }, 'the only member that runs goes on alone');
  await bootstrapGroup(cluster, best.member);
}

/** Members of the version that does not serve may have more than those that begin again: they never join with their data. */
async function giveUpOtherVersion(cluster: Cluster): Promise<void> {
  await execute(sql`UPDATE database_members m SET incarnation = m.incarnation + 1 FROM database_clusters c
    WHERE c.id = m.cluster_id AND c.id = ${cluster.id}::uuid AND m.group_no <> c.serving_group`);
}

/** Ends every other member: none of them may be part of another group. */
async function endOthers(cluster: Cluster, spared: readonly Member[]): Promise<void> {
  const others = cluster.members.filter(({ id }) => !spared.some((one) => one.id === id));
  for (const member of others) {
    forget(member);
    await engineOf(cluster.cell_id).services.killService(member.id);
  }
}
