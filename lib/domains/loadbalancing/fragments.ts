import { raw, type Sql, sql } from '@/lib/core/db/sql';

// What others read of the tables of load balancers, in statements of their own.

/** The load balancer `l` that a device is; nulls for other devices. @param device an SQL expression */
export const leftJoinBalancer = (device: string): Sql => raw(`LEFT JOIN load_balancers l ON l.id = ${device}`);

/** Those load balancers of a project. */
export const balancersAmong = (projectId: string, ids: readonly string[]): Sql =>
  sql`(SELECT id FROM load_balancers WHERE project_id = ${projectId}::uuid AND id = ANY (${ids}::uuid[])) AS l`;
