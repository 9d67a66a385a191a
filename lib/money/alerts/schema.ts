import { z } from 'zod';
import { listQuery } from '@/lib/core/api/pagination';
import { id, timestamp } from '@/lib/core/api/schemas';
import { usd } from '@/lib/money/rating/usd';

const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;
const channels = ['email', 'webhook'] as const;

const alert = z.strictObject({
  id,
  month: z.string().meta({ example: '2026-02' }),
  threshold_percent: z.int().min(1).max(100),
  limit_usd: usd,
  spend_usd: usd,
  frozen: z
    .boolean()
    .meta({ description: 'Whether the project was frozen at that time; false for a month that had ended.' }),
  crossed_at: timestamp.meta({ description: 'When spend reached the threshold, to the precision of the meter.' }),
});

export const delivery = z
  .strictObject({
    id: id.meta({ description: 'The `webhook-id` of every attempt.' }),
    alert: alert.nullable().meta({ description: 'null: a test.' }),
    channel: z.enum(channels),
    target: z.string().meta({ description: 'E-mail address or URL.' }),
    status: z.enum(deliveryStatuses).meta({ description: '`failed`: no more attempts follow.' }),
    attempts: z.int(),
    response_status: z.int().nullable().meta({ description: 'HTTP status of the last response to the webhook.' }),
    error: z.string().nullable().meta({ description: 'Why the last attempt failed.' }),
    next_attempt_at: timestamp.nullable(),
    delivered_at: timestamp.nullable(),
    created_at: timestamp,
  })
  .meta({ id: 'AlertDelivery' });
export type Delivery = z.output<typeof delivery>;

export const deliveryQuery = listQuery({
  status: z.enum(deliveryStatuses).optional(),
  channel: z.enum(channels).optional(),
});

export const testAlerts = z.strictObject({}).meta({ id: 'TestAlerts', example: {} });
export const rotateSecret = z.strictObject({}).meta({ id: 'RotateAlertSecret', example: {} });

export const signingSecret = z
  .strictObject({
    secret: z.string().meta({
      description: 'For use with a Standard Webhooks library.',
      example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
    }),
    created_at: timestamp,
    previous_expires_at: timestamp.nullable().meta({
      description: 'Until then, webhooks are also signed with the previous secret; null if there is none.',
    }),
  })
  .meta({ id: 'AlertSigningSecret' });
export type SigningSecret = z.output<typeof signingSecret>;
