import { type Cluster, isCurrent, type Member, primaryOf, servingMembers } from '../cluster/clusters';
import { type DiskMemory, enlargedTo, newDiskMemory, roomyShare, watchDisk } from '../cluster/disk';
import { lasting, type Since } from '../cluster/lasting';
import type { Failure } from '../cluster/member-error';
import { restartEndpoint, restartMember } from '../cluster/member-process';
import { isObserved, type MemberNote, noteStates } from '../cluster/notes';
import { endpointFacts, endpointOf } from '../cluster/specs';
import { PRIMARY } from '../endpoint/configuration';
import { endpointStats, settleEndpoint } from '../endpoint/endpoint';
import type { SingleEngine } from './engine';
import { failureOf } from './state';

/** Large requests keep a member busy for a while. */
const ANSWER_MS = 1_500;
const HUNG_MS = 8_000;
const ENDPOINT_SILENT_MS = 2_000;
/** How much is left when a disk counts as full, in times of what members keep free. */
const SAID_BEFORE = 1.25;

type Memory = DiskMemory & { since: Since };

/** A look at a cluster of one member, with what is remembered of it from look to look. */
export function newLook(engine: SingleEngine): (cluster: Cluster) => Promise<void> {
  const memory: Memory = { ...newDiskMemory(), since: new Map() };
  return (cluster) => look(engine, cluster, memory);
}

async function look(engine: SingleEngine, cluster: Cluster, memory: Memory): Promise<void> {
  const member = primaryOf(servingMembers(cluster));
  if (!member) return;
  const endpoint = endpointOf(cluster);
  const [failure, stats] = await Promise.all([failureOf(cluster, member, ANSWER_MS), endpointStats(endpoint)]);
  const isElsewhere = stats !== undefined && stats.get(PRIMARY)?.addr !== `${member.ip}:${endpoint.port}`;
  // A switch may have finished since the rows were read, and its decision must stand.
  if (isElsewhere && !(await isCurrent(cluster))) return;
  const others = (await engine.settleRoles?.(cluster)) ?? [];
  if (stats) await settleEndpoint(endpoint, endpointFacts(cluster), stats, failure === null);
  wakeHung(engine, cluster, member, failure, stats !== undefined, memory);
  await noteStates(cluster, {
    members: [noteOf(member, failure), ...others],
    running: failure === null ? 1 : 0,
    ...statusOf(engine, cluster, failure),
  });
  // The member itself refuses writes, a little after the cluster has said why.
  const full = fullShare(engine, cluster);
  if (failure === null) await watchDisk(cluster, member, memory, async () => {}, full);
}

/** Starts the member and the endpoint anew when they hang, where nothing else will. */
function wakeHung(
  engine: SingleEngine,
  cluster: Cluster,
  member: Member,
  failure: Failure | null,
  endpointAnswers: boolean,
  { since }: Memory,
): void {
  if (lasting(since, 'hung', failure === 'silent') >= HUNG_MS) {
    since.delete('hung');
    restartMember(engine.memberSpec, cluster, member);
  }
  if (lasting(since, 'endpoint', !endpointAnswers) < ENDPOINT_SILENT_MS) return;
  since.delete('endpoint');
  restartEndpoint(cluster);
}

function noteOf({ id }: Member, failure: Failure | null): MemberNote {
  if (failure === 'silent') return { id, status: 'failed', reason: 'It does not answer.', lag: null };
  return { id, status: failure === null ? 'running' : 'starting', reason: null, lag: null };
}

const fullShare = (engine: SingleEngine, cluster: Pick<Cluster, 'storage_gb'>): number =>
  (engine.keptFreeMb(cluster) * SAID_BEFORE) / (cluster.storage_gb * 1024);

function whatHelps(engine: SingleEngine, cluster: Cluster): string {
  const larger = enlargedTo(cluster, (storage_gb) => roomyShare(fullShare(engine, { storage_gb }), storage_gb));
  return engine.alsoHelps === null ? larger : `${larger}, or ${engine.alsoHelps}`;
}

function statusOf(engine: SingleEngine, cluster: Cluster, failure: Failure | null) {
  const { status, status_reason, read_only } = cluster;
  if (!isObserved(cluster)) return { status, reason: status_reason };
  if (failure === 'silent') return { status: 'degraded', reason: 'Its member does not answer.' };
  if (failure !== null) return { status: 'degraded', reason: 'Its member is being started again.' };
  if (read_only)
    return {
      status: 'degraded',
      reason: `The disk is nearly full: the cluster takes no writes until ${whatHelps(engine, cluster)}.`,
    };
  return { status: 'available', reason: null };
}
