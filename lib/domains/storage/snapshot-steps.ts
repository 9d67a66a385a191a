import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { done, operationSteps } from '@/lib/core/operations/steps';
import { throughEngine } from '@/lib/core/resources/engine-step';
import { rowInError, settledRow } from '@/lib/core/resources/rows';
import { engineOf } from '@/lib/engines/engines';
import { createSnapshotKind, deleteSnapshotKind } from './operations';

export const createSnapshotSteps = operationSteps(
  createSnapshotKind,
  {
    async freeze(step) {
      const id = step.operation.resource_id;
      const row = await queryOne<{ volume_id: string; status: string }>(
        sql`SELECT volume_id, status FROM snapshots WHERE id = ${id}::uuid`,
      );
      if (row?.status !== 'creating') return done();
      const { volume_id } = row;
      return throughEngine(
        step,
        'snapshots',
        () => engineOf(step.cell).storage.ensureSnapshot({ id, volumeId: volume_id }),
        () => done({ rows: { snapshot: settledRow('snapshots', id, 'available') } }),
      );
    },
  },
  {
    failed: async ({ operation: { resource_id: id } }, reason) =>
      done({ rows: { snapshot: rowInError('snapshots', id, reason) } }),
    concurrency: 8,
  },
);

export const deleteSnapshotSteps = operationSteps(
  deleteSnapshotKind,
  {
    async remove(step) {
      const id = step.operation.resource_id;
      return throughEngine(
        step,
        'snapshots',
        () => engineOf(step.cell).storage.removeSnapshot(id),
        () =>
          done({
            rows: {
              // Volumes that were made from it stand on the same layers, and need it no more.
              made: sql`UPDATE volumes SET snapshot_id = NULL FROM verdict WHERE verdict.ok AND volumes.snapshot_id = ${id}::uuid`,
              gone: sql`DELETE FROM snapshots USING verdict WHERE verdict.ok AND snapshots.id = ${id}::uuid`,
            },
          }),
      );
    },
  },
  {
    failed: async ({ operation: { resource_id: id } }, reason) => {
      const told = `The snapshot could not be deleted: ${reason} Try deleting it again.`;
      return done({
        rows: { snapshot: rowInError('snapshots', id, told) },
      });
    },
  },
);
