import { engineOf } from '@/lib/engines/engines';
import { log } from '@/lib/log';
import { appoint } from '../cluster/appoint';
import { type Cluster, isCurrent, type Member, membersBeside, primaryOf, servingMembers } from '../cluster/clusters';
import { type DiskMemory, enlargedTo, newDiskMemory, watchDisk } from '../cluster/disk';
import { lasting, type Since } from '../cluster/lasting';
import type { Failure } from '../cluster/member-error';
import { restartEndpoint, restartMember, startMember } from '../cluster/member-process';
import { isObserved, type MemberNote, noteStates } from '../cluster/notes';
import { endpointFacts, endpointOf } from '../cluster/specs';
import { PRIMARY } from '../endpoint/configuration';
import { endpointStats, hold, reaches, release, repoint, settleEndpoint } from '../endpoint/endpoint';
import { memberName } from '../view';
import { forget } from './connections';
import { promote, settleOthers, settleRoles } from './follow';
import { leaderOf } from './leader';
import { memberSpec } from './specs';
import { bestStandby, lagBehind, type Seen, statesOf } from './state';
import { settleWrites } from './writes';

/** A primary that ended may be back with its file within this time; then nothing is lost. One that never served gets longer. */
const PATIENCE_MS: Record<Failure, { seen: number; unseen: number }> = {
  refused: { seen: 500, unseen: 5_000 },
  starting: { seen: 500, unseen: 30_000 },
  silent: { seen: 1_500, unseen: 3_000 },
};
const CUT_MS = 400;
const HUNG_MS = 8_000;
const ENDPOINT_SILENT_MS = 2_000;

type Memory = DiskMemory & {
  since: Since;
  sawPrimary: string | null;
  /** What the primary had written when it was last seen. */
  offset: number;
};

/** A look at a cluster of Valkey, with what is remembered of it from look to look. */
export function newLook(): (cluster: Cluster) => Promise<void> {
  const memory: Memory = { ...newDiskMemory(), since: new Map(), sawPrimary: null, offset: 0 };
  return (cluster) => look(cluster, memory);
}

async function look(cluster: Cluster, memory: Memory): Promise<void> {
  const members = servingMembers(cluster);
  const primary = primaryOf(members);
  if (!primary) return;
  const endpoint = endpointOf(cluster);
  const [seen, others, stats] = await Promise.all([
    statesOf(cluster, members),
    statesOf(cluster, membersBeside(cluster)),
    endpointStats(endpoint),
  ]);
  const reached = (member: Member) => (stats ? reaches(endpoint, stats, member.ip) : undefined);
  const own = seen.find(({ member }) => member === primary);
  const failure = own && failureOf(primary, own, seen, memory, reached);
  if (failure && bestStandby(seen)) {
    await replacePrimary(cluster, primary, seen, failure, memory);
    memory.sawPrimary = null;
    memory.since.clear();
    return;
  }
  if (own?.state.isUp && own.state.isPrimary) {
    memory.sawPrimary = primary.id;
    memory.offset = own.state.offset;
  }
  const isElsewhere = stats !== undefined && stats.get(PRIMARY)?.addr !== `${primary.ip}:${endpoint.port}`;
  // A switch may have finished since the rows were read, and its decision must stand.
  if ((isElsewhere || [...seen, ...others].some((one) => isMisplaced(cluster, one))) && !(await isCurrent(cluster)))
    return;
  await settleRoles(cluster, primary, seen);
  await settleOthers(cluster, seen, others);
  if (stats) await settleEndpoint(endpoint, endpointFacts(cluster), stats, true);
  wakeHung(cluster, seen, stats !== undefined, memory);
  await note(cluster, seen, others, primary);
  if (!own?.state.isUp || !own.state.isPrimary) return;
  // A switch that was never decided has left it so.
  if (own.state.refusesWrites !== cluster.read_only) await settleWrites(cluster, primary, cluster.read_only);
  await watchDisk(cluster, primary, memory, async (isFull) => {
    await settleWrites(cluster, primary, isFull);
  });
}

/** Whether a member that answers is not in the role, or does not follow the member, that the rows name. */
function isMisplaced(cluster: Cluster, { member, state }: Seen): boolean {
  const leader = leaderOf(cluster, member);
  return state.isUp && (state.isPrimary ? leader !== undefined : state.follows !== leader?.ip);
}

