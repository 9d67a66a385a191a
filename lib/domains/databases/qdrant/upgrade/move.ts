import { reasonOf } from '@/lib/engines/error';
import { log } from '@/lib/log';
import { type Cluster, type Member, readCluster } from '../../cluster/clusters';
import { MemberError } from '../../cluster/member-error';
import { settleMember } from '../../cluster/member-process';
import type { HeldEndpoint, OnPart, SideName, Switched, Work } from '../../jobs/engine';
import { groupOf } from '../../jobs/sides';
import { memberSpec } from '../specs';
import { follow, lagBehind, lead, roleOf, rolesOf, stop } from '../state';

const PATIENT_MS = 3_000;
/** Changes wait at their member for longer than that, and are then refused. */
const RECEIVES_WITHIN_MS = 5_000;
const POLL_MS = 10;

/** Writes the files that a member starts with, for the cluster as its rows are, or will be after the decision. */
export const settleFiles = (cluster: Cluster, member: Member): Promise<void> =>
  settleMember(memberSpec, cluster, member);

/**
 * Moves all clients from the member of one version to that of the other, which follows it. No connection ends: requests that
 * change something wait at the member that they came to, and it passes them on when the other one serves.
 */
export async function moveClients(
  work: Work,
  toward: SideName,
  endpoint: HeldEndpoint,
  onPart: OnPart = () => {},
): Promise<Switched> {
  const { cluster } = work;
  const [from, to] = toward === 'next' ? [work.former, work.next] : [work.next, work.former];
  const decided: Cluster = { ...cluster, serving_group: groupOf(work, toward) };
  try {
    // One that ends from now on begins as a follower, and writes nothing until it is told to.
    await settleFiles(decided, from);
    const start = performance.now();
    const part = (name: string) => onPart(name, performance.now() - start);
    await endpoint.hold();
    part('held');
    const { refused } = await stop(cluster, from);
    part('stopped');
    await receive(cluster, from, to);
    part('received');
    await endpoint.repoint(toward, 'stay');
    part('decided');
    const now = await readCluster(cluster.id);
    if (!now) throw new Error('The cluster is gone.');
    await lead(now, to);
    part('serves');
    const passesOn = await stepDown(now, from, to);
    part('passes on');
    await endpoint.release();
    part('released');
    const pauseMs = Math.round(performance.now() - start);
    await settleFiles(now, to).catch(later(cluster));
    return { pauseMs, interrupted: passesOn ? await refusedSince(cluster, from, refused) : 0 };
  } catch (error) {
    const now = await readCluster(cluster.id);
    if (now?.serving_group === cluster.serving_group) await undo(now, from);
    await endpoint.release();
    throw error;
  }
}

/** A failure is only logged: the host's agent writes these files too, when they are needed. */
const later = (cluster: Cluster) => (error: unknown) =>
  log.warn({ cluster: cluster.id, reason: reasonOf(error) }, 'what the member begins with could not be written yet');

/** Waits until the next member has everything. @throws Error when that takes too long */
async function receive(cluster: Cluster, from: Member, to: Member): Promise<void> {
  const until = performance.now() + RECEIVES_WITHIN_MS;
  for (;;) {
    const [leading, following] = await rolesOf(cluster, [from, to], PATIENT_MS);
    if (leading && following && lagBehind(following.role, from, leading.role) === 0) return;
    if (performance.now() > until) throw new Error('The new member did not receive the last changes in time.');
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Has the former member pass requests on. @returns whether it does; one that has just ended will begin so */
async function stepDown(cluster: Cluster, from: Member, to: Member): Promise<boolean> {
  try {
    await follow(cluster, from, to);
    return true;
  } catch (error) {
    if (!(error instanceof MemberError)) throw error;
    log.warn({ cluster: cluster.id, member: from.ordinal }, 'the former member of an upgrade ended during the switch');
    return false;
  }
}

/** Requests that the switch has refused. */
async function refusedSince(cluster: Cluster, member: Member, before: number): Promise<number> {
  const role = await roleOf(cluster, member, PATIENT_MS).catch(() => null);
  return role ? Math.max(0, role.refused - before) : 0;
}

/** Has the member take changes again. One that has just ended is the agent's. */
async function undo(cluster: Cluster, serving: Member): Promise<void> {
  try {
    await lead(cluster, serving);
    await settleFiles(cluster, serving);
  } catch (error) {
    log.warn({ cluster: cluster.id, reason: reasonOf(error) }, 'a switch could not be taken back at once');
    if (!(error instanceof MemberError)) throw error;
  }
}

/** Undoes a switch whose worker was killed before the decision. @param side that serves */
export async function takeBack(work: Work, side: SideName, endpoint: HeldEndpoint): Promise<void> {
  if (work.cluster.serving_group !== groupOf(work, side)) throw new Error('The switch is decided.');
  await undo(work.cluster, side === 'former' ? work.former : work.next);
  await endpoint.release();
}
