import { type Cluster, membersOf } from '../../cluster/clusters';
import { lasting } from '../../cluster/lasting';
import { MemberError } from '../../cluster/member-error';
import { endpointOf } from '../../cluster/specs';
import { inTurn } from '../../cluster/turns';
import { release } from '../../endpoint/endpoint';
import type { Copied, UpgradeEngine, WayBack, Work } from '../../jobs/engine';
import { awayOf, forgetAway } from '../../jobs/sides';
import { UpgradeTrouble } from '../../jobs/trouble';
import { CLOSE_BYTES } from '../follow';
import { leaderOf } from '../leader';
import { lagBehind, type Seen, stateOf, statesOf } from '../state';
import { checkContents } from './contents';
import { moveClients, takeBack } from './move';
import { refusalsOf } from './refusals';

const PATIENT_MS = 3_000;
/** How long new members may be away before the upgrade is taken back, and former ones before the way back ends. */
const AWAY_MS = 120_000;
const ARRIVES_WITHIN_MS = 30_000;
const POLL_MS = 20;

/** How far each member is behind the one that it follows; null where it does not follow. */
async function lagsOf(cluster: Cluster, group: number): Promise<(Seen & { lag: number | null })[]> {
  const members = membersOf(cluster, group);
  const leaders = members.flatMap((member) => leaderOf(cluster, member) ?? []);
  const all = [...new Map([...members, ...leaders].map((one) => [one.id, one])).values()];
  const seen = await statesOf(cluster, all, PATIENT_MS);
  const stateById = new Map(seen.map(({ member, state }) => [member.id, state]));
  return seen
    .filter(({ member }) => member.group_no === group)
    .map((one) => {
      const leader = leaderOf(cluster, one.member);
      return { ...one, lag: leader ? lagBehind(one.state, leader, stateById.get(leader.id)) : null };
    });
}

/** The new primary has copied everything. The agent keeps it following. */
async function settleNext({ job, cluster, next }: Work): Promise<string | null> {
  const found = (await lagsOf(cluster, job.next_group)).find(({ member }) => member.id === next.id);
  const isAway = found?.lag === null || found === undefined;
  if (lasting(awayOf(job.id), 'next', isAway) > AWAY_MS)
    throw new UpgradeTrouble('The new primary does not follow the present one.');
  return isAway ? 'the new primary to have all data' : null;
}

async function nextInStep({ job, cluster }: Work): Promise<string | null> {
  const away = (await lagsOf(cluster, job.next_group)).find(({ lag }) => lag === null || lag > CLOSE_BYTES);
  if (lasting(awayOf(job.id), 'next', away !== undefined) > AWAY_MS)
    throw new UpgradeTrouble('A new member does not follow the others.');
  return away ? `the new member ${away.member.ordinal} to have all data` : null;
}

/** The new members have followed since they began: there is nothing to copy beside that. */
async function replicate(work: Work): Promise<Copied> {
  const waits_for = await nextInStep(work);
  return waits_for === null
    ? { isDone: true, change: { log: 'The new members have everything, and get each write as standbys do.' } }
    : { isDone: false, waits_for };
}

/** Waits until the former members have received what the new primary has written. The agent makes them follow it. */
async function keepFormer({ job, cluster, former, next }: Work): Promise<void> {
  const until = performance.now() + ARRIVES_WITHIN_MS;
  let written: number | undefined;
  for (;;) {
    const own = await stateOf(cluster, next, PATIENT_MS);
    if (own.isUp && own.isPrimary && written === undefined) {
      // Where a worker was killed between the decision and the release.
      await inTurn(cluster.id, () => release(endpointOf(cluster)));
      written = own.offset;
    }
    const seen = await lagsOf(cluster, job.former_group);
    const last = written;
    if (last !== undefined && seen.every(({ state, lag }) => lag !== null && state.isUp && state.offset >= last)) break;
    if (performance.now() > until) {
      const down = [own, ...seen.map(({ state }) => state)].find((state) => !state.isUp);
      if (down && !down.isUp) throw new MemberError(down.failure, undefined);
      throw new Error('the former members do not follow the new ones');
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  if ((await refusalsOf(cluster, former)) > 0) throw new UpgradeTrouble(UNKNOWN_COMMAND);
}

const UNKNOWN_COMMAND =
  'The former version got a command that it does not know, and no longer has the same data as the new one.';

async function wayBack({ job, cluster, former }: Work): Promise<WayBack> {
  const found = (await lagsOf(cluster, job.former_group)).find(({ member }) => member.id === former.id);
  if (found?.state.isUp && (await refusalsOf(cluster, former)) > 0) return { possible: false, reason: UNKNOWN_COMMAND };
  const lag = found?.lag ?? null;
  if (lasting(awayOf(job.id), 'former', lag === null) <= AWAY_MS) return { possible: true, lagBytes: lag ?? 0 };
  return {
    possible: false,
    reason: found?.state.isUp
      ? 'The former version cannot copy the data anew: they hold something that it does not know.'
      : 'The former primary has ended, and did not come back.',
  };
}

async function prepareWayBack(work: Work): Promise<{ isNear: boolean }> {
  const found = await wayBack(work);
  if (!found.possible) throw new UpgradeTrouble(found.reason);
  const lags = await lagsOf(work.cluster, work.job.former_group);
  return { isNear: lags.every(({ lag }) => lag !== null && lag <= CLOSE_BYTES) };
}

/** Valkey: the members of one version follow those of the other, and the endpoint moves between them. */
export const valkeyUpgrades: UpgradeEngine = {
  checkContents,
  settleNext,
  nextInStep,
  replicate,
  switchToNext: (work, endpoint, onPart) => moveClients(work, 'next', endpoint, onPart),
  takeBackSwitch: (work, endpoint) => takeBack(work, 'former', endpoint),
  keepFormer,
  wayBack,
  prepareWayBack,
  switchBack: (work, endpoint) => moveClients(work, 'former', endpoint),
  takeBackSwitchBack: (work, endpoint) => takeBack(work, 'next', endpoint),
  // Whoever serves has nothing left of the other version: followers come and go.
  async forget() {},
  ended: forgetAway,
};
