import { type Sql, sql } from '@/lib/core/db/sql';

/** Lets a waiting operation of a resource run at once, with the write that it waits for. */
export const operationWoken = (resourceId: string, kind: string): Sql => sql`
  UPDATE operations SET run_at = least(run_at, platform_now()) FROM verdict WHERE verdict.ok
    AND operations.resource_id = ${resourceId}::uuid AND operations.kind = ${kind}::text AND operations.status = 'pending'`;
