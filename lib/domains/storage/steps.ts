import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { deviceDelete } from '@/lib/core/devices/device';
import { again, done, failure, goTo, type OperationSteps, operationSteps } from '@/lib/core/operations/steps';
import { throughEngine } from '@/lib/core/resources/engine-step';
import { changeRow, rowInError, settledRow, waitingFor } from '@/lib/core/resources/rows';
import { imageReadiness } from '@/lib/domains/images/readiness';
import { engineOf } from '@/lib/engines/engines';
import { attachSteps, detachSteps } from './attach-steps';
import type { VolumeSpec } from './engine';
import { createVolumeKind, deleteVolumeKind, resizeKind } from './operations';
import { createSnapshotSteps, deleteSnapshotSteps } from './snapshot-steps';
import { diskOf } from './volumes';

/** Interval between checks for the image. */
const WAIT_MS = 1000;

type Row = { cell_id: string; size_gb: number; status: string; image_id: string | null; snapshot_id: string | null };

const readRow = (id: string) =>
  queryOne<Row>(sql`SELECT cell_id, size_gb, status, image_id, snapshot_id FROM volumes WHERE id = ${id}::uuid`);

function specOf(id: string, { size_gb, image_id, snapshot_id }: Row): VolumeSpec {
  if (image_id !== null) return { id, sizeGb: size_gb, source: { kind: 'image', imageId: image_id } };
  if (snapshot_id !== null) return { id, sizeGb: size_gb, source: { kind: 'snapshot', snapshotId: snapshot_id } };
  return { id, sizeGb: size_gb, source: { kind: 'empty' } };
}

const observed = async (cell: string, id: string) =>
  (await engineOf(cell).storage.observeStorage()).volumes.find((volume) => volume.id === id);

/** Where a volume is when nothing is being done with it. */
const atRest = sql`CASE WHEN EXISTS (SELECT FROM volume_attachments a WHERE a.volume_id = volumes.id)
  THEN 'in_use' ELSE 'available' END`;

const createSteps = operationSteps(
  createVolumeKind,
  {
    async source(step) {
      const id = step.operation.resource_id;
      const row = await readRow(id);
      if (!row) return done();
      if (row.image_id === null) return goTo('volume');
      const readiness = await imageReadiness(step.cell, row.image_id);
      if (readiness.state === 'failed') return failure(readiness.reason);
      return readiness.state === 'ready'
        ? goTo('volume')
        : again(WAIT_MS, waitingFor('volumes', id, readiness.message));
    },
    async volume(step) {
      const id = step.operation.resource_id;
      const row = await readRow(id);
      if (row?.status !== 'creating') return done();
      return throughEngine(
        step,
        'volumes',
        () => engineOf(step.cell).storage.ensureVolume(specOf(id, row)),
        () => done({ rows: { volume: settledRow('volumes', id, 'available') } }),
      );
    },
  },
  {
    // As a failed instance, a failed volume holds its quota until it is deleted.
    failed: async ({ operation: { resource_id: id } }, reason) =>
      done({ rows: { volume: rowInError('volumes', id, reason) } }),
    concurrency: 8,
  },
);

const resizeSteps = operationSteps(
  resizeKind,
  {
    async grow(step) {
      const id = step.operation.resource_id;
      const row = await readRow(id);
      if (row?.status !== 'resizing') return done();
      // The engine would make a volume that it has lost anew, and empty.
      if (!(await observed(step.cell, id))) return failure('The data is no longer on the host.');
      return throughEngine(
        step,
        'volumes',
        () => engineOf(step.cell).storage.ensureVolume(specOf(id, row)),
        () => done({ rows: { volume: changeRow('volumes', id, sql`status = ${atRest}, status_reason = NULL`) } }),
      );
    },
  },
  {
    async failed({ operation: { resource_id: id }, input: { from_gb }, cell }, reason) {
      const row = await readRow(id);
      if (row?.status !== 'resizing') return done();
      const set = sql`status = ${atRest}, status_reason = ${`The volume could not be enlarged: ${reason}`}::text`;
      // It may have grown after all.
      const seen = await observed(cell, id);
      if (seen && seen.sizeGb >= row.size_gb) return done({ rows: { volume: changeRow('volumes', id, set) } });
      return done({
        release: [{ dimension: 'storage_tb', amount: sql`(${row.size_gb}::numeric - ${from_gb}::numeric) / 1024` }],
        needs: [diskOf(id, row.cell_id, from_gb - row.size_gb)],
        rows: { volume: changeRow('volumes', id, sql`${set}, size_gb = ${from_gb}::int`) },
      });
    },
  },
);

const deleteSteps = operationSteps(
  deleteVolumeKind,
  {
    async remove(step) {
      const id = step.operation.resource_id;
      return throughEngine(
        step,
        'volumes',
        () => engineOf(step.cell).storage.removeVolume(id),
        () =>
          done({
            release: true,
            rows: {
              gone: sql`DELETE FROM volumes USING verdict WHERE verdict.ok AND volumes.id = ${id}::uuid`,
              device_gone: deviceDelete(id),
            },
          }),
      );
    },
  },
  {
    failed: async ({ operation: { resource_id: id } }, reason) => {
      const told = `The volume could not be deleted: ${reason} Try deleting it again.`;
      return done({ rows: { volume: rowInError('volumes', id, told) } });
    },
  },
);

/** What workers do to volumes and snapshots. */
export const storageSteps: readonly OperationSteps[] = [
  createSteps,
  attachSteps,
  detachSteps,
  resizeSteps,
  deleteSteps,
  createSnapshotSteps,
  deleteSnapshotSteps,
];
