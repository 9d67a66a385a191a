import { z } from 'zod';
import { operationKind } from '@/lib/core/operations/kind';

const MINUTE_MS = 60_000;
const nothing = z.strictObject({});

/** Fetches or builds a public image when it is first needed. */
export const prepareKind = operationKind({
  kind: 'image.prepare',
  resource_type: 'image',
  stages: ['fetch'],
  input: nothing,
  deadline_ms: 60 * MINUTE_MS,
});

/** Proves an upload to be what its format says, and takes it over. */
export const importKind = operationKind({
  kind: 'image.import',
  resource_type: 'image',
  stages: ['import'],
  input: nothing,
  deadline_ms: 60 * MINUTE_MS,
});

/** The row goes first: the database proves by its references that nothing stands on the image. */
export const deleteImageKind = operationKind({
  kind: 'image.delete',
  resource_type: 'image',
  stages: ['row', 'files'],
  input: nothing,
  deadline_ms: 60 * MINUTE_MS,
  supersedes: true,
});
