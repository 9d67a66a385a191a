import { type Sql, sql } from '@/lib/core/db/sql';
import { ifAdmitted } from '@/lib/core/quota/guarded';

/** Updates the name of a resource in its usage. Invoices keep the name that they were issued with. */
export function renameUsage(resourceId: string, name: string): Sql {
  return sql`UPDATE spans SET resource_name = ${name}::text FROM ${ifAdmitted} AND spans.resource_id = ${resourceId}::uuid`;
}
