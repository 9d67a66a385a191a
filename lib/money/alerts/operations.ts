import { z } from 'zod';
import { platformOperationKind } from '@/lib/core/operations/kind';

const [second, minute, hour] = [1000, 60_000, 3_600_000];

/** Pauses after each failed attempt: eight attempts in total, over most of a day. */
export const RETRY_AFTER_MS = [5 * second, minute, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour];

/** Delivers an alert to one receiver, with retries. */
export const deliverAlert = platformOperationKind({
  kind: 'alert.deliver',
  resource_type: 'alert_delivery',
  stages: ['deliver'],
  input: z.object({}),
  deadline_ms: 48 * hour,
});
