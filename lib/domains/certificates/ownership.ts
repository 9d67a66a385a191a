import type { ProjectCall } from '@/lib/core/api/endpoint';
import { invalid } from '@/lib/core/api/errors';
import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { verifiedHosts } from '@/lib/domains/gateway/fragments';
import { settings } from '@/lib/settings';

/**
 * Checks that the project may order certificates for these hosts: they lie under its slug, or are verified hosts of its
 * gateway routes.
 * @throws ApiError 400 that names the first other host
 */
export async function requireOwnDomains({ project_id }: ProjectCall, domains: readonly string[]): Promise<void> {
  const project = await queryOne<{ slug: string; verified: string[] }>(sql`SELECT slug,
      ${verifiedHosts(project_id, domains)} AS verified
    FROM projects WHERE id = ${project_id}::uuid`);
  const own = `.${project?.slug}.${settings().gatewayDomain}`;
  const verified = new Set(project?.verified);
  const index = domains.findIndex((domain) => !domain.endsWith(own) && !verified.has(domain));
  if (index !== -1)
    throw invalid(
      `domains: ${domains[index]} does not belong to this project. It must end in ${own}, or be a verified host of a gateway route.`,
    );
}
