import { endpoint } from '@/lib/api/endpoint';
import { readPricing } from './pricing';
import * as schema from './schema';

const tag = 'Billing';

/** What is used and what it costs (spec 4.16). */
export const billingEndpoints = [
  endpoint({
    method: 'GET',
    path: '/billing/pricing',
    operation_id: 'readPricing',
    summary: 'Read the rate card',
    description: 'The price of every metric this month, and the one that follows where it is known.',
    tag,
    access: 'reader',
    responses: { 200: schema.pricing },
    handle: () => readPricing(),
  }),
];
