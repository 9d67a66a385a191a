import { raw } from '@/lib/core/db/sql';
import { functionUrl } from './addresses';
import type { StoredVariable } from './environment';
import type { CloudFunction, FunctionStatus, FunctionVersion, InvocationSummary } from './schema';

type Moment = Date | string;
const iso = (at: Moment) => new Date(at).toISOString();
const isoOrNull = (at: Moment | null) => (at === null ? null : iso(at));

/** What a version's row has of its configuration. */
export type VersionFacts = {
  template_id: string;
  handler: string;
  memory_mb: number;
  timeout_s: number;
  concurrency: number;
  network: CloudFunction['network'];
  network_id: string | null;
  security_group_ids: string[];
  layer_version_ids: string[];
  schedule: string | null;
  url_auth: CloudFunction['url_auth'];
  env: StoredVariable[];
  code_kind: CloudFunction['code_kind'];
  code_sha256: string;
  code_size_bytes: number;
};

export type FunctionRow = VersionFacts & {
  id: string;
  project_id: string;
  cell_id: string;
  name: string;
  slug: string;
  status: FunctionStatus;
  status_reason: string | null;
  version: number;
  next_run_at: Moment | null;
  last_invoked_at: Moment | null;
  created_at: Moment;
  updated_at: Moment;
};

const facts = `v.template_id, v.handler, v.memory_mb, v.timeout_s, v.concurrency, v.network, v.network_id, v.security_group_ids,
  v.layer_version_ids, v.schedule, v.url_auth, v.env, v.code_kind, v.code_sha256, v.code_size_bytes`;

export const functionColumns =
  raw(`f.id, f.project_id, f.cell_id, f.name, p.slug, f.status, f.status_reason, f.version, f.next_run_at,
  f.last_invoked_at, f.created_at, f.updated_at, ${facts}`);
export const functionTables = raw(`functions f JOIN projects p ON p.id = f.project_id
  JOIN function_versions v ON v.function_id = f.id AND v.version = f.version`);

const configurationOf = ({
  template_id,
  handler,
  memory_mb,
  timeout_s,
  concurrency,
  network,
  network_id,
  security_group_ids,
  layer_version_ids,
  schedule,
  url_auth,
  env,
  code_kind,
  code_sha256,
  code_size_bytes,
}: VersionFacts) => ({
  template_id,
  handler,
  memory_mb,
  timeout_s,
  env,
  layer_version_ids,
  concurrency,
  network,
  network_id,
  security_group_ids,
  schedule,
  url_auth,
  code_sha256,
  code_size_bytes,
  code_kind,
});

/** A function as the API answers it. */
export const viewFunction = (row: FunctionRow): CloudFunction => ({
  id: row.id,
  name: row.name,
  status: row.status,
  status_reason: row.status_reason,
  version: row.version,
  ...configurationOf(row),
  url: row.url_auth === null ? null : functionUrl(row.name, row.slug),
  next_run_at: isoOrNull(row.next_run_at),
  last_invoked_at: isoOrNull(row.last_invoked_at),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

export type VersionRow = VersionFacts & {
  id: string;
  version: number;
  is_current: boolean;
  rolled_back_from: number | null;
  created_at: Moment;
};

export const versionColumns = raw(
  `v.id, v.version, v.version = f.version AS is_current, v.rolled_back_from, v.created_at, ${facts}`,
);
export const versionTables = raw('function_versions v JOIN functions f ON f.id = v.function_id');

export const viewVersion = (row: VersionRow): FunctionVersion => ({
  version: row.version,
  ...configurationOf(row),
  is_current: row.is_current,
  rolled_back_from: row.rolled_back_from,
  created_at: iso(row.created_at),
});

export type InvocationRow = Omit<InvocationSummary, 'created_at' | 'started_at' | 'ended_at' | 'next_attempt_at'> & {
  created_at: Moment;
  started_at: Moment | null;
  ended_at: Moment | null;
  next_attempt_at: Moment | null;
};

export const invocationColumns = raw(`i.id, i.function_id, i.version, i.mode, i.trigger, i.status, i.attempts, i.error,
  i.duration_ms::float8 AS duration_ms, i.memory_mb, i.cold_start, i.created_at, i.started_at, i.ended_at, i.next_attempt_at`);

export const viewInvocation = (row: InvocationRow): InvocationSummary => ({
  id: row.id,
  function_id: row.function_id,
  version: row.version,
  mode: row.mode,
  trigger: row.trigger,
  status: row.status,
  attempts: row.attempts,
  error: row.error,
  duration_ms: row.duration_ms,
  memory_mb: row.memory_mb,
  cold_start: row.cold_start,
  created_at: iso(row.created_at),
  started_at: isoOrNull(row.started_at),
  ended_at: isoOrNull(row.ended_at),
  next_attempt_at: isoOrNull(row.next_attempt_at),
});
