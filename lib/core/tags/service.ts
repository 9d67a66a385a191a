import type { ProjectCall } from '@/lib/core/api/endpoint';
import { notFound } from '@/lib/core/api/errors';
import { Page } from '@/lib/core/api/pagination';
import { query, queryOne } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { type Domain, none } from '@/lib/core/domains/domain';
import { commit } from '@/lib/core/quota/commit';
import { readTag } from './filter';
import type { TagCount, Tags } from './schema';

type Tagged = { type: string; id: string };
type Found = { table: string; name: string; tags: Tags };

/** The tags of a resource. @throws ApiError 404 */
export async function readTags(call: ProjectCall, of: Tagged, domains: readonly Domain[]): Promise<{ tags: Tags }> {
  const { tags } = await find(call, of, domains);
  return { tags };
}

/** Replaces all tags of a resource. @throws ApiError 404 */
export async function replaceTags(
  call: ProjectCall,
  of: Tagged,
  tags: Tags,
  domains: readonly Domain[],
): Promise<{ tags: Tags }> {
  const { type, id } = of;
  const { table, name } = await find(call, of, domains);
  await commit(call, {
    resource: { type, id, name },
    target: sql`SELECT true AS allowed, NULL::text AS state
      FROM k JOIN ${raw(table)} r ON r.project_id = k.project_id AND r.id = ${id}::uuid FOR NO KEY UPDATE OF r`,
    rows: {
      removed: sql`DELETE FROM resource_tags t USING verdict
        WHERE verdict.ok AND t.resource_id = ${id}::uuid AND NOT ${JSON.stringify(tags)}::jsonb ? t.key`,
      written: sql`INSERT INTO resource_tags (project_id, resource_id, key, value)
        SELECT ${call.project_id}::uuid, ${id}::uuid, tag.key, tag.value
        FROM verdict CROSS JOIN jsonb_each_text(${JSON.stringify(tags)}::jsonb) AS tag WHERE verdict.ok
        ON CONFLICT (resource_id, key) DO UPDATE SET value = excluded.value WHERE resource_tags.value <> excluded.value`,
    },
    details: { tags },
    answer: { status: 200, body: { tags } },
  });
  return { tags };
}

async function find(call: ProjectCall, { type, id }: Tagged, domains: readonly Domain[]): Promise<Found> {
  const resource = domains.map(({ resources }) => resources[type]).find((found) => found !== undefined);
  if (!resource || resource.search === none) throw notFound('The resource');
  const { table } = resource;
  const row = await queryOne<{ name: string; tags: Tags }>(sql`
    SELECT ${raw(resource.search.title)} AS name, coalesce(
      (SELECT jsonb_object_agg(t.key, t.value ORDER BY t.key) FROM resource_tags t WHERE t.resource_id = r.id), '{}') AS tags
    FROM ${raw(table)} r WHERE r.project_id = ${call.project_id}::uuid AND r.id = ${id}::uuid`);
  if (!row) throw notFound(`The ${type.replaceAll('_', ' ')}`);
  return { table, ...row };
}

/** A page of the tags in use that begin with the text, in alphabetical order. */
export async function listTags(
  { project_id }: ProjectCall,
  { search = '', limit, cursor }: { search?: string | undefined; limit: number; cursor?: string | undefined },
): Promise<Page<TagCount>> {
  const { key, value } = readTag(search);
  const wanted =
    value === undefined
      ? sql`starts_with(t.key, ${key}::text)`
      : sql`t.key = ${key}::text AND starts_with(t.value, ${value}::text)`;
  const after = cursor === undefined ? undefined : readTag(cursor);
  const rest = after ? sql`(t.key, t.value) > (${after.key}::text, ${after.value ?? ''}::text)` : sql`true`;
  const rows = await query<TagCount>(sql`
    SELECT t.key, t.value, count(*)::int AS resources FROM resource_tags t
    WHERE t.project_id = ${project_id}::uuid AND ${wanted} AND ${rest} GROUP BY 1, 2 ORDER BY 1, 2 LIMIT ${limit + 1}::int`);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return new Page(shown, last ? `${last.key}=${last.value}` : null);
}
