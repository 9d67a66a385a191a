import type { ProjectCall } from '@/lib/core/api/endpoint';
import { conflict, notFound } from '@/lib/core/api/errors';
import { contains, equals, listOf, ofProject } from '@/lib/core/api/list';
import { newId } from '@/lib/core/db/id';
import { queryOne } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { type DatabaseEngine, hasBackups } from '../engines';
import {
  type Backup,
  type BackupKind,
  type BackupLocation,
  type BackupStatus,
  backupQuery,
  type ClusterParams,
} from '../schema';
import { readClusterRow } from '../service';
import { backUpKind } from './operations';
import { presentLocation } from './store';

type BackupRow = {
  id: string;
  cluster_id: string;
  engine: DatabaseEngine;
  namespace: string;
  name: string;
  version: string;
  storage_gb: number;
  ram_gb: string;
  kind: BackupKind;
  status: BackupStatus;
  status_reason: string | null;
  size_bytes: string | null;
  location: BackupLocation;
  verified_at: Date | null;
  finished_at: Date | null;
  expires_at: Date | null;
  created_at: Date;
  updated_at: Date;
  cluster_deleted: boolean;
};

const columns =
  raw(`b.id, b.cluster_id, b.engine, b.namespace, b.name, b.version, b.storage_gb, b.ram_gb, b.kind, b.status, b.status_reason, b.size_bytes, b.location,
  b.verified_at, b.finished_at, b.expires_at, b.created_at, b.updated_at,
  NOT EXISTS (SELECT FROM database_clusters c WHERE c.id = b.cluster_id) AS cluster_deleted`);

const iso = (at: Date | null) => (at === null ? null : new Date(at).toISOString());

const viewBackup = (row: BackupRow): Backup => ({
  id: row.id,
  cluster_id: row.cluster_id,
  engine: row.engine,
  namespace: row.namespace,
  name: row.name,
  version: row.version,
  kind: row.kind,
  status: row.status,
  status_reason: row.status_reason,
  size_bytes: row.size_bytes === null ? null : Number(row.size_bytes),
  storage_gb: row.storage_gb,
  ram_gb: Number(row.ram_gb),
  cluster_deleted: row.cluster_deleted,
  location: row.location,
  verified_at: iso(row.verified_at),
  finished_at: iso(row.finished_at),
  expires_at: iso(row.expires_at),
  created_at: new Date(row.created_at).toISOString(),
  updated_at: new Date(row.updated_at).toISOString(),
});

/** Backups of a project, also of clusters that are gone. */
export const listBackups = listOf({
  query: backupQuery,
  columns,
  from: raw('database_backups b'),
  id: 'b.id',
  where: ofProject('b'),
  filters: {
    engine: equals('b.engine'),
    namespace: equals('b.namespace'),
    name: equals('b.name'),
    search: contains('b.name'),
    status: equals('b.status'),
    kind: equals('b.kind'),
  },
  sort: { size_bytes: 'coalesce(b.size_bytes, 0)' },
  view: viewBackup,
});

/** The backups of a cluster. @throws ApiError 404 */
export async function listOfCluster(
  call: ProjectCall,
  params: ClusterParams,
  query: Parameters<typeof listBackups>[1],
): ReturnType<typeof listBackups> {
  const { engine, namespace, name } = await readClusterRow(call, params);
  return listBackups(call, { ...query, engine, namespace, name });
}

/** Starts a backup of a cluster that serves. @throws ApiError 404, 409 while it does not, or for an engine without backups */
export async function startBackup(call: ProjectCall, params: ClusterParams): Promise<Backup> {
  const row = await readClusterRow(call, params);
  if (!hasBackups(row.engine)) throw conflict(`This release makes no backups of ${row.engine} clusters.`);
  const id = newId();
  const made = viewBackup({
    ...row,
    id,
    cluster_id: row.id,
    kind: 'manual',
    status: 'pending',
    status_reason: null,
    size_bytes: null,
    location: presentLocation(),
    verified_at: null,
    finished_at: null,
    expires_at: null,
    created_at: call.at,
    updated_at: call.at,
    cluster_deleted: false,
  });
  await commit(call, {
    resource: { type: 'database_cluster', id: row.id, name: row.name },
    target: sql`SELECT c.status IN ('available', 'degraded') AS allowed, c.status AS state
      FROM k JOIN database_clusters c ON c.project_id = k.project_id AND c.id = ${row.id}::uuid FOR UPDATE OF c`,
    forbidden: (state) => `Cluster ${row.name} is ${state}; wait until it serves.`,
    rows: {
      backup: sql`INSERT INTO database_backups (id, project_id, cluster_id, cell_id, engine, namespace, name, version, storage_gb, ram_gb, kind, status, location, created_at, updated_at)
        SELECT ${id}::uuid, ${call.project_id}::uuid, ${row.id}::uuid, ${row.cell_id}::text, ${row.engine}::text, ${row.namespace}::text, ${row.name}::text,
          ${row.version}::text, ${row.storage_gb}::int, ${row.ram_gb}::numeric, 'manual', 'pending', ${presentLocation()}::text, ${call.at}::timestamptz, ${call.at}::timestamptz FROM ${ifAdmitted}`,
    },
    operation: backUpKind.start(row.id, { backup_id: id, kind: 'manual' }, row),
    details: { backup_id: id },
    answer: { status: 202, body: made },
  });
  return made;
}

/** Removes a backup for good. @throws ApiError 404, 409 while it is being made */
export async function deleteBackup(call: ProjectCall, id: string): Promise<Backup> {
  const row = await queryOne<BackupRow>(
    sql`SELECT ${columns} FROM database_backups b WHERE b.project_id = ${call.project_id}::uuid AND b.id = ${id}::uuid`,
  );
  if (!row) throw notFound('The backup');
  const changed = viewBackup({ ...row, status: 'deleting', status_reason: null, updated_at: call.at });
  await commit(call, {
    resource: { type: 'database_cluster', id: row.cluster_id, name: row.name },
    target: sql`SELECT b.status IN ('available', 'failed') AS allowed, b.status AS state
      FROM k JOIN database_backups b ON b.project_id = k.project_id AND b.id = ${id}::uuid FOR UPDATE OF b`,
    forbidden: (state) => `The backup is ${state}; wait until that is done.`,
    rows: {
      backup: sql`UPDATE database_backups SET status = 'deleting', status_reason = NULL, updated_at = ${call.at}::timestamptz
        FROM ${ifAdmitted} AND database_backups.id = ${id}::uuid`,
    },
    details: { backup_id: id },
    answer: { status: 202, body: changed },
  });
  return changed;
}
