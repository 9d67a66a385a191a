import type { ProjectCall } from '@/lib/core/api/endpoint';
import { invalid } from '@/lib/core/api/errors';
import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { settings } from '@/lib/settings';

/**
 * Checks that the project may order certificates for these hosts: they lie under its slug.
 * @throws ApiError 400 that names the first other host
 */
export async function requireOwnDomains({ project_id }: ProjectCall, domains: readonly string[]): Promise<void> {
  const project = await queryOne<{ slug: string }>(sql`SELECT slug FROM projects WHERE id = ${project_id}::uuid`);
  const own = `.${project?.slug}.${settings().gatewayDomain}`;
  const index = domains.findIndex((domain) => !domain.endsWith(own));
  if (index !== -1) throw invalid(`domains: ${domains[index]} does not belong to this project. It must end in ${own}.`);
}