/** Why the primary must be replaced now; undefined while it need not. */
function failureOf(
  primary: Member,
  { state }: Seen,
  seen: readonly Seen[],
  { since, sawPrimary }: Memory,
  reached: (member: Member) => boolean | undefined,
): string | undefined {
  const isCut =
    state.isUp &&
    reached(primary) === false &&
    seen.some(({ member }) => member.role === 'standby' && reached(member) === true);
  if (lasting(since, 'primary cut', isCut) >= CUT_MS) return 'it cannot be reached from the network';
  const isDown = !state.isUp && state.failure !== 'silent';
  const [down, silent] = [
    lasting(since, 'primary down', isDown),
    lasting(since, 'primary silent', !state.isUp && state.failure === 'silent'),
  ];
  if (state.isUp) return undefined;
  const patience = PATIENCE_MS[state.failure][sawPrimary === primary.id ? 'seen' : 'unseen'];
  if (Math.max(down, silent) < patience) return undefined;
  return { refused: 'it ended', starting: 'it reads its file', silent: 'it does not answer' }[state.failure];
}

/** Ends the failed primary for good, appoints the best standby and leads clients there. New connections wait meanwhile. */
async function replacePrimary(
  cluster: Cluster,
  failed: Member,
  seen: readonly Seen[],
  reason: string,
  memory: Memory,
): Promise<void> {
  const target = bestStandby(seen);
  if (!target) return;
  const endpoint = endpointOf(cluster);
  const details = { reason, unreplicated_bytes: Math.max(0, memory.offset - target.offset) };
  log.warn({ cluster: cluster.id, to: target.member.ordinal, ...details }, 'the primary failed: a standby takes over');
  const held = hold(endpoint).catch(() => {});
  // Nothing of it may run when its successor begins to write.
  await engineOf(cluster.cell_id).services.killService(failed.id);
  forget(failed);
  await held;
  try {
    const change = { from: failed, to: target.member, rebuild: false, action: 'failed_over', details } as const;
    if (!(await appoint(cluster, change))) return;
    await promote(cluster, target.member);
    await repoint(endpoint, target.member.ip);
  } finally {
    await release(endpoint);
  }
  for (const { member } of seen) startMember(memberSpec, cluster, member.id);
}

/** Starts members and endpoints anew that hang, where nothing else will. */
function wakeHung(cluster: Cluster, seen: readonly Seen[], endpointAnswers: boolean, { since }: Memory): void {
  for (const { member, state } of seen) {
    const isSilent = !state.isUp && state.failure === 'silent';
    if (lasting(since, `hung ${member.id}`, isSilent) < HUNG_MS) continue;
    since.delete(`hung ${member.id}`);
    forget(member);
    restartMember(memberSpec, cluster, member);
  }
  if (lasting(since, 'endpoint', !endpointAnswers) < ENDPOINT_SILENT_MS) return;
  since.delete('endpoint');
  restartEndpoint(cluster);
}

async function note(cluster: Cluster, seen: readonly Seen[], others: readonly Seen[], primary: Member): Promise<void> {
  const own = seen.find(({ member }) => member === primary);
  const written = own?.state.isUp && own.state.isPrimary ? own.state.offset : null;
  await noteStates(cluster, {
    members: [
      ...seen.map((one) => noteOf(one, written)),
      ...others.map((one) => noteOfOther(cluster, one, [...seen, ...others])),
    ],
    running: seen.filter(({ state }) => state.isUp).length,
    ...statusOf(cluster, seen, primary, written !== null),
  });
}

function noteOf({ member, state }: Seen, written: number | null): MemberNote {
  const { id } = member;
  if (!state.isUp) {
    if (state.failure === 'silent') return { id, status: 'failed', reason: 'It does not answer.', lag: null };
    return { id, status: 'starting', reason: null, lag: null };
  }
  if (state.isPrimary) return { id, status: 'running', reason: null, lag: null };
  const lag = written === null ? null : Math.max(0, written - state.offset);
  return { id, status: state.isLinked && member.in_sync ? 'running' : 'catching_up', reason: null, lag };
}

/** A member of the version that does not serve. */
function noteOfOther(cluster: Cluster, one: Seen, all: readonly Seen[]): MemberNote {
  const { member, state } = one;
  if (!state.isUp) return noteOf(one, null);
  const leader = leaderOf(cluster, member);
  const lag = leader ? lagBehind(state, leader, all.find((other) => other.member.id === leader.id)?.state) : null;
  return { id: member.id, status: lag === null ? 'catching_up' : 'running', reason: null, lag };
}

function statusOf(cluster: Cluster, seen: readonly Seen[], primary: Member, isServed: boolean) {
  const { status, status_reason, name, instances } = cluster;
  if (!isObserved(cluster)) return { status, reason: status_reason };
  if (!isServed) return { status: 'failing_over', reason: 'The primary does not answer.' };
  if (cluster.read_only)
    return {
      status: 'degraded',
      reason: `The disk is nearly full: the cluster takes no writes until ${enlargedTo(cluster)}.`,
    };
  const missing = seen.filter(({ member, state }) => member !== primary && !(member.in_sync && state.isUp));
  if (missing.length === 0 && seen.length >= instances) return { status: 'available', reason: null };
  const names = missing.map(({ member }) => memberName(name, member.ordinal)).join(', ');
  return { status: 'degraded', reason: `${names} is not in step with the primary.` };
}
