import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { interruptible } from '@/lib/core/operations/interruptible';
import { done, operationSteps } from '@/lib/core/operations/steps';
import { engines } from '@/lib/engines/engines';
import { createSnapshotKind, deleteSnapshotKind } from './operations';
import { change, meaning } from './step-writes';

export const createSnapshotSteps = operationSteps(
  createSnapshotKind,
  {
    async freeze(step) {
      const id = step.operation.resource_id;
      const row = await queryOne<{ volume_id: string; status: string }>(
        sql`SELECT volume_id, status FROM snapshots WHERE id = ${id}::uuid`,
      );
      if (row?.status !== 'creating') return done();
      try {
        await interruptible(engines().storage.ensureSnapshot({ id, volumeId: row.volume_id }), step.signal);
      } catch (error) {
        step.signal.throwIfAborted();
        return meaning(step, 'snapshots', error);
      }
      return done({ rows: { snapshot: change('snapshots', id, sql`status = 'available', status_reason = NULL`) } });
    },
  },
  {
    failed: async ({ operation: { resource_id: id } }, reason) =>
      done({ rows: { snapshot: change('snapshots', id, sql`status = 'error', status_reason = ${reason}::text`) } }),
    concurrency: 8,
  },
);

export const deleteSnapshotSteps = operationSteps(
  deleteSnapshotKind,
  {
    async remove(step) {
      const id = step.operation.resource_id;
      try {
        await interruptible(engines().storage.removeSnapshot(id), step.signal);
      } catch (error) {
        step.signal.throwIfAborted();
        return meaning(step, 'snapshots', error);
      }
      return done({
        rows: {
          // Volumes that were made from it stand on the same layers, and need it no more.
          made: sql`UPDATE volumes SET snapshot_id = NULL FROM verdict WHERE verdict.ok AND volumes.snapshot_id = ${id}::uuid`,
          gone: sql`DELETE FROM snapshots USING verdict WHERE verdict.ok AND snapshots.id = ${id}::uuid`,
        },
      });
    },
  },
  {
    failed: async ({ operation: { resource_id: id } }, reason) => {
      const told = `The snapshot could not be deleted: ${reason} Try deleting it again.`;
      return done({
        rows: { snapshot: change('snapshots', id, sql`status = 'error', status_reason = ${told}::text`) },
      });
    },
  },
);
