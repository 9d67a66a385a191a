import { log } from '@/lib/log';
import { type Cluster, type Member, primaryOf, servingMembers } from '../cluster/clusters';
import { lasting, type Since } from '../cluster/lasting';
import type { Failure } from '../cluster/member-error';
import { restartEndpoint } from '../cluster/member-process';
import { isObserved, type MemberNote, noteStates } from '../cluster/notes';
import { endpointFacts, endpointOf } from '../cluster/specs';
import { endpointStats, reaches, settleEndpoint } from '../endpoint/endpoint';
import { memberName } from '../view';
import { newLookBeside } from './beside';
import { type DiskGuard, type DiskLevel, guardDisk, newDiskGuard, whatHelps } from './disk';
import { bestStandby, promote, replacePrimary, startMember, stopFormer } from './promotion';
import { holdsUp, newReplicationMemory, type ReplicationMemory, settleReplication } from './replication';
import { isServing, noteOf, type Seen, stateOf, statesOf } from './state';
import { wakeMember } from './wake';

/** A primary that this process has seen serving is replaced after this time; before, it may still be starting. */
const PATIENCE_MS: Record<Failure, { seen: number; unseen: number }> = {
  refused: { seen: 0, unseen: 5_000 },
  starting: { seen: 300, unseen: 30_000 },
  silent: { seen: 1_500, unseen: 3_000 },
};
/** A primary that the endpoint does not reach, while it reaches the standby. */
const CUT_MS = 400;
const ENDPOINT_SILENT_MS = 2_000;

type Memory = ReplicationMemory & {
  sawPrimary: string | null;
  since: Since;
  disk: DiskGuard;
  lookBeside: (cluster: Cluster) => Promise<MemberNote[]>;
};

const newMemory = (): Memory => ({
  ...newReplicationMemory(),
  sawPrimary: null,
  since: new Map(),
  disk: newDiskGuard(),
  lookBeside: newLookBeside(),
});

/** A look at a cluster of PostgreSQL, with what is remembered of it from look to look. */
export function newLook(): (cluster: Cluster) => Promise<void> {
  const memory = newMemory();
  return (cluster) => look(cluster, memory);
}

async function look(cluster: Cluster, memory: Memory): Promise<void> {
  const members = servingMembers(cluster);
  const primary = primaryOf(members);
  if (!primary) return;
  const [seen, beside, stats] = await Promise.all([
    statesOf(cluster, members),
    memory.lookBeside(cluster),
    endpointStats(endpointOf(cluster)),
  ]);
  const reached = (member: Member) => (stats ? reaches(endpointOf(cluster), stats, member.ip) : undefined);
  const former = seen.filter((one) => one.member.role === 'standby' && isServing(one));
  for (const { member } of former) {
    await stopFormer(cluster, member);
    startMember(cluster, member.id);
  }
  const own = seen.find(({ member }) => member === primary);
  if (own?.state.isUp && !own.state.isPrimary && former.length === 0) {
    // Appointed, but whoever did it came no further.
    await promote(cluster, primary);
    return;
  }
  const failure = failureOf(cluster, primary, seen, memory, reached);
  if (failure && bestStandby(seen)) {
    await replacePrimary(cluster, primary, seen, failure);
    for (const { member } of seen) startMember(cluster, member.id);
    memory.sawPrimary = null;
    memory.since.clear();
    memory.waitedFrom.clear();
    return;
  }
  const troubles = own && isServing(own) ? await settleServing(cluster, primary, members, seen, reached, memory) : [];
  if (stats)
    await settleEndpoint(endpointOf(cluster), endpointFacts(cluster), stats, own !== undefined && isServing(own));
  wakeHung(cluster, seen, own !== undefined && isServing(own), stats !== undefined, memory);
  await note(cluster, seen, beside, primary, memory.disk.level);
  for (const trouble of troubles) throw trouble;
}

/**
 * Sees to the replication and the disks of a cluster whose primary serves: a full disk must not keep the one from being seen
 * to, nor a hanging standby the other. @returns what could not be done
 */
