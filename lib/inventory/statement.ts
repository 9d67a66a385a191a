import { contains } from '@/lib/core/api/list';
import { creatorOf } from '@/lib/core/audit/creator';
import { join, raw, type Sql, sql } from '@/lib/core/db/sql';
import { type DomainResource, each } from '@/lib/core/domains/domain';
import { none } from '@/lib/core/domains/portal';
import type { ResourceSearch } from '@/lib/core/domains/search';
import { hasTags } from '@/lib/core/tags/filter';

/** A type of resources, as its domain declares it. */
export type Listed = {
  type: string;
  table: string;
  statuses: DomainResource['statuses'];
  search: ResourceSearch;
  /** The API's path of a resource, with `{id}`, or of the list. */
  path: string;
};

export type InventoryFilters = {
  type?: readonly string[] | undefined;
  status?: string | undefined;
  name?: string | undefined;
  search?: string | undefined;
  tag?: readonly string[] | undefined;
};

/** Shorter texts have no index on the parts of a name. */
const SHORTEST_PART = 3;

/**
 * The newest resources before an id, over all types. Ids are UUIDv7, so each type is read backwards along its index of
 * project and id, and no more than a page of it.
 * @param before the last id of the page before
 */
export function pageStatement(
  types: readonly Listed[],
  projectId: string,
  filters: InventoryFilters,
  { limit, before }: { limit: number; before?: string | undefined },
): Sql {
  const pages = types.flatMap((listed) => {
    const where = conditions(listed, projectId, filters);
    if (where === undefined) return [];
    if (before !== undefined) where.push(sql`r.id < ${before}::uuid`);
    const { type, table, search } = listed;
    return [
      sql`(SELECT ${type}::text AS type, r.id, r.project_id, ${raw(search.title)} AS name, ${raw(statusOf(listed))} AS status,
        r.created_at FROM ${raw(table)} r WHERE ${join(where, ' AND ')} ORDER BY r.id DESC LIMIT ${limit}::int)`,
    ];
  });
  if (pages.length === 0) return raw('SELECT WHERE false');
  return sql`
    SELECT page.type, page.id, page.name, page.status, page.created_at, creator.name AS created_by, coalesce(tagged.tags, '{}') AS tags
    FROM (SELECT * FROM (${join(pages, ' UNION ALL ')}) AS newest ORDER BY id DESC LIMIT ${limit}::int) AS page
    LEFT JOIN LATERAL (${creatorOf(raw('page'))}) AS creator ON true
    LEFT JOIN LATERAL (SELECT jsonb_object_agg(t.key, t.value ORDER BY t.key) AS tags FROM resource_tags t WHERE t.resource_id = page.id)
      AS tagged ON true
    ORDER BY page.id DESC`;
}

function statusOf({ statuses, search }: Listed): string {
  if (search.status === none) return statuses === none ? 'NULL::text' : 'r.status';
  const cases = Object.entries(search.status).map(([status, condition]) => `WHEN ${condition} THEN '${status}'`);
  return `CASE ${cases.join(' ')} END`;
}

/** The condition on rows with this status. @returns undefined when the type has no such status */
function hasStatus({ statuses, search }: Listed, status: string): Sql | undefined {
  if (search.status === none) return each(statuses).includes(status) ? sql`r.status = ${status}::text` : undefined;
  const condition = new Map(Object.entries(search.status)).get(status);
  return condition === undefined ? undefined : raw(`(${condition})`);
}

/** undefined: no resource of the type can match. */
function conditions(listed: Listed, projectId: string, filters: InventoryFilters): Sql[] | undefined {
  const { type, status, name, search, tag = [] } = filters;
  const { title, by_name } = listed.search;
  if (type !== undefined && !type.includes(listed.type)) return undefined;
  const where = [sql`r.project_id = ${projectId}::uuid`];
  if (status !== undefined) {
    const matching = hasStatus(listed, status);
    if (matching === undefined) return undefined;
    where.push(matching);
  }
  if (name !== undefined) {
    // The index of names is in lower case.
    if (by_name) where.push(sql`lower(r.name) = lower(${name}::text)`);
    where.push(sql`${raw(title)} = ${name}::text`);
  }
  if (search !== undefined) {
    if (by_name && search.length >= SHORTEST_PART) {
      where.push(sql`search_terms(r.project_id, r.name) @> search_terms(${projectId}::uuid, ${search}::text)`);
    }
    where.push(contains(title)(search));
  }
  if (tag.length > 0) where.push(hasTags('r')(tag));
  return where;
}

/** The addresses of these resources, as a query of `id, address`; undefined: their types have none. */
export function addressStatement(
  types: readonly Listed[],
  projectId: string,
  resources: readonly { type: string; id: string }[],
): Sql | undefined {
  const found = types.flatMap(({ type, search }) => {
    const ids = resources.filter((resource) => resource.type === type).map(({ id }) => id);
    if (ids.length === 0) return [];
    return each(search.addresses).map(({ from, id, project_id, ip, range }) => {
      const address = ip === none ? `text(${range})` : `host(${ip})`;
      return sql`SELECT ${raw(id)} AS id, ${raw(address)} AS address FROM ${raw(from)}
        WHERE ${raw(project_id)} = ${projectId}::uuid AND ${raw(id)} = ANY (${ids}::uuid[])`;
    });
  });
  return found.length === 0 ? undefined : sql`${join(found, ' UNION ALL ')} ORDER BY 1, 2`;
}
