import type { ProjectCall } from '@/lib/core/api/endpoint';
import { conflict, invalid, notFound } from '@/lib/core/api/errors';
import { equalsId, listOf, ofProject } from '@/lib/core/api/list';
import { newId } from '@/lib/core/db/id';
import { queryOne } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { requireNetwork } from '@/lib/domains/loadbalancing/plan';
import { freeAddresses } from '@/lib/domains/network/free-address';
import { addressSpace } from '@/lib/domains/network/ports';
import { reviseRouter } from '@/lib/domains/network/service';
import { type Cluster, readCluster } from '../cluster/clusters';
import { engineTitles, whyNoUpgrades } from '../engines';
import { memberRoom } from '../plan';
import { type ClusterParams, type DatabaseJob, jobQuery, type Preflight } from '../schema';
import { changeRow, memberRows, newMember, noRoom, readClusterRow } from '../service';
import { newestUpgrade } from '../versions';
import type { ClusterRow } from '../view';
import { rollBackKind, upgradeKind } from './operations';
import { runPreflight } from './preflight';
import { jobColumns, jobTables, type ShownJob, viewJob } from './rows';

export const listJobs = listOf({
  query: jobQuery,
  columns: jobColumns,
  from: jobTables,
  id: 'j.id',
  where: ofProject('j'),
  filters: { cluster_id: equalsId('j.cluster_id') },
  view: viewJob,
});

async function readJobRow(call: ProjectCall, id: string): Promise<ShownJob> {
  const row = await queryOne<ShownJob>(sql`SELECT ${jobColumns} FROM ${jobTables}
    WHERE j.project_id = ${call.project_id}::uuid AND j.id = ${id}::uuid`);
  if (!row) throw notFound('The upgrade job');
  return row;
}

/** One upgrade with its stages and lines. @throws ApiError 404 */
export const readJob = async (call: ProjectCall, id: string): Promise<DatabaseJob> =>
  viewJob(await readJobRow(call, id));

/** @throws ApiError 404, 409 for an engine whose clusters cannot be upgraded */
async function upgradable(call: ProjectCall, params: ClusterParams): Promise<{ row: ClusterRow; cluster: Cluster }> {
  const row = await readClusterRow(call, params);
  const hint = whyNoUpgrades(row.engine);
  if (hint !== null) throw conflict(hint);
  const cluster = await readCluster(row.id);
  if (!cluster) throw notFound('The database cluster');
  return { row, cluster };
}

/** The five checks before an upgrade. @throws ApiError 404 */
export async function preflight(call: ProjectCall, params: ClusterParams, target?: string): Promise<Preflight> {
  const { row, cluster } = await upgradable(call, params);
  return runPreflight(cluster, row.version, target ?? newestUpgrade(row.engine, row.version) ?? row.version);
}

/**
 * Starts an upgrade: reserves the room of the new members, which stand beside the present ones until the way back ends.
 * @throws ApiError 400, 404, 409 that names a failed check, 503 no room
 */
export async function startUpgrade(call: ProjectCall, params: ClusterParams, target: string): Promise<DatabaseJob> {
  const { row, cluster } = await upgradable(call, params);
  if (target === row.version)
    throw invalid(`target_version: the cluster already runs ${engineTitles[row.engine]} ${target}.`);
  const { checks } = await runPreflight(cluster, row.version, target);
  const failed = checks.find(({ status }) => status === 'failed');
  if (failed)
    throw conflict(
      `${failed.id}: ${[failed.message, ...failed.details.slice(0, 5)].join(' ')} ${failed.action ?? ''}`.trim(),
    );
  const network = await requireNetwork(call, row.network_id);
  const addresses = await freeAddresses(addressSpace(network.id, network.cidr, network.gateway_ip), row.instances);
  if (addresses.length < row.instances)
    throw conflict(`The network has no ${row.instances} free addresses for the new members.`);
  const highest = Math.max(...cluster.members.map(({ ordinal }) => ordinal));
  const next_group = Math.max(cluster.serving_group, ...cluster.members.map(({ group_no }) => group_no)) + 1;
  const members = addresses.map((ip, index) =>
    newMember({
      ordinal: highest + index + 1,
      ip,
      version: target,
      role: index === 0 ? 'primary' : 'standby',
      group_no: next_group,
    }),
  );
  const job = newJob(call, row, cluster, target, next_group);
  const amounts = memberRoom(cluster);
  await changeRow(call, row, {
    status: 'upgrading',
    in: ['available'],
    needs: members.map((one) => ({ cell: row.cell_id, device: one.id, amounts })),
    room: { fits: raw('true'), refusal: noRoom },
    rows: {
      job: sql`INSERT INTO database_jobs (id, project_id, cluster_id, stage, from_version, target_version, former_group, next_group, transitions, created_at, updated_at)
        SELECT ${job.id}::uuid, ${call.project_id}::uuid, ${row.id}::uuid, 'pending', ${row.version}::text, ${target}::text,
          ${cluster.serving_group}::int, ${next_group}::int, ${JSON.stringify(job.transitions)}::jsonb, ${call.at}::timestamptz, ${call.at}::timestamptz
        FROM ${ifAdmitted}`,
      ...memberRows(call, { ...row, network }, members),
      revised: reviseRouter(call.project_id),
    },
    operation: upgradeKind.start(row.id, { job_id: job.id }, row),
    details: { from: row.version, target_version: target, job_id: job.id },
    answer: { status: 202, body: viewJob(job) },
  });
  return viewJob(job);
}

