import { type Sql, sql } from '@/lib/core/db/sql';

// What others read of the tables of the gateway, in statements of their own.

/** The hosts among these that a project has verified, as an array. */
export const verifiedHosts = (projectId: string, hosts: readonly string[]): Sql =>
  sql`ARRAY(SELECT h.host FROM gateway_hosts h WHERE h.project_id = ${projectId}::uuid AND h.status = 'verified' AND h.host = ANY (${hosts}::text[]))`;
