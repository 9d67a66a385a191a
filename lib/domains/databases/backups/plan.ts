import type { ProjectCall } from '@/lib/core/api/endpoint';
import { conflict, invalid, noSuch } from '@/lib/core/api/errors';
import { isId } from '@/lib/core/db/id';
import { query, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { outsideStore } from '@/lib/domains/objects/external/store';
import type { DatabaseEngine } from '../engines';
import type { BackupLocation, CreateCluster, Restore } from '../schema';

/** The source that a new cluster is restored from. */
export type PlannedRestore = {
  backup_id: string;
  source_id: string;
  group_no: number;
  start_segment: string | null;
  /** The host that has it; null: any host reaches it. */
  cell_id: string | null;
  version: string;
  /** Memory of a member that held the data. */
  ram_gb: number;
  /** The moment; null: that of the backup. */
  at: string | null;
};

type Found = {
  id: string;
  cluster_id: string;
  engine: string;
  cell_id: string;
  version: string;
  storage_gb: number;
  ram_gb: number;
  group_no: number;
  start_segment: string | null;
  status: string;
  location: BackupLocation;
};

/**
 * Finds the backup that a restore begins with, and checks that the new cluster can hold it.
 * @throws ApiError 400 for another engine or version, too little storage, or a moment that cannot be restored, which says those
 * that can; 404; 409 while the backup is not complete; 503 while its store is not set
 */
export async function planRestore(
  call: ProjectCall,
  engine: DatabaseEngine,
  input: CreateCluster,
): Promise<PlannedRestore | null> {
  const { restore } = input;
  if (!restore) return null;
  const found = 'backup_id' in restore ? await backupOf(call, restore.backup_id) : await backupBefore(call, restore);
  if (found.engine !== engine)
    throw invalid(`restore: that is a backup of ${found.engine}, and the new cluster is of ${engine}.`);
  if (input.version !== undefined && input.version !== found.version)
    throw invalid(
      `version: the backup is of version ${found.version}, not ${input.version}. Restore it to ${found.version}, and upgrade the new cluster then.`,
    );
  // Only an operator can reach it again.
  if (found.location === 'object_storage') outsideStore();
  if (input.storage_gb < found.storage_gb)
    throw invalid(`storage_gb: the data come from a cluster with ${found.storage_gb} GB; give at least as much.`);
  return {
    backup_id: found.id,
    source_id: found.cluster_id,
    group_no: found.group_no,
    start_segment: found.start_segment,
    cell_id: found.location === 'host' ? found.cell_id : null,
    version: found.version,
    ram_gb: found.ram_gb,
    at: 'backup_id' in restore ? null : new Date(restore.at).toISOString(),
  };
}

/** @throws ApiError 400 where the engine keeps its data in memory, and the new cluster has less than the former had */
export function requireMemoryOfBackup(engine: DatabaseEngine, restore: PlannedRestore | null, ram_gb: number): void {
  if (engine === 'valkey' && restore && ram_gb < restore.ram_gb)
    throw invalid(`ram_gb: the data come from a cluster with ${restore.ram_gb} GB of memory; give at least as much.`);
}

async function backupOf(call: ProjectCall, id: string): Promise<Found> {
  const found = isId(id)
    ? await queryOne<Found>(sql`SELECT id, cluster_id, engine, cell_id, version, storage_gb, ram_gb::float8 AS ram_gb, group_no, start_segment, status, location FROM database_backups
        WHERE project_id = ${call.project_id}::uuid AND id = ${id}::uuid`)
    : undefined;
  if (!found) throw noSuch('restore.backup_id', 'backup');
  if (found.status !== 'available')
    throw conflict(`restore: the backup is ${found.status}; choose one that is available.`);
  return found;
}

/** The newest backup before a moment from which the archived log leads there without a gap. */
async function backupBefore(
  call: ProjectCall,
  { engine, namespace, name, at }: Exclude<Restore, { backup_id: string }>,
): Promise<Found> {
  if (engine !== 'postgres')
    throw invalid(`restore.at: ${engine} clusters are restored from a backup, and not to a moment. Give a backup_id.`);
  const known = await queryOne<{ id: string }>(sql`SELECT s.id FROM (
      SELECT c.id, 1 AS rank, c.created_at FROM database_clusters c WHERE c.project_id = ${call.project_id}::uuid AND c.engine = ${engine}::text
        AND c.namespace = ${namespace}::text AND c.name = ${name}::text
      UNION ALL SELECT b.cluster_id, 2, b.created_at FROM database_backups b WHERE b.project_id = ${call.project_id}::uuid AND b.engine = ${engine}::text
        AND b.namespace = ${namespace}::text AND b.name = ${name}::text) s ORDER BY s.rank, s.created_at DESC LIMIT 1`);
  if (!known) throw noSuch('restore.name', 'cluster');
  const found =
    await queryOne<Found>(sql`SELECT b.id, b.cluster_id, b.engine, b.cell_id, b.version, b.storage_gb, b.ram_gb::float8 AS ram_gb, b.group_no, b.start_segment, b.status, b.location
    FROM database_backups b JOIN database_archives a ON a.cluster_id = b.cluster_id AND a.group_no = b.group_no
    WHERE b.project_id = ${call.project_id}::uuid AND b.cluster_id = ${known.id}::uuid AND b.status = 'available' AND b.finished_at <= ${at}::timestamptz
      AND a.until >= ${at}::timestamptz AND right(b.start_segment, 16) >= right(a.first_segment, 16)
    ORDER BY b.finished_at DESC LIMIT 1`);
  if (found) return found;
  throw invalid(`restore.at: ${at} cannot be restored. ${await whatCan(known.id)}`);
}

async function whatCan(clusterId: string): Promise<string> {
  const windows = await query<{ from: Date; until: Date }>(sql`SELECT min(b.finished_at) AS "from", a.until
    FROM database_archives a JOIN database_backups b ON a.cluster_id = b.cluster_id AND a.group_no = b.group_no AND b.status = 'available'
      AND right(b.start_segment, 16) >= right(a.first_segment, 16)
    WHERE a.cluster_id = ${clusterId}::uuid GROUP BY a.group_no, a.until HAVING min(b.finished_at) <= a.until ORDER BY 1`);
  if (windows.length === 0) return 'There is no moment that can be restored yet: the first backup has to be complete.';
  const list = windows.map(({ from, until }) => `${from.toISOString()} to ${until.toISOString()}`).join(', or ');
  return `Choose a moment from ${list}.`;
}