const newJob = (
  call: ProjectCall,
  row: ClusterRow,
  cluster: Cluster,
  target: string,
  next_group: number,
): ShownJob => ({
  id: newId(),
  project_id: call.project_id,
  cluster_id: row.id,
  engine: row.engine,
  namespace: row.namespace,
  name: row.name,
  stage: 'pending',
  from_version: row.version,
  target_version: target,
  former_group: cluster.serving_group,
  next_group,
  progress: 0,
  databases: [],
  watched_since: [],
  switching: false,
  pause_ms: null,
  failed_connections: null,
  rollback_pause_ms: null,
  error: null,
  rollback_wanted: false,
  rollback_until: null,
  rollback_ended: null,
  transitions: [{ stage: 'pending', at: call.at.toISOString() }],
  logs: [],
  created_at: call.at,
  updated_at: call.at,
  finished_at: null,
});

/**
 * Goes back to the version before: at any time while the job runs, and afterwards as long as the former members follow.
 * @throws ApiError 404, 409 with why it is not possible
 */
export async function rollBack(call: ProjectCall, id: string): Promise<DatabaseJob> {
  const row = await readJobRow(call, id);
  const shown = viewJob(row);
  if (!shown.rollback.possible) throw conflict(shown.rollback.reason ?? 'There is no way back.');
  return row.finished_at === null ? rollBackDuring(call, row) : rollBackAfter(call, row);
}

async function rollBackDuring(call: ProjectCall, row: ShownJob): Promise<DatabaseJob> {
  const changed = viewJob({ ...row, rollback_wanted: true, updated_at: call.at });
  await commit(call, {
    resource: { type: 'database_cluster', id: row.cluster_id, name: row.name },
    target: sql`SELECT j.finished_at IS NULL AS allowed, j.stage AS state FROM k JOIN database_jobs j ON j.project_id = k.project_id AND j.id = ${row.id}::uuid
      FOR UPDATE OF j`,
    forbidden: (state) => `The job is ${state}; read it again.`,
    rows: {
      job: sql`UPDATE database_jobs SET rollback_wanted = true, updated_at = ${call.at}::timestamptz FROM ${ifAdmitted}
        AND database_jobs.id = ${row.id}::uuid`,
    },
    details: { job_id: row.id },
    answer: { status: 202, body: changed },
  });
  return changed;
}

async function rollBackAfter(call: ProjectCall, row: ShownJob): Promise<DatabaseJob> {
  const found = await queryOne<ClusterRow>(
    sql`SELECT c.id, c.name, c.cell_id, c.updated_at FROM database_clusters c WHERE c.id = ${row.cluster_id}::uuid`,
  );
  if (!found) throw notFound('The database cluster');
  const entered = [{ stage: 'rolling_back' as const, at: call.at.toISOString() }];
  const changed = viewJob({
    ...row,
    stage: 'rolling_back',
    transitions: [...row.transitions, ...entered],
    updated_at: call.at,
  });
  await changeRow(call, found, {
    status: 'upgrading',
    in: ['available', 'degraded'],
    rows: {
      job: sql`UPDATE database_jobs SET stage = 'rolling_back', transitions = transitions || ${JSON.stringify(entered)}::jsonb, rollback_wanted = true,
        finished_at = NULL, updated_at = ${call.at}::timestamptz FROM ${ifAdmitted} AND database_jobs.id = ${row.id}::uuid`,
    },
    operation: rollBackKind.start(row.cluster_id, { job_id: row.id }, found),
    details: { job_id: row.id },
    answer: { status: 202, body: changed },
  });
  return changed;
}
