import { type Sql, sql } from '@/lib/core/db/sql';

/**
 * The name of whoever created a resource, as a query of `name`; no row for what the platform created. The entry has the
 * time of the row, because one statement wrote both. Tenants do not learn which administrator acted.
 * @param resource alias of a row with `id`, `project_id` and `created_at`
 */
export function creatorOf(resource: Sql): Sql {
  return sql`SELECT CASE a.actor_type WHEN 'user' THEN coalesce(u.name, 'a former member')
      WHEN 'administrator' THEN 'the platform' WHEN 'host' THEN 'the platform' ELSE a.actor_name END AS name
    FROM audit_entries a LEFT JOIN users u ON u.id = CASE WHEN a.actor_type = 'user' THEN a.actor_id::uuid END
    WHERE a.resource_id = ${resource}.id::text AND a.project_id = ${resource}.project_id AND a.at = ${resource}.created_at
      AND a.result = 'succeeded' ORDER BY a.id LIMIT 1`;
}
