import type { AdministratorCall } from '@/lib/core/api/endpoint';
import { ApiError } from '@/lib/core/api/errors';
import { join, raw, sql } from '@/lib/core/db/sql';
import { commit } from './commit';
import { dimensions } from './dimensions';
import type { Limits } from './schema';
import { quotaOf } from './service';

type TenantQuota = Awaited<ReturnType<typeof quotaOf>>;

/** A tenant's quota record with the version of its limits. @throws ApiError 404 */
export function readLimits(_call: AdministratorCall, tenantId: string): Promise<TenantQuota> {
  return quotaOf(tenantId);
}

/**
 * Changes limits of a tenant (spec 4.20). They apply to the very next claim on every replica, because admission reads
 * them in the row that it locks. A limit below current use is allowed and blocks only new claims.
 * @param versions the versions of the limits that may be replaced; undefined: any
 * @throws ApiError 404, 412 when the limits have another version
 */
export async function setLimits(
  call: AdministratorCall,
  tenantId: string,
  limits: Limits,
  versions: readonly string[] | undefined,
): Promise<TenantQuota> {
  const { quota } = await readLimits(call, tenantId);
  const given = dimensions.flatMap((dimension) => {
    const limit = limits[`${dimension}_limit`];
    // The shortest decimal text of a number is the one that was sent.
    return limit === undefined ? [] : [{ column: `${dimension}_limit`, limit: sql`${String(limit)}::numeric` }];
  });
  const set = given.map(({ column, limit }) => sql`${raw(column)} = ${limit}`);
  const before = given.map(({ column }) => raw(`a.${column}`));
  const change = given.map(
    ({ column, limit }) =>
      sql`${raw(`'${column}', jsonb_build_object('old', trim_scale(target.${column}), 'new'`)}, ${limit})`,
  );
  await commit(call, {
    project_id: tenantId,
    resource: { type: 'quota', id: tenantId, name: quota.tenant_slug },
    target: sql`SELECT ${versions ? sql`a.limits_version::text = ANY(${versions}::text[])` : raw('true')} AS allowed,
                NULL::text AS state, ${join(before, ', ')}
                FROM k JOIN project_accounts a ON a.project_id = k.project_id FOR UPDATE OF a`,
    forbidden: () =>
      new ApiError('PRECONDITION_FAILED', 'The limits have changed since they were read. Read them again and retry.'),
    rows: {
      limits: sql`UPDATE project_accounts SET ${join(set, ', ')}, limits_version = project_accounts.limits_version + 1
                  FROM verdict WHERE verdict.ok AND project_accounts.project_id = ${tenantId}::uuid`,
    },
    details: sql`(SELECT jsonb_build_object(${join(change, ', ')}) FROM target)`,
  });
  return readLimits(call, tenantId);
}
