import { endpoint } from '@/lib/api/endpoint';
import { quota } from './schema';
import { readQuota } from './service';

/** Tenant quota (spec 4.19). */
export const quotaEndpoints = [
  endpoint({
    method: 'GET',
    path: '/tenant/quota',
    operation_id: 'readQuota',
    summary: 'Read limits, use and what is left',
    tag: 'Quota',
    access: 'reader',
    responses: { 200: quota },
    handle: (call) => readQuota(call),
  }),
];
