import { lasting } from '../../cluster/lasting';
import { MemberError } from '../../cluster/member-error';
import { endpointOf } from '../../cluster/specs';
import { inTurn } from '../../cluster/turns';
import { release } from '../../endpoint/endpoint';
import type { Copied, SideName, UpgradeEngine, WayBack, Work } from '../../jobs/engine';
import { awayOf, forgetAway } from '../../jobs/sides';
import { UpgradeTrouble } from '../../jobs/trouble';
import { lagBehind, type MemberRole, rolesOf } from '../state';
import { checkContents } from './contents';
import { moveClients, settleFiles, takeBack } from './move';

const PATIENT_MS = 3_000;
/** A follower this close to the serving member receives the rest in a moment. */
const CLOSE = 500;
/** How long the new member may be away before the upgrade is taken back, and the former one before the way back ends. */
const AWAY_MS = 120_000;
const ARRIVES_WITHIN_MS = 30_000;
const POLL_MS = 20;

type Following = {
  leading: MemberRole | null;
  following: MemberRole | null;
  /** Null where the follower does not follow, or copies. */
  lag: number | null;
};

/** One side as it follows the other. */
async function followingOf({ cluster, former, next }: Work, side: SideName): Promise<Following> {
  const [follower, leader] = side === 'next' ? [next, former] : [former, next];
  const [one, other] = await rolesOf(cluster, [follower, leader], PATIENT_MS);
  const known = (role: MemberRole | string | undefined) => (typeof role === 'object' ? role : null);
  const [following, leading] = [known(one?.role), known(other?.role)];
  return { leading, following, lag: following && leading ? lagBehind(following, leader, leading) : null };
}

/** What is waited for until the new member has everything. @throws UpgradeTrouble when it never will */
async function untilClose(work: Work): Promise<string | null> {
  const { following, lag } = await followingOf(work, 'next');
  const { is_linked = false, is_refused = false, trouble = null, pending = 0 } = following?.following ?? {};
  if (is_refused) throw new UpgradeTrouble(`Qdrant ${work.next.version} refuses what the cluster has: ${trouble}`);
  if (lasting(awayOf(work.job.id), 'next', !is_linked) > AWAY_MS)
    throw new UpgradeTrouble(trouble ?? 'The new member does not follow the present one.');
  if (lag !== null && lag <= CLOSE) return null;
  return pending > 0 ? `the new member to copy ${pending} collections` : 'the new member to have all data';
}

async function settleNext(work: Work): Promise<string | null> {
  const waits_for = await untilClose(work);
  // It answers to the new member with its present certificate and key.
  if (waits_for !== null) await settleFiles(work.cluster, work.former);
  return waits_for;
}

/** The new member has followed since it began: there is nothing to copy beside that. */
async function replicate(work: Work): Promise<Copied> {
  const waits_for = await untilClose(work);
  return waits_for === null
    ? { isDone: true, change: { log: 'The new member has everything, and gets each change a moment later.' } }
    : { isDone: false, waits_for };
}

/** Waits until the former member has received what the new one has written. The agent makes it follow. */
async function keepFormer(work: Work): Promise<void> {
  const { cluster } = work;
  const until = performance.now() + ARRIVES_WITHIN_MS;
  let written: number | undefined;
  for (;;) {
    const { leading, following } = await followingOf(work, 'former');
    if (leading?.leads && written === undefined) {
      // Where a worker was killed between the decision and the release.
      await inTurn(cluster.id, () => release(endpointOf(cluster)));
      written = leading.number;
    }
    const side = following?.following;
    if (side?.is_refused) throw new UpgradeTrouble(refusal(work, side.trouble));
    if (written !== undefined && side?.is_linked && side.pending === 0 && side.number >= written) return;
    if (performance.now() > until) {
      // One that compares all its data, because it began anew, is waited for by the way back.
      if (side?.is_linked && side.pending > 0) return;
      throw new MemberError('starting', undefined);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

const refusal = ({ former }: Work, trouble: string | null) =>
  `Qdrant ${former.version} refuses what the new version has: ${trouble}`;

async function wayBack(work: Work): Promise<WayBack> {
  const { following, lag } = await followingOf(work, 'former');
  const side = following?.following;
  if (side?.is_refused) return { possible: false, reason: refusal(work, side.trouble) };
  if (lasting(awayOf(work.job.id), 'former', !side?.is_linked) <= AWAY_MS)
    return { possible: true, lagBytes: lag ?? 0 };
  return { possible: false, reason: side?.trouble ?? 'The former member has ended, and did not come back.' };
}

async function prepareWayBack(work: Work): Promise<{ isNear: boolean }> {
  const found = await wayBack(work);
  if (!found.possible) throw new UpgradeTrouble(found.reason);
  const { lag } = await followingOf(work, 'former');
  return { isNear: lag !== null && lag <= CLOSE };
}

/** Qdrant: the member of one version follows that of the other, and the endpoint moves between them. */
export const qdrantUpgrades: UpgradeEngine = {
  checkContents,
  settleNext,
  nextInStep: untilClose,
  replicate,
  switchToNext: (work, endpoint, onPart) => moveClients(work, 'next', endpoint, onPart),
  takeBackSwitch: (work, endpoint) => takeBack(work, 'former', endpoint),
  keepFormer,
  wayBack,
  prepareWayBack,
  switchBack: (work, endpoint) => moveClients(work, 'former', endpoint),
  takeBackSwitchBack: (work, endpoint) => takeBack(work, 'next', endpoint),
  // A follower that goes leaves nothing behind.
  async forget() {},
  ended: forgetAway,
};
