import { type AnyEndpoint, endpoint } from '@/lib/core/api/endpoint';
import * as schema from './schema';
import { quoteFor } from './service';

/**
 * Price quotes before creation.
 * @param table all endpoints, including this one; called lazily, because the table is still under construction here
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
    reads: true,
    rate: 'write',
    handle: (call, { body }) => quoteFor(call, body, table()),
  }),
];
