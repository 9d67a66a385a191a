import { z } from 'zod';
import { endpoint, Reply } from '@/lib/core/api/endpoint';
import { allowedVersions, entityTag } from '@/lib/core/api/entity-tag';
import { id } from '@/lib/core/api/schemas';
import { readLimits, setLimits } from './limits';
import { limits, quota } from './schema';
import { readQuota } from './service';

const tenantParams = z.strictObject({ tenant_id: id });
const versioned = ({ quota, limits_version }: Awaited<ReturnType<typeof readLimits>>) =>
  new Reply(quota, { headers: { ETag: entityTag(limits_version) } });

/** A project's quota (spec 4.19). */
export const quotaEndpoints = [
  endpoint({
    method: 'GET',
    path: '/tenant/quota',
    operation_id: 'readQuota',
    summary: 'Read quota limits and current use',
    tag: 'Quota',
    access: 'reader',
    responses: { 200: quota },
    handle: (call) => readQuota(call),
  }),
];

/** A tenant's limits, in the back office (spec 4.20). */
export const limitEndpoints = [
  endpoint({
    method: 'GET',
    path: '/tenants/{tenant_id}/quota',
    realm: 'backoffice',
    operation_id: 'readTenantQuota',
    summary: 'Read a tenant’s quota limits and current use',
    tag: 'Back office: tenants',
    access: 'administrator',
    params: tenantParams,
    responses: { 200: quota },
    versioned: true,
    handle: async (call, { params }) => versioned(await readLimits(call, params.tenant_id)),
  }),
  endpoint({
    method: 'PUT',
    path: '/tenants/{tenant_id}/quota',
    realm: 'backoffice',
    operation_id: 'setTenantQuota',
    summary: 'Change a tenant’s quota limits',
    description: 'Takes effect on the next request on every replica. A limit below current use only blocks new claims.',
    tag: 'Back office: tenants',
    access: 'administrator',
    params: tenantParams,
    body: limits,
    responses: { 200: quota },
    versioned: true,
    audit: 'quota.update',
    handle: async (call, { params, body, headers }) =>
      versioned(await setLimits(call, params.tenant_id, body, allowedVersions(headers))),
  }),
];
