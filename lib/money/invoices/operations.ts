import { z } from 'zod';
import { platformOperationKind } from '@/lib/core/operations/kind';

const DAY_MS = 24 * 60 * 60_000;

/** Charges an invoice to the project's card, with retries. */
export const collectInvoice = platformOperationKind({
  kind: 'invoice.collect',
  resource_type: 'invoice',
  stages: ['charge'],
  input: z.object({}),
  deadline_ms: 45 * DAY_MS,
});

/** Pauses after each failed try. */
export const RETRY_AFTER_MS = [1, 2, 4, 7, 7, 7].map((days) => days * DAY_MS);
