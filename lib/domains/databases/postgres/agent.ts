import { signalChange } from '@/lib/core/db/changes';
import { hintInsert } from '@/lib/core/db/hint';
import { execute, query } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { engineOf } from '@/lib/engines/engines';
import { log } from '@/lib/log';
import { endpointStats, reaches, settleEndpoint } from '../endpoint/endpoint';
import type { MemberStatus } from '../schema';
import { memberName } from '../view';
import { type Cluster, type Member, primaryOf, readClusters, servingMembers } from './clusters';
import { ask, type Failure, forget } from './connections';
import { bestStandby, endpointOf, promote, replacePrimary, startMember, stopFormer } from './promotion';
import { newReplicationMemory, type ReplicationMemory, settleReplication } from './replication';
import { endpointFacts, endpointSpec } from './specs';
import { isServing, type Seen, statesOf } from './state';
import { ifIdle } from './turns';

/** A primary that this process has seen serving is replaced after this time; before, it may still be starting. */
const PATIENCE_MS: Record<Failure, { seen: number; unseen: number }> = {
  refused: { seen: 0, unseen: 5_000 },
  starting: { seen: 300, unseen: 30_000 },
  silent: { seen: 1_500, unseen: 3_000 },
};
/** A primary that the endpoint does not reach, while it reaches the standby. */
const CUT_MS = 400;
/** A member that hangs, or follows nobody, for so long is started anew. */
const HUNG_MS = 8_000;
const ASTRAY_MS = 15_000;
const ENDPOINT_SILENT_MS = 2_000;
const DISK_MS = 3_000;
/** Share of the disk that is free: below the first, the cluster takes no writes; above the second, it does again. */
const FULL = 0.04;
const ROOMY = 0.08;

type Memory = ReplicationMemory & {
  sawPrimary: string | null;
  /** When each of these began to be so. */
  since: Map<string, number>;
  diskAt: number;
};

const newMemory = (): Memory => ({
  ...newReplicationMemory(),
  sawPrimary: null,
  since: new Map(),
  diskAt: Number.NEGATIVE_INFINITY,
});

const WATCHED = ['available', 'degraded', 'failing_over', 'updating', 'upgrading', 'error'];

/** Watches the clusters of a cell: fail-over, replication, the endpoint, the disk and observed states. */
export function clusterAgent(cell: string): () => Promise<void> {
  const memories = new Map<string, Memory>();
  return async () => {
    const clusters = await readClusters(
      sql`c.cell_id = ${cell}::text AND c.status = ANY (${WATCHED}::text[]) AND c.launched_at IS NOT NULL`,
    );
    const known = new Set(clusters.map(({ id }) => id));
    for (const id of memories.keys()) if (!known.has(id)) memories.delete(id);
    await Promise.all(
      clusters.map(async (cluster) => {
        const memory = memories.get(cluster.id) ?? newMemory();
        memories.set(cluster.id, memory);
        try {
          await ifIdle(cluster.id, () => look(cluster, memory));
        } catch (error) {
          log.warn({ err: error, cluster: cluster.id }, 'a database cluster could not be observed');
        }
      }),
    );
  };
}

/** How long something has been so, in milliseconds; 0 when it is not. */
function lasting({ since }: Memory, what: string, isSo: boolean): number {
  if (!isSo) {
    since.delete(what);
    return 0;
  }
  const began = since.get(what) ?? performance.now();
  since.set(what, began);
  // The first moment counts as one, so that no patience is no waiting.
  return performance.now() - began + Number.EPSILON;
}

