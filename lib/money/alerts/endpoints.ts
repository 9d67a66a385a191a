import { z } from 'zod';
import { endpoint } from '@/lib/core/api/endpoint';
import * as schema from './schema';
import * as service from './service';
import { readSigningSecret, rotateSigningSecret } from './signing';

const tag = 'Budget alerts';

/** Deliveries of budget alerts. */
export const alertEndpoints = [
  endpoint({
    method: 'GET',
    path: '/billing/alerts',
    operation_id: 'listAlertDeliveries',
    summary: 'List budget alert deliveries',
    description:
      'Each budget threshold, and always 100%, sends one alert per month and limit, by e-mail and by a webhook signed as ' +
      'Standard Webhooks. Raising the limit above spend re-arms the thresholds not yet reached. A failed delivery is ' +
      'retried up to eight times within a day, always with the same `webhook-id`.',
    tag,
    access: 'reader',
    query: schema.deliveryQuery,
    responses: { 200: z.array(schema.delivery) },
    handle: (call, { query }) => service.listDeliveries(call, query),
  }),
  endpoint({
    method: 'POST',
    path: '/billing/alerts/test',
    operation_id: 'testAlerts',
    summary: 'Send a test alert to every recipient',
    description: 'At most five in ten minutes. The list of deliveries shows the outcome.',
    tag,
    access: 'admin',
    body: schema.testAlerts,
    responses: { 202: z.array(schema.delivery) },
    errors: ['CONFLICT'],
    audit: 'budget.test_alerts',
    handle: (call) => service.testAlerts(call),
  }),
  endpoint({
    method: 'GET',
    path: '/billing/alerts/signing-secret',
    operation_id: 'readAlertSigningSecret',
    summary: 'Read the signing secret of alert webhooks',
    description: 'Every read is recorded in the audit log.',
    tag,
    access: 'admin',
    responses: { 200: schema.signingSecret },
    audit: 'alert_secret.read',
    secret_answer: true,
    handle: readSigningSecret,
  }),
  endpoint({
    method: 'POST',
    path: '/billing/alerts/signing-secret/rotate',
    operation_id: 'rotateAlertSigningSecret',
    summary: 'Rotate the signing secret of alert webhooks',
    description: 'For 24 hours, webhooks are also signed with the previous secret.',
    tag,
    access: 'admin',
    body: schema.rotateSecret,
    responses: { 200: schema.signingSecret },
    audit: 'alert_secret.rotate',
    secret_answer: true,
    handle: (call) => rotateSigningSecret(call),
  }),
];
