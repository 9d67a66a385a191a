import { z } from 'zod';
import { endpoint } from '@/lib/api/endpoint';
import { listQuery } from '@/lib/api/pagination';
import * as schema from './schema';
import * as service from './service';
import { readSigningSecret, rotateSigningSecret } from './signing';

const tag = 'Budget alerts';

/** Alerts of the budget: what was sent, to whom, with what result. */
export const alertEndpoints = [
  endpoint({
    method: 'GET',
    path: '/billing/alerts',
    operation_id: 'listAlertDeliveries',
    summary: 'List deliveries of budget alerts',
    description:
      'Each threshold of the budget, and 100 % always, alerts once for each month and limit, by e-mail and by a webhook ' +
      'signed as Standard Webhooks. Raising the limit above the spend arms the thresholds that are not reached yet. What fails is tried again, eight times in most of a day, each time with the same `webhook-id`.',
    tag,
    access: 'reader',
    query: z.strictObject({ ...schema.deliveryFilters, ...listQuery }),
    responses: { 200: z.array(schema.delivery) },
    handle: (call, { query }) => service.listDeliveries(call, query),
  }),
  endpoint({
    method: 'POST',
    path: '/billing/alerts/test',
    operation_id: 'testAlerts',
    summary: 'Send a test to everyone whom alerts go to',
    description: 'At most five in ten minutes. What becomes of it is in the list of deliveries.',
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
    summary: 'Read what webhooks of alerts are signed with',
    description: 'Every reading is on record in the audit log.',
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
    summary: 'Replace what webhooks of alerts are signed with',
    description: 'For 24 hours webhooks carry a signature by the secret before it too.',
    tag,
    access: 'admin',
    body: schema.rotateSecret,
    responses: { 200: schema.signingSecret },
    audit: 'alert_secret.rotate',
    secret_answer: true,
    handle: (call) => rotateSigningSecret(call),
  }),
];
