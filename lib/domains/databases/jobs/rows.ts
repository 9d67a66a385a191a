import { now } from '@/lib/clock';
import { query, queryOne } from '@/lib/core/db/pool';
import { join, raw, type Sql, sql } from '@/lib/core/db/sql';
import { ifAdmitted } from '@/lib/core/quota/commit';
import { type DatabaseEngine, engineTitles } from '../engines';
import type { DatabaseJob, JobStage } from '../schema';
import { upgradeMethods } from '../versions';

type Transition = DatabaseJob['transitions'][number];
export type JobLog = DatabaseJob['logs'][number];

/** An upgrade as its steps work on it. */
export type JobRow = {
  id: string;
  project_id: string;
  cluster_id: string;
  stage: JobStage;
  from_version: string;
  target_version: string;
  former_group: number;
  next_group: number;
  progress: number;
  databases: string[];
  watched_since: string[];
  switching: boolean;
  pause_ms: number | null;
  failed_connections: number | null;
  rollback_pause_ms: number | null;
  error: string | null;
  rollback_wanted: boolean;
  rollback_until: Date | null;
  rollback_ended: string | null;
  transitions: Transition[];
  logs: JobLog[];
  created_at: Date;
  updated_at: Date;
  finished_at: Date | null;
};

const columns =
  raw(`j.id, j.project_id, j.cluster_id, j.stage, j.from_version, j.target_version, j.former_group, j.next_group, j.progress,
  j.databases, j.watched_since, j.switching, j.pause_ms, j.failed_connections, j.rollback_pause_ms, j.error,
  j.rollback_wanted, j.rollback_until, j.rollback_ended, j.transitions, j.logs, j.created_at, j.updated_at, j.finished_at`);

export type ShownJob = JobRow & { engine: DatabaseEngine; namespace: string; name: string };
export const jobColumns = sql`${columns}, c.engine, c.namespace, c.name`;
export const jobTables = raw(
  'database_jobs j JOIN database_clusters c ON c.project_id = j.project_id AND c.id = j.cluster_id',
);

export const findJob = (id: string): Promise<JobRow | undefined> =>
  queryOne<JobRow>(sql`SELECT ${columns} FROM database_jobs j WHERE j.id = ${id}::uuid`);

/** Upgrades whose former members are still there. */
export const keptJobs = (clusterIds: readonly string[] | null): Promise<JobRow[]> =>
  query<JobRow>(sql`SELECT ${columns} FROM database_jobs j WHERE j.stage = 'completed' AND j.rollback_until IS NOT NULL
    AND (${clusterIds === null}::boolean OR j.cluster_id = ANY (${clusterIds ?? []}::uuid[])) ORDER BY j.id`);

export type JobChange = Partial<
  Pick<
    JobRow,
    | 'progress'
    | 'databases'
    | 'watched_since'
    | 'switching'
    | 'pause_ms'
    | 'failed_connections'
    | 'rollback_pause_ms'
    | 'error'
    | 'rollback_until'
    | 'rollback_ended'
    | 'finished_at'
  >
> & {
  /** A stage that begins; once more the same one is none. */
  stage?: JobStage;
  log?: string | readonly string[];
  level?: JobLog['level'];
};

const types: Record<Exclude<keyof JobChange, 'stage' | 'log' | 'level'>, string> = {
  progress: 'int',
  databases: 'text[]',
  watched_since: 'text[]',
  switching: 'boolean',
  pause_ms: 'int',
  failed_connections: 'int',
  rollback_pause_ms: 'int',
  error: 'text',
  rollback_until: 'timestamptz',
  rollback_ended: 'text',
  finished_at: 'timestamptz',
};

/** Lines that a job keeps. */
const MOST_LINES = 500;

/** A change of a job's row, with its transition and its lines, as part of a step. */
export function jobChange(id: string, change: JobChange): Sql {
  const { stage, log, level = 'info', ...values } = change;
  const at = now().toISOString();
  const lines = (log === undefined ? [] : [log].flat()).map((message) => ({ at, level, message }));
  const set = Object.entries(types).flatMap(([name, type]) => {
    const value = Object.entries(values).find(([key]) => key === name);
    return value ? [sql`${raw(name)} = ${value[1]}::${raw(type)}`] : [];
  });
  if (stage !== undefined) {
    const entered = JSON.stringify([{ stage, at }]);
    set.push(
      sql`stage = ${stage}::text`,
      sql`transitions = CASE WHEN database_jobs.stage = ${stage}::text THEN transitions ELSE transitions || ${entered}::jsonb END`,
    );
  }
  if (lines.length > 0)
    set.push(
      sql`logs = CASE WHEN jsonb_array_length(logs) < ${MOST_LINES}::int THEN logs || ${JSON.stringify(lines)}::jsonb ELSE logs END`,
    );
  set.push(raw('updated_at = platform_now()'));
  return sql`UPDATE database_jobs SET ${join(set, ', ')} FROM ${ifAdmitted} AND database_jobs.id = ${id}::uuid`;
}

const iso = (at: Date | null) => (at === null ? null : new Date(at).toISOString());

export function viewJob(row: ShownJob): DatabaseJob {
  return {
    id: row.id,
    job_id: row.id,
    cluster_id: row.cluster_id,
    engine: row.engine,
    namespace: row.namespace,
    name: row.name,
    stage: row.stage,
    from_version: row.from_version,
    target_version: row.target_version,
    method: upgradeMethods[row.engine].method,
    progress: row.progress,
    pause_ms: row.pause_ms,
    failed_connections: row.failed_connections,
    rollback_pause_ms: row.rollback_pause_ms,
    error: row.error,
    rollback: rollbackOf(row),
    transitions: row.transitions,
    logs: row.logs,
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    finished_at: iso(row.finished_at),
  };
}

function rollbackOf({
  engine,
  stage,
  from_version,
  rollback_until,
  rollback_ended,
}: ShownJob): DatabaseJob['rollback'] {
  const none = (reason: string) => ({ possible: false, until: null, loses: null, reason });
  if (stage === 'rolling_back') return none('It is under way.');
  if (stage === 'rolled_back' || stage === 'failed')
    return none(`The cluster already runs ${engineTitles[engine]} ${from_version}.`);
  if (rollback_ended !== null) return none(rollback_ended);
  if (stage !== 'completed') return { possible: true, until: null, loses: null, reason: null };
  if (rollback_until === null) return none('The time for it is over.');
  return { possible: true, until: iso(rollback_until), loses: null, reason: null };
}
