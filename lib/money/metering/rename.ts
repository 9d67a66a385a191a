import { type Sql, sql } from '@/lib/core/db/sql';
import { ifAdmitted } from '@/lib/core/quota/guarded';

/** Shows the usage of a renamed resource under its present name. Invoices keep the name that they were issued with. */
export function renameUsage(resourceId: string, name: string): Sql {
  return sql`UPDATE spans SET resource_name = ${name}::text FROM ${ifAdmitted} AND spans.resource_id = ${resourceId}::uuid`;
}
