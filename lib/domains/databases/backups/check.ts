import { execute, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import {
  again,
  type CellStep,
  done,
  failure,
  goTo,
  type OperationSteps,
  operationSteps,
} from '@/lib/core/operations/steps';
import { engineOf } from '@/lib/engines/engines';
import { driverOf } from '../cluster/drivers';
import type { DatabaseEngine } from '../engines';
import type { EngineBackups } from './engine';
import { checkBackupKind } from './operations';

const AGAIN_MS = 200;
const MOST_ATTEMPTS = 3;

type Checked = {
  id: string;
  cluster_id: string;
  engine: DatabaseEngine;
  version: string;
  storage_gb: number;
  ram_gb: number;
  group_no: number;
  start_segment: string | null;
};

const backupOf = (id: string): Promise<Checked | undefined> =>
  queryOne(sql`UPDATE database_backups SET checking = true WHERE id = ${id}::uuid AND status = 'available'
    RETURNING id, cluster_id, engine, version, storage_gb, ram_gb::float8 AS ram_gb, group_no, start_segment`);

/** @throws Error for an engine without backups */
function backupsOf(backup: Pick<Checked, 'engine'>): EngineBackups {
  const { backups } = driverOf(backup);
  if (!backups) throw new Error(`this release has no backups of ${backup.engine}`);
  return backups;
}

const remove = async ({ cell, operation }: CellStep<unknown>) => {
  await engineOf(cell).services.removeService(operation.resource_id);
  await execute(sql`UPDATE database_backups SET checking = false WHERE id = ${operation.resource_id}::uuid`);
};

export const checkSteps: OperationSteps[] = [
  operationSteps(
    checkBackupKind,
    {
      async restoring(step) {
        const { operation, cell } = step;
        const backup = await backupOf(operation.resource_id);
        if (!backup) return goTo('removing');
        if (operation.attempts >= MOST_ATTEMPTS) return failure('The backup could not be restored.');
        const backups = backupsOf(backup);
        const answer = await engineOf(cell).services.ensureService(backups.checkSpec(backup));
        if (answer.settled) return goTo('reading');
        const source = { ...backup, backup_id: backup.id, source_id: backup.cluster_id, at: null };
        await backups.send({ cell, id: backup.id }, source);
        return again(AGAIN_MS, { waits_for: answer.waits_for });
      },
      async reading({ operation, cell }) {
        const backup = await backupOf(operation.resource_id);
        if (!backup) return goTo('removing');
        if (operation.attempts >= MOST_ATTEMPTS) return failure('The restored backup could not be read.');
        const read = await backupsOf(backup).check({ cell, id: backup.id });
        if (read === null) return again(AGAIN_MS, { waits_for: 'the restored server to answer' });
        await execute(
          sql`UPDATE database_backups SET verified_at = platform_now(), updated_at = platform_now() WHERE id = ${operation.resource_id}::uuid`,
        );
        return goTo('removing', { log: `Restored and read: ${read}.` });
      },
      async removing(step) {
        await remove(step);
        return done();
      },
    },
    {
      async failed(step, reason) {
        await remove(step);
        await execute(sql`UPDATE database_backups SET status_reason = ${`The check failed: ${reason}`.slice(0, 500)}::text, updated_at = platform_now()
          WHERE id = ${step.operation.resource_id}::uuid`);
        return done();
      },
      concurrency: 1,
    },
  ),
];
