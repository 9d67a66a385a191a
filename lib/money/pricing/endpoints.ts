import { type AnyEndpoint, endpoint } from '@/lib/core/api/endpoint';
import * as schema from './schema';
import { quoteFor } from './service';

/**
 * What something costs before it is created.
 * @param table all endpoints, which hold this one: it is looked at when asked about, not while they are being made
 */
export const quoteEndpoints = (table: () => readonly AnyEndpoint[]) => [
  endpoint({
    method: 'POST',
    path: '/billing/quote',
    operation_id: 'quoteRequest',
    summary: 'Quote a request: price, quota and budget freeze',
    description:
      'For any request that creates or changes something. It is validated as that request would be and nothing is written. ' +
      'Prices are those of this month.',
    tag: 'Billing',
    access: 'reader',
    body: schema.quoteRequest,
    responses: { 200: schema.quoteAnswer },
    errors: ['CONFLICT'],
    audit: 'billing.quote',
    idempotency: 'none',
    handle: (call, { body }) => quoteFor(call, body, table()),
  }),
];