async function look(cluster: Cluster, memory: Memory): Promise<void> {
  const members = servingMembers(cluster);
  const primary = primaryOf(members);
  if (!primary) return;
  const [seen, stats] = await Promise.all([statesOf(cluster, members), endpointStats(endpointOf(cluster))]);
  const reached = (member: Member) => (stats ? reaches(stats, member.ip) : undefined);
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
  if (own && isServing(own) && own.state.isUp && own.state.isPrimary) {
    memory.sawPrimary = primary.id;
    const standbys = members.filter(({ role }) => role === 'standby');
    const away = (standby: Member) =>
      seen.some(({ member, state }) => member === standby && !state.isUp) ||
      (reached(standby) === false && reached(primary) === true);
    await settleReplication(cluster, primary, own.state, standbys, away, memory);
  }
  if (stats) await settleEndpoint(endpointOf(cluster), endpointFacts(cluster), stats);
  wakeHung(cluster, seen, own !== undefined && isServing(own), stats !== undefined, memory);
  await Promise.all([noteStates(cluster, seen, primary), watchDisk(cluster, primary, own, memory)]);
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
    ms: lasting(memory, `primary ${failure}`, !state.isUp && state.failure === failure),
  }));
  const isCut =
    state.isUp &&
    reached(primary) === false &&
    seen.some(({ member }) => member.role === 'standby' && member.in_sync && reached(member) === true);
  const cut = lasting(memory, 'primary cut', isCut);
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
  memory: Memory,
): void {
  for (const { member, state } of seen) {
    const isSilent = !state.isUp && state.failure === 'silent';
    if (lasting(memory, `hung ${member.id}`, isSilent) >= HUNG_MS) {
      memory.since.delete(`hung ${member.id}`);
      restart(cluster, member);
    }
    const isAstray = isServed && member.role === 'standby' && state.isUp && !state.isPrimary && !state.isStreaming;
    if (lasting(memory, `astray ${member.id}`, isAstray) >= ASTRAY_MS) {
      memory.since.delete(`astray ${member.id}`);
      rebuild(cluster, member);
    }
  }
  if (lasting(memory, 'endpoint', !endpointAnswers) >= ENDPOINT_SILENT_MS) {
    memory.since.delete('endpoint');
    const { services } = engineOf(cluster.cell_id);
    services
      .killService(cluster.id)
      .then(() => services.ensureService(endpointSpec(cluster)))
      .catch((error) => log.warn({ err: error, cluster: cluster.id }, 'a silent endpoint could not be restarted'));
  }
}

function restart(cluster: Cluster, member: Member): void {
  forget(member);
  log.warn({ cluster: cluster.id, member: member.ordinal }, 'a member hangs: it is started anew');
  engineOf(cluster.cell_id)
    .services.killService(member.id)
    .then(() => startMember(cluster, member.id))
    .catch((error) => log.warn({ err: error, member: member.id }, 'a member that hangs could not be ended'));
}

function rebuild(cluster: Cluster, member: Member): void {
  log.warn(
    { cluster: cluster.id, member: member.ordinal },
    'a standby cannot follow the primary: its data are copied anew',
  );
  forget(member);
  execute(
    sql`UPDATE database_members SET incarnation = incarnation + 1, in_sync = false WHERE id = ${member.id}::uuid AND role = 'standby' AND incarnation = ${member.incarnation}::int`,
  )
    .then(() => startMember(cluster, member.id))
    .catch((error) => log.warn({ err: error, member: member.id }, 'a standby could not be rebuilt'));
}

type MemberNote = { id: string; status: MemberStatus; reason: string | null; lag: number | null };

/** Writes what was seen into the rows, where it differs. */
async function noteStates(cluster: Cluster, seen: readonly Seen[], primary: Member): Promise<void> {
  const notes = seen.map((one) =>
    noteOf(
      one,
      seen.find(({ member }) => member === primary),
    ),
  );
  const running = seen.filter(({ state }) => state.isUp).length;
  const { status, reason } = clusterStatus(cluster, seen, primary);
  const isSame =
    notes.every((note) => {
      const before = cluster.members.find(({ id }) => id === note.id);
      return (
        before?.status === note.status && before.status_reason === note.reason && nearly(before.lag_bytes, note.lag)
      );
    }) &&
    cluster.running === running &&
    cluster.status === status &&
    cluster.status_reason === reason;
  if (isSame) return;
  const changed = await query(sql`
    WITH seen AS (SELECT * FROM jsonb_to_recordset(${JSON.stringify(notes)}::jsonb) AS s (id uuid, status text, reason text, lag bigint)),
    members AS (
      UPDATE database_members m SET status = seen.status, status_reason = seen.reason, lag_bytes = seen.lag FROM seen WHERE m.id = seen.id RETURNING m.id
    ), cluster AS (
      UPDATE database_clusters c SET running = ${running}::int, status = ${status}::text, status_reason = ${reason}::text
      WHERE c.id = ${cluster.id}::uuid AND c.status = ${cluster.status}::text AND c.moves = ${cluster.moves}::int RETURNING c.id
    )
    ${hintInsert(
      { project_id: cluster.project_id, topic: 'database_cluster', resource_id: cluster.id },
      raw('(SELECT 1) AS always WHERE EXISTS (SELECT FROM members) OR EXISTS (SELECT FROM cluster)'),
    )} RETURNING topic`);
  if (changed.length > 0) signalChange();
}

