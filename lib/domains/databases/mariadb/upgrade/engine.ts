import { engineOf } from '@/lib/engines/engines';
import { type Cluster, type Member, membersOf, servingMembers } from '../../cluster/clusters';
import { lasting } from '../../cluster/lasting';
import { MemberError } from '../../cluster/member-error';
import type { Copied, HeldEndpoint, OnPart, SideName, Switched, UpgradeEngine, WayBack, Work } from '../../jobs/engine';
import { awayOf, forgetAway } from '../../jobs/sides';
import { UpgradeTrouble } from '../../jobs/trouble';
import { settleRoles } from '../roles';
import { isCounted, isInStep, stateOf, statesOf } from '../state';
import { catchUp, drain, pause } from '../switch';
import { checkContents } from './contents';

const PATIENT_MS = 3_000;
const TABLES_MS = 180_000;
/** How long new members may be away before the upgrade is taken back, and former ones before the way back ends. */
const AWAY_MS = 120_000;
const ARRIVES_WITHIN_MS = 60_000;
const LEAVE_WITHIN_MS = 5_000;

/** Jobs for which this process has upgraded the server's own tables. */
const upgraded = new Set<string>();

/** The new primary has copied everything, and the server's own tables are those of its version. */
async function settleNext({ job, cluster, next }: Work): Promise<string | null> {
  if (!isInStep({ member: next, state: await stateOf(cluster, next, PATIENT_MS) }))
    return 'the new primary to have all data';
  if (upgraded.has(job.id)) return null;
  const { code, stdout, stderr } = await engineOf(cluster.cell_id).services.runInside(
    next.id,
    ['/usr/bin/python3', '-I', '-S', '/etc/service/member.py', 'upgrade'],
    { timeoutMs: TABLES_MS },
  );
  if (code !== 0) throw new Error(`the server's own tables could not be upgraded: ${`${stdout}${stderr}`.slice(-500)}`);
  upgraded.add(job.id);
  return null;
}

async function nextInStep({ job, cluster }: Work): Promise<string | null> {
  const seen = await statesOf(cluster, membersOf(cluster, job.next_group), PATIENT_MS);
  const away = seen.find((one) => !isInStep(one));
  if (lasting(awayOf(job.id), 'next', away !== undefined) > AWAY_MS)
    throw new UpgradeTrouble('A new member did not come back to the group.');
  return away ? `the new member ${away.member.ordinal} to have all data` : null;
}

/** New members are part of the group: there is nothing to copy beside what they got when they joined. */
async function replicate(work: Work): Promise<Copied> {
  const waits_for = await nextInStep(work);
  return waits_for === null
    ? { isDone: true, change: { log: 'The new members have everything, and get each transaction with the others.' } }
    : { isDone: false, waits_for };
}

type Sides = { from: Member; to: Member; toward: SideName };

/** Moves all clients from one primary to the other. Both are in one group, so whatever the first has acknowledged reaches the other. */
async function switchBetween(
  cluster: Cluster,
  { from, to, toward }: Sides,
  endpoint: HeldEndpoint,
  onPart: OnPart = () => {},
): Promise<Switched> {
  // Sessions are not ended for one that has just been lost.
  if (!isInStep({ member: to, state: await stateOf(cluster, to, PATIENT_MS) }))
    throw new Error('The member that clients are to be led to is not in step.');
  const start = performance.now();
  const part = (name: string) => onPart(name, performance.now() - start);
  let interrupted = 0;
  try {
    await endpoint.hold();
    part('held');
    interrupted = await drain(cluster, from);
    part('stopped');
    await catchUp(cluster, from, to);
    part('drained');
    await endpoint.repoint(toward);
    part('repointed');
  } catch (error) {
    await endpoint.repoint(toward === 'next' ? 'former' : 'next');
    await endpoint.release();
    throw error;
  }
  await endpoint.release();
  part('released');
  return { pauseMs: Math.round(performance.now() - start), interrupted };
}

/** Leads clients to a side again, where a worker was killed between the decision and the release. */
async function takeBack({ job, cluster }: Work, side: SideName, endpoint: HeldEndpoint): Promise<void> {
  const group = side === 'former' ? job.former_group : job.next_group;
  if (cluster.serving_group !== group) await endpoint.repoint(side);
  await endpoint.release();
}

/** A statement of the new primary comes to every former member. */
async function keepFormer({ job, cluster, next }: Work): Promise<void> {
  await settleRoles(cluster, next);
  const last = await stateOf(cluster, next, PATIENT_MS);
  if (!last.isUp) throw new MemberError(last.failure, undefined);
  const until = performance.now() + ARRIVES_WITHIN_MS;
  for (;;) {
    const seen = await statesOf(cluster, membersOf(cluster, job.former_group), PATIENT_MS);
    if (seen.every((one) => isInStep(one) && one.state.isUp && one.state.committed >= last.committed)) return;
    // Not for good: one may be giving its data to a member that comes back.
    if (performance.now() > until) throw new Error('the former members do not follow the new ones');
    await pause();
  }
}

async function wayBack({ job, cluster, former }: Work): Promise<WayBack> {
  const isAway = !isInStep({ member: former, state: await stateOf(cluster, former, PATIENT_MS) });
  if (lasting(awayOf(job.id), 'former', isAway) <= AWAY_MS) return { possible: true, lagBytes: 0 };
  return {
    possible: false,
    reason:
      'The former members have left the group: they got a statement that their version does not know, or all members ended.',
  };
}

async function prepareWayBack(work: Work): Promise<{ isNear: boolean }> {
  const { cluster, former } = work;
  const found = await wayBack(work);
  if (!found.possible) throw new UpgradeTrouble(found.reason);
  return { isNear: isInStep({ member: former, state: await stateOf(cluster, former, PATIENT_MS) }) };
}

/**
 * The members that do not serve leave the group before they are removed: the others would lose the majority if half of them
 * ended at once. They leave one after the other: while the group agrees on one that leaves, another one that leaves is waited for
 * as if it had been killed. Weights are no way: a change of `pc.weight` while a member is away can part the whole group.
 */
async function forget(cluster: Cluster): Promise<void> {
  const staying = servingMembers(cluster);
  const leaving = cluster.members.filter(({ group_no }) => group_no !== cluster.serving_group);
  const stopping = [];
  for (const member of leaving) {
    stopping.push(engineOf(cluster.cell_id).services.stopService(member.id));
    const until = performance.now() + LEAVE_WITHIN_MS;
    while (performance.now() < until && isCounted(await statesOf(cluster, staying), member)) await pause();
  }
  await Promise.all(stopping);
}

/** MariaDB: members of both versions are one group of Galera, and the endpoint moves from one version to the other. */
export const mariadbUpgrades: UpgradeEngine = {
  checkContents,
  settleNext,
  nextInStep,
  replicate,
  switchToNext: ({ cluster, former, next }, endpoint, onPart) =>
    switchBetween(cluster, { from: former, to: next, toward: 'next' }, endpoint, onPart),
  takeBackSwitch: (work, endpoint) => takeBack(work, 'former', endpoint),
  keepFormer,
  wayBack,
  prepareWayBack,
  switchBack: ({ cluster, former, next }, endpoint) =>
    switchBetween(cluster, { from: next, to: former, toward: 'former' }, endpoint),
  takeBackSwitchBack: (work, endpoint) => takeBack(work, 'next', endpoint),
  forget,
  ended(jobId) {
    forgetAway(jobId);
    upgraded.delete(jobId);
  },
};
