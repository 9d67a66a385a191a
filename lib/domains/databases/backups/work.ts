import { newId } from '@/lib/core/db/id';
import { execute, query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import type { Look } from '@/lib/core/domains/watch';
import { orderOperation } from '@/lib/core/operations/order';
import { done, failure, type OperationSteps, operationSteps } from '@/lib/core/operations/steps';
import { primaryOf, readCluster, servingMembers } from '../cluster/clusters';
import { driverOf } from '../cluster/drivers';
import { databaseEngines, hasBackups } from '../engines';
import { archiveLogs, removeOldLogs } from './archives';
import { backUpKind, checkBackupKind } from './operations';
import { baseKey, reachedLocations, storeOf } from './store';
import { takeBackup } from './take';

const MOST_ATTEMPTS = 3;
const ARCHIVE_MS = 10_000;
const KEEP_MS = 60_000;
const REMOVE_MS = 5_000;
const backedUp = databaseEngines.filter(hasBackups);

export const backupSteps: OperationSteps[] = [
  operationSteps(
    backUpKind,
    {
      async copying({ operation, input }) {
        const cluster = await readCluster(operation.resource_id);
        const primary = cluster && primaryOf(servingMembers(cluster));
        if (!cluster || !primary) return failure('The cluster has no primary.');
        if (operation.attempts >= MOST_ATTEMPTS) return failure('The backup failed several times.');
        const bytes = await takeBackup(cluster, primary, input.kind, input.backup_id);
        await driverOf(cluster).backups?.afterwards(cluster);
        return done({ log: `A backup of ${bytes} bytes was made and read to its end.` });
      },
    },
    // The row of the backup says why.
    { failed: async () => done(), concurrency: 1 },
  ),
];

/** The agent of a cluster's cell makes, checks and removes its backups, which may be on the disk of that cell. */
export const backupLooks = (cell: string): Look[] => [
  {
    name: 'archiving the logs of database clusters',
    every_ms: ARCHIVE_MS,
    begin: () => ({ look: (signal) => archiveLogs(cell, signal) }),
  },
  {
    name: 'making backups of database clusters',
    every_ms: KEEP_MS,
    begin: () => ({ look: () => keepBackups(cell) }),
  },
  {
    name: 'removing backups of database clusters',
    every_ms: REMOVE_MS,
    begin: () => ({ look: () => removeOld(cell) }),
  },
];

/** Makes a backup of every cluster of a cell each day, checks the newest, and removes logs that no backup needs. */
export async function keepBackups(cell: string): Promise<void> {
  await orderDue(cell);
  await orderChecks(cell);
  await removeOldLogs(cell);
}

async function orderDue(cell: string): Promise<void> {
  const due = await query<{ id: string; project_id: string; cell_id: string }>(sql`
    SELECT c.id, c.project_id, c.cell_id FROM database_clusters c
    LEFT JOIN database_archives a ON a.cluster_id = c.id AND a.group_no = c.serving_group
    WHERE c.engine = ANY (${backedUp}::text[]) AND c.cell_id = ${cell}::text AND c.status = 'available'
      AND c.launched_at < platform_now() - interval '2 minutes'
      AND NOT EXISTS (SELECT FROM database_backups b WHERE b.cluster_id = c.id AND b.status IN ('pending', 'running', 'available')
        AND b.created_at > platform_now() - interval '23 hours' AND b.group_no = c.serving_group
        AND (b.start_segment IS NULL OR a.first_segment IS NULL OR right(b.start_segment, 16) >= right(a.first_segment, 16)))
      AND NOT EXISTS (SELECT FROM database_backups b WHERE b.cluster_id = c.id AND b.status = 'failed'
        AND b.created_at > platform_now() - interval '1 hour')`);
  for (const { id, project_id, cell_id } of due)
    await orderOperation(backUpKind.start(id, { backup_id: newId(), kind: 'automatic' }, { cell_id }), project_id);
}

/** The newest backup of each cluster is restored as a check, once a day. */
async function orderChecks(cell: string): Promise<void> {
  const due = await query<{ id: string; project_id: string; cell_id: string }>(sql`
    SELECT DISTINCT ON (b.cluster_id) b.id, b.project_id, b.cell_id FROM database_backups b
    WHERE b.cell_id = ${cell}::text AND b.engine = ANY (${backedUp}::text[]) AND b.status = 'available' AND (b.engine <> 'postgres' OR b.start_segment IS NOT NULL)
      AND b.verified_at IS NULL AND b.status_reason IS NULL AND b.finished_at > platform_now() - interval '2 days'
      AND NOT EXISTS (SELECT FROM database_backups n WHERE n.cluster_id = b.cluster_id AND n.finished_at > b.finished_at AND n.status = 'available')
    ORDER BY b.cluster_id, b.finished_at DESC`);
  for (const { id, project_id, cell_id } of due)
    await orderOperation(checkBackupKind.start(id, {}, { cell_id }), project_id);
}

/**
 * Removes the backups that were deleted, and those whose time is over. Files first: a row that is left names what has to
 * be removed.
 */
async function removeOld(cell: string): Promise<void> {
  const old = await query<{ id: string; cluster_id: string }>(sql`
    SELECT id, cluster_id FROM database_backups WHERE cell_id = ${cell}::text AND location = ANY (${reachedLocations()}::text[]) AND (status = 'deleting' OR expires_at < platform_now()
      OR (status IN ('pending', 'running', 'failed') AND updated_at < platform_now() - interval '7 days'))`);
  for (const { id, cluster_id } of old) {
    await storeOf(cluster_id).remove(baseKey(id));
    await execute(sql`DELETE FROM database_backups WHERE id = ${id}::uuid`);
  }
}
