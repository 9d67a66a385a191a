import { pipeline, Transform } from 'node:stream';
import { createGzip } from 'node:zlib';
import { newId } from '@/lib/core/db/id';
import { execute, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { settings } from '@/lib/settings';
import type { Cluster, Member } from '../cluster/clusters';
import { driverOf } from '../cluster/drivers';
import type { BackupKind } from '../schema';
import { type BackupStore, baseKey, presentLocation, storeOf, unpacked } from './store';

/**
 * Makes a backup of a whole cluster, and reads it to its end. Later, a check restores it.
 * @param id of its row: a call that was interrupted is made again under the same
 * @returns bytes in the store
 */
export async function takeBackup(cluster: Cluster, primary: Member, kind: BackupKind, id: string): Promise<number> {
  const { project_id, cell_id, namespace, name, storage_gb, ram_gb } = cluster;
  await execute(sql`INSERT INTO database_backups (id, project_id, cluster_id, cell_id, engine, namespace, name, version, storage_gb, ram_gb, group_no, kind, status, location, created_at, updated_at)
    VALUES (${id}::uuid, ${project_id}::uuid, ${cluster.id}::uuid, ${cell_id}::text, ${cluster.engine}::text, ${namespace}::text, ${name}::text, ${primary.version}::text,
      ${storage_gb}::int, ${ram_gb}::numeric, ${primary.group_no}::int, ${kind}::text, 'running', ${presentLocation()}::text, platform_now(), platform_now())
    ON CONFLICT (id) DO UPDATE SET status = 'running', group_no = EXCLUDED.group_no, version = EXCLUDED.version, ram_gb = EXCLUDED.ram_gb, location = EXCLUDED.location, status_reason = NULL, updated_at = platform_now()`);
  try {
    const store = storeOf(cluster.id);
    const made = await write(cluster, primary, store, baseKey(id));
    await verify(store, baseKey(id), made.bytes);
    await execute(sql`WITH made AS (
      UPDATE database_backups SET status = 'available', size_bytes = ${made.size}::bigint, start_segment = ${made.start_segment}::text,
 finished_at = platform_now(), expires_at = platform_now() + ${settings().databaseBackupDays}::int * interval '1 day', updated_at = platform_now()
      WHERE id = ${id}::uuid RETURNING cluster_id, finished_at)
      UPDATE database_clusters c SET last_backup_at = made.finished_at FROM made WHERE c.id = made.cluster_id`);
    return made.size;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    await execute(sql`UPDATE database_backups SET status = 'failed', status_reason = ${reason.slice(0, 500)}::text, updated_at = platform_now()
      WHERE id = ${id}::uuid`);
    throw error;
  }
}

async function write(cluster: Cluster, primary: Member, store: BackupStore, key: string) {
  const { backups } = driverOf(cluster);
  if (!backups) throw new Error(`this release makes no backups of ${cluster.engine} clusters`);
  const { stream, done, end } = await backups.read(cluster, primary);
  done.catch(() => {});
  let bytes = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _, next) {
      bytes += chunk.length;
      next(null, chunk);
    },
  });
  try {
    const packed = pipeline(stream, counted, createGzip({ level: 1 }), () => {});
    const size = await store.write(key, packed);
    return { size, bytes, ...(await done) };
  } finally {
    await end();
  }
}

/** Reads a backup to its end: every byte that was sent is there. */
async function verify(store: BackupStore, key: string, bytes: number): Promise<void> {
  let read = 0;
  for await (const chunk of await unpacked(store, key)) read += chunk.length;
  if (read !== bytes) throw new Error(`The backup holds ${read} of ${bytes} bytes.`);
}

/** The id of the last backup of a cluster that is being deleted: the one that has begun, or a new one. */
export async function backupOfDelete(clusterId: string): Promise<{ id: string; isThere: boolean }> {
  const found = await queryOne<{
    id: string;
    status: string;
  }>(sql`SELECT id, status FROM database_backups WHERE cluster_id = ${clusterId}::uuid
    AND kind = 'final' ORDER BY created_at DESC LIMIT 1`);
  return { id: found?.id ?? newId(), isThere: found?.status === 'available' };
}

/** The id of the backup that an upgrade makes: the one that it has begun, or a new one. */
export async function backupOfUpgrade(clusterId: string, since: Date): Promise<string> {
  const found = await queryOne<{ id: string }>(sql`SELECT id FROM database_backups WHERE cluster_id = ${clusterId}::uuid
    AND kind = 'before_upgrade' AND created_at >= ${since}::timestamptz ORDER BY created_at DESC LIMIT 1`);
  return found?.id ?? newId();
}
