import { z } from 'zod';
import { operationKind } from '@/lib/operations/kind';

/** Fetches or builds a public image when it is first needed. */
export const prepareKind = operationKind({
  kind: 'image.prepare',
  resource_type: 'image',
  stages: ['fetch'],
  input: z.strictObject({}),
  deadline_ms: 60 * 60_000,
});