async function settleServing(
  cluster: Cluster,
  primary: Member,
  members: readonly Member[],
  seen: readonly Seen[],
  reached: (member: Member) => boolean | undefined,
  memory: Memory,
): Promise<unknown[]> {
  memory.sawPrimary = primary.id;
  const before = seen.find(({ member }) => member === primary)?.state;
  const standbys = members.filter(({ role }) => role === 'standby');
  const silent = seen.filter(({ member, state }) => member !== primary && !state.isUp && state.failure === 'silent');
  // Whether a standby that did not answer holds up commits, the primary knows.
  const state = silent.length > 0 ? await stateOf(cluster, primary) : before;
  if (!before?.isUp || !before.isPrimary || !state?.isUp || !state.isPrimary) return [];
  const isAway = (standby: Member) =>
    seen.some(({ member, state }) => member === standby && !state.isUp) ||
    (reached(standby) === false && reached(primary) === true);
  const isStuck = (standby: Member) =>
    silent.some(({ member }) => member === standby) && holdsUp(standby, before.followers, state);
  const results = await Promise.allSettled([
    settleReplication(cluster, primary, state, standbys, { isAway, isStuck }, memory),
    guardDisk(cluster, primary, members, memory.disk),
  ]);
  return results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
}

/** Why the primary must be replaced now; undefined while it need not. */
function failureOf(
  cluster: Cluster,
  primary: Member,
  seen: readonly Seen[],
  memory: Memory,
  reached: (member: Member) => boolean | undefined,
): string | undefined {
  const own = seen.find(({ member }) => member === primary);
  if (!own) return undefined;
  const { state } = own;
  const times = (['refused', 'starting', 'silent'] as const).map((failure) => ({
    failure,
    ms: lasting(memory.since, `primary ${failure}`, !state.isUp && state.failure === failure),
  }));
  const isCut =
    state.isUp &&
    reached(primary) === false &&
    seen.some(({ member }) => member.role === 'standby' && member.in_sync && reached(member) === true);
  const cut = lasting(memory.since, 'primary cut', isCut);
  if (cut >= CUT_MS) return 'it cannot be reached from the network';
  const patience = memory.sawPrimary === primary.id ? 'seen' : 'unseen';
  const over = times.find(({ failure, ms }) => ms > 0 && ms >= PATIENCE_MS[failure][patience]);
  if (!over) return undefined;
  log.debug({ cluster: cluster.id, ...over }, 'the primary does not serve');
  return { refused: 'it ended', starting: 'it is recovering', silent: 'it does not answer' }[over.failure];
}

/** Starts members and endpoints anew that hang, or follow nobody, where nothing else will. */
function wakeHung(
  cluster: Cluster,
  seen: readonly Seen[],
  isServed: boolean,
  endpointAnswers: boolean,
  { since }: Memory,
): void {
  for (const one of seen) wakeMember(cluster, one, isServed, since);
  if (lasting(since, 'endpoint', !endpointAnswers) >= ENDPOINT_SILENT_MS) {
    since.delete('endpoint');
    restartEndpoint(cluster);
  }
}

async function note(
  cluster: Cluster,
  seen: readonly Seen[],
  beside: readonly MemberNote[],
  primary: Member,
  disk: DiskLevel,
): Promise<void> {
  const own = seen.find(({ member }) => member === primary);
  await noteStates(cluster, {
    members: [...seen.map((one) => noteOf(one, own)), ...beside],
    running: seen.filter(({ state }) => state.isUp).length,
    ...clusterStatus(cluster, seen, primary, disk),
  });
}

function clusterStatus(cluster: Cluster, seen: readonly Seen[], primary: Member, disk: DiskLevel) {
  const { status, status_reason, name, instances } = cluster;
  if (!isObserved(cluster)) return { status, reason: status_reason };
  const own = seen.find(({ member }) => member === primary);
  if (!own || !isServing(own)) {
    if (bestStandby(seen)) return { status: 'failing_over', reason: 'The primary does not answer.' };
    return { status: 'degraded', reason: 'The primary is being started again; no other member has all its data.' };
  }
  if (disk === 'closed')
    return {
      status: 'degraded',
      reason: `The disk is full: the cluster takes no connections until ${whatHelps(cluster)}.`,
    };
  if (cluster.read_only)
    return {
      status: 'degraded',
      reason: `The disk is nearly full: the cluster takes no writes until ${whatHelps(cluster)}.`,
    };
  const missing = seen.filter(({ member, state }) => member !== primary && !(member.in_sync && state.isUp));
  if (missing.length === 0 && seen.length >= instances) return { status: 'available', reason: null };
  const names = missing.map(({ member }) => memberName(name, member.ordinal)).join(', ');
  return { status: 'degraded', reason: `${names} is not in step with the primary; writes do not wait for it.` };
}