/** A lag moves all the time: only its order of magnitude is news. */
const nearly = (one: number | null, other: number | null) =>
  (one === null) === (other === null) && Math.abs((one ?? 0) - (other ?? 0)) < 1024 ** 2;

function noteOf({ member, state }: Seen, primary: Seen | undefined): MemberNote {
  const note = (status: MemberStatus, reason: string | null = null, lag: number | null = null) => ({
    id: member.id,
    status,
    reason,
    lag,
  });
  if (!state.isUp) {
    if (state.failure === 'silent') return note('failed', 'It does not answer.');
    return state.failure === 'starting'
      ? note('starting')
      : note('stopped', 'It is being started, or copies the data of the primary.');
  }
  if (state.isPrimary) return note('running', null, null);
  const written = primary?.state.isUp && primary.state.isPrimary ? primary.state.written : null;
  const lag = written === null ? null : Math.max(0, written - state.received);
  return note(state.isStreaming && member.in_sync ? 'running' : 'catching_up', null, lag);
}

/** Only these follow from what is seen; the others are an operation's. */
const OBSERVED = ['available', 'degraded', 'failing_over'];

function clusterStatus(cluster: Cluster, seen: readonly Seen[], primary: Member) {
  const { status, status_reason, name, instances } = cluster;
  if (!OBSERVED.includes(status)) return { status, reason: status_reason };
  const own = seen.find(({ member }) => member === primary);
  if (!own || !isServing(own)) {
    if (bestStandby(seen)) return { status: 'failing_over', reason: 'The primary does not answer.' };
    return { status: 'degraded', reason: 'The primary is being started again; no other member has all its data.' };
  }
  if (cluster.read_only)
    return {
      status: 'degraded',
      reason: 'The disk is nearly full: the cluster takes no writes until its storage is enlarged.',
    };
  const missing = seen.filter(({ member, state }) => member !== primary && !(member.in_sync && state.isUp));
  if (missing.length === 0 && seen.length >= instances) return { status: 'available', reason: null };
  const names = missing.map(({ member }) => memberName(name, member.ordinal)).join(', ');
  return { status: 'degraded', reason: `${names} is not in step with the primary; writes do not wait for it.` };
}

/** Keeps a cluster from filling its disk to the last block, which PostgreSQL would not survive. */
async function watchDisk(cluster: Cluster, primary: Member, own: Seen | undefined, memory: Memory): Promise<void> {
  if (performance.now() - memory.diskAt < DISK_MS || !own || !isServing(own)) return;
  memory.diskAt = performance.now();
  const sample = await engineOf(cluster.cell_id).services.sampleService(primary.id);
  if (!sample?.state) return;
  const { usedBytes, totalBytes } = sample.state;
  const free = 1 - usedBytes / totalBytes;
  const isFull = cluster.read_only ? free < ROOMY : free < FULL;
  const isNews = isFull !== cluster.read_only;
  if (isNews) {
    await ask(cluster, primary, `ALTER SYSTEM SET default_transaction_read_only = ${isFull ? 'on' : 'off'}`);
    await ask(cluster, primary, 'SELECT pg_reload_conf()');
  }
  if (isNews || !nearly(cluster.used_bytes, usedBytes))
    await execute(
      sql`UPDATE database_clusters SET used_bytes = ${usedBytes}::bigint, read_only = ${isFull}::boolean WHERE id = ${cluster.id}::uuid`,
    );
}
