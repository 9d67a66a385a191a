import { z } from 'zod';
import { operationKind } from '@/lib/core/operations/kind';

const MINUTE_MS = 60_000;
const nothing = z.strictObject({});

/** Makes the content of a version from its archive or its requirements; the files of one that repeats another go. */
export const buildVersionKind = operationKind({
  kind: 'layer_version.build',
  resource_type: 'layer_version',
  stages: ['content', 'files'],
  input: nothing,
  deadline_ms: 15 * MINUTE_MS,
});
