import { join, raw, type Sql, sql } from '@/lib/core/db/sql';

/**
 * Filter: the resource has all of these tags.
 * @param row alias of the table with the resource's `id` and `project_id`
 */
export function hasTags(row: string): (filters: readonly string[]) => Sql {
  return (filters) =>
    join(
      filters.map((filter) => hasTag(raw(row), filter)),
      ' AND ',
    );
}

function hasTag(row: Sql, filter: string): Sql {
  const { key, value } = readTag(filter);
  const exact = value === undefined ? raw('') : sql` AND t.value = ${value}::text`;
  // With the project, PostgreSQL can begin with the few resources that have the tag.
  return sql`EXISTS (SELECT FROM resource_tags t
    WHERE t.project_id = ${row}.project_id AND t.resource_id = ${row}.id AND t.key = ${key}::text${exact})`;
}

/** `env=production` or `env`. A key has no equals sign; a value may. */
export function readTag(text: string): { key: string; value?: string } {
  const end = text.indexOf('=');
  return end < 0 ? { key: text } : { key: text.slice(0, end), value: text.slice(end + 1) };
}

/** The resources of a project that have a tag, as a query of `resource_id, value`. */
export function taggedWith(projectId: string, key: string): Sql {
  return sql`SELECT resource_id, value FROM resource_tags WHERE project_id = ${projectId}::uuid AND key = ${key}::text`;
}

/** All tags, as a query of `project_id, resource_id, key, value`. */
export const allTags = raw('SELECT project_id, resource_id, key, value FROM resource_tags');
