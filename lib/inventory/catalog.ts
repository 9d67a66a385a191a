import type { ProjectCall } from '@/lib/core/api/endpoint';
import { JsonNumber, type Sendable } from '@/lib/core/api/json';
import { groupSlug } from '@/lib/core/api/reference';
import { query } from '@/lib/core/db/pool';
import { join, raw, sql } from '@/lib/core/db/sql';
import { type Domain, each } from '@/lib/core/domains/domain';
import { unavailableEngines } from '@/lib/hosts/engine-reports/service';
import { costsOfTypes } from '@/lib/money/billing/resource-costs';
import { Money, total } from '@/lib/money/rating/cost';
import { readMeter } from '@/lib/money/rating/meter';
import { settings } from '@/lib/settings';
import type { CatalogEntry } from './catalog-schema';

/** Every service of the platform, with its use in the project. */
export async function listServices(
  { project_id }: ProjectCall,
  domains: readonly Domain[],
): Promise<Sendable<CatalogEntry>[]> {
  const [counts, costs, missing] = await Promise.all([
    countResources(project_id, domains),
    readMeter(project_id).then((meter) => costsOfTypes(project_id, meter)),
    unavailableEngines(),
  ]);
  const { baseUrl } = settings();
  return domains.flatMap(({ services, resources: types }) =>
    services.map(({ id, name, category, description, resources, engines, limit, reference }) => {
      const held = resources.reduce((sum, type) => sum + (counts.get(type) ?? 0), 0);
      const reason =
        each(engines)
          .map((engine) => missing.get(engine))
          .find((found) => found !== undefined) ?? null;
      return {
        id,
        name,
        category,
        description,
        status: held > 0 ? 'subscribed' : reason === null ? 'available' : 'unavailable',
        status_reason: reason,
        resources: held,
        limit: limit?.() ?? null,
        month_to_date_usd: JsonNumber.money(total(resources.map((type) => new Money(costs.get(type) ?? 0)))),
        docs_url: `${baseUrl}/docs/${groupSlug(reference)}`,
        engine: each(engines)[0] ?? null,
        resource_types: resources,
        metrics: [...new Set(resources.flatMap((type) => each(types[type]?.metering ?? [])))],
      };
    }),
  );
}

async function countResources(projectId: string, domains: readonly Domain[]): Promise<Map<string, number>> {
  const counts = domains.flatMap(({ resources }) =>
    Object.entries(resources).map(
      ([type, { table }]) =>
        sql`SELECT ${type}::text AS type, count(*)::int AS held FROM ${raw(table)} WHERE project_id = ${projectId}::uuid`,
    ),
  );
  const rows = await query<{ type: string; held: number }>(join(counts, ' UNION ALL '));
  return new Map(rows.map(({ type, held }) => [type, held]));
}
