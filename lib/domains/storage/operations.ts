import { z } from 'zod';
import { operationKind } from '@/lib/core/operations/kind';

const MINUTE_MS = 60_000;
const nothing = z.strictObject({});

/** Makes a new volume; an image may have to be fetched first, which takes its time. */
export const createVolumeKind = operationKind({
  kind: 'volume.create',
  resource_type: 'volume',
  stages: ['source', 'volume'],
  input: nothing,
  deadline_ms: 60 * MINUTE_MS,
});

export const attachKind = operationKind({
  kind: 'volume.attach',
  resource_type: 'volume',
  stages: ['attach'],
  input: z.strictObject({ instance_id: z.uuid() }),
  deadline_ms: 10 * MINUTE_MS,
});

export const detachKind = operationKind({
  kind: 'volume.detach',
  resource_type: 'volume',
  stages: ['detach'],
  input: z.strictObject({ instance_id: z.uuid() }),
  deadline_ms: 10 * MINUTE_MS,
});

/** The row has the new size from the first; `from_gb` is where a failure goes back to. */
export const resizeKind = operationKind({
  kind: 'volume.resize',
  resource_type: 'volume',
  stages: ['grow'],
  input: z.strictObject({ from_gb: z.int() }),
  deadline_ms: 10 * MINUTE_MS,
});

export const deleteVolumeKind = operationKind({
  kind: 'volume.delete',
  resource_type: 'volume',
  stages: ['remove'],
  input: nothing,
  deadline_ms: 60 * MINUTE_MS,
  supersedes: true,
});

export const createSnapshotKind = operationKind({
  kind: 'snapshot.create',
  resource_type: 'snapshot',
  stages: ['freeze'],
  input: nothing,
  deadline_ms: 10 * MINUTE_MS,
});

export const deleteSnapshotKind = operationKind({
  kind: 'snapshot.delete',
  resource_type: 'snapshot',
  stages: ['remove'],
  input: nothing,
  deadline_ms: 60 * MINUTE_MS,
  supersedes: true,
});
