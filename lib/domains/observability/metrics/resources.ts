import { query } from '@/lib/core/db/pool';
import { join, raw, sql } from '@/lib/core/db/sql';
import type { KindMetrics } from '@/lib/core/devices/metric';
import { type Domain, none } from '@/lib/core/domains/domain';

/** A kind of resource that reports metrics, and how its name is read. */
export type SampledKind = KindMetrics & { kind: string; table: string; title: string };

/** Every kind of resource that reports metrics. */
export function sampledKinds(domains: readonly Domain[]): SampledKind[] {
  return domains.flatMap(({ metrics, resources }) =>
    metrics === none
      ? []
      : Object.entries(metrics).flatMap(([kind, of]) => {
          const { devices } = of;
          if (devices !== undefined) return [{ ...of, kind, table: `(${devices})`, title: 'r.name' }];
          const resource = resources[kind];
          if (!resource) return [];
          const title = resource.search === none ? 'r.name' : resource.search.title;
          return [{ ...of, kind, table: resource.table, title }];
        }),
  );
}

export type Resource = { kind: string; id: string; name: string };

/** The project's resources of these kinds. */
export async function resourcesOf(projectId: string, kinds: readonly SampledKind[]): Promise<Resource[]> {
  if (kinds.length === 0) return [];
  const each = kinds.map(
    ({ kind, table, title }) =>
      sql`SELECT ${kind}::text AS kind, r.id, ${raw(title)} AS name FROM ${raw(table)} r WHERE r.project_id = ${projectId}::uuid`,
  );
  return query<Resource>(sql`${join(each, ' UNION ALL ')} ORDER BY name, id`);
}
