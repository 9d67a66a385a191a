import { reasonOf } from '@/lib/engines/error';
import { log } from '@/lib/log';
import { type Cluster, type Member, membersOf, readCluster } from '../../cluster/clusters';
import { MemberError } from '../../cluster/member-error';
import { settleMember } from '../../cluster/member-process';
import { endpointOf } from '../../cluster/specs';
import { endSessions } from '../../endpoint/endpoint';
import type { HeldEndpoint, OnPart, SideName, Switched, Work } from '../../jobs/engine';
import { groupOf } from '../../jobs/sides';
import { UpgradeTrouble } from '../../jobs/trouble';
import { ask } from '../connections';
import { followAsFormer, promote } from '../follow';
import { SUPERUSER } from '../settings-file';
import { memberSpec } from '../specs';
import { statesOf } from '../state';
import { catchUp } from '../switch';
import { refuseWrites, settleWrites } from '../writes';
import { refusalsOf } from './refusals';

const PATIENT_MS = 3_000;
/** Writes wait for at most this long; from then on they are refused, where the switch has not ended. */
const PAUSE_MS = 8_000;

/** Writes the files that a member starts with, for the cluster as its rows are, or will be after the decision. */
const settleFiles = (cluster: Cluster, member: Member): Promise<void> => settleMember(memberSpec, cluster, member);

/**
 * Moves all clients from the primary of one version to that of the other, which follows it. Before the decision, the primary
 * refuses writes and begins as a follower after a restart, so that nothing can write to it afterwards, whatever ends.
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
    await settleFiles(decided, from);
    const start = performance.now();
    const part = (name: string) => onPart(name, performance.now() - start);
    await endpoint.hold();
    part('held');
    await ask(cluster, from, ['CLIENT', 'PAUSE', PAUSE_MS, 'WRITE'], PATIENT_MS);
    const interrupted = await waitingClients(cluster, from);
    // Ended rather than refused: clients that lost their connection try again, and wait then.
    await endSessions(endpointOf(cluster));
    await refuseWrites(cluster, from);
    part('stopped');
    await catchUp(cluster, from, await followersOf(decided, to));
    await refuseTrouble(cluster, to);
    part('received');
    await endpoint.repoint(toward);
    part('decided');
    await promote(cluster, to);
    part('promoted');
    const isFollowing = await stepDown(cluster, from, to);
    part('followed');
    // A member that ends now begins as its file says: as the follower of one that follows it, it waits until it is promoted.
    if (!isFollowing) await settleFiles(decided, to);
    await endpoint.release();
    part('released');
    const pauseMs = Math.round(performance.now() - start);
    if (isFollowing) await settleFiles(decided, to).catch(later(cluster));
    return { pauseMs, interrupted };
  } catch (error) {
    const now = await readCluster(cluster.id);
    if (now?.serving_group === cluster.serving_group) await undo(now, from);
    await endpoint.release();
    throw error;
  }
}

/** A failure is only logged: the host's agent writes these files too. */
const later = (cluster: Cluster) => (error: unknown) =>
  log.warn(
    { cluster: cluster.id, reason: reasonOf(error) },
    'what the new primary begins with could not be written yet',
  );

/** The next primary, and those of its standbys that follow it now. */
async function followersOf(decided: Cluster, to: Member): Promise<Member[]> {
  const seen = await statesOf(decided, membersOf(decided, to.group_no), PATIENT_MS);
  return seen
    .filter(({ member, state }) => member.id === to.id || (state.isUp && !state.isPrimary && state.isLinked))
    .map(({ member }) => member);
}

/** @throws UpgradeTrouble if the new primary has rejected a replicated command */
async function refuseTrouble(cluster: Cluster, to: Member): Promise<void> {
  if ((await refusalsOf(cluster, to)) > 0)
    throw new UpgradeTrouble(
      `The members of Valkey ${to.version} refused a command of the serving ones: their data differ.`,
    );
}

/** Sessions that wait for a write to be taken, or are in the middle of a transaction. */
async function waitingClients(cluster: Cluster, member: Member): Promise<number> {
  const list = String(await ask(cluster, member, ['CLIENT', 'LIST', 'TYPE', 'normal'], PATIENT_MS));
  return list.split('\n').filter((line) => / flags=\S*[bx]/.test(line) && !line.includes(` user=${SUPERUSER} `)).length;
}

/** Has the former primary follow its successor. @returns whether it does; one that has just ended will begin so */
async function stepDown(cluster: Cluster, from: Member, to: Member): Promise<boolean> {
  try {
    await followAsFormer(cluster, from, to);
    await settleWrites(cluster, from, false);
    return true;
  } catch (error) {
    if (!(error instanceof MemberError)) throw error;
    log.warn({ cluster: cluster.id, member: from.ordinal }, 'the former primary of an upgrade ended during the switch');
    return false;
  }
}

/** Has the primary take writes again. One that has just ended is the agent's. */
async function undo(cluster: Cluster, serving: Member): Promise<void> {
  try {
    await settleWrites(cluster, serving, cluster.read_only);
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
