import type { ProjectCall } from '@/lib/core/api/endpoint';
import { notFound } from '@/lib/core/api/errors';
import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { platformPaths } from '@/lib/platform-paths';
import { settings } from '@/lib/settings';
import { ssoAddresses } from './issuer';
import type { WorkspaceInfo } from './schema';

/** The project's address in the portal, its single sign-on and the data sources of dashboards (spec 4.15). */
export async function readWorkspace({ project_id }: ProjectCall): Promise<WorkspaceInfo> {
  const project = await queryOne<{ name: string; slug: string }>(
    sql`SELECT name, slug FROM projects WHERE id = ${project_id}::uuid`,
  );
  if (!project) throw notFound('The project');
  const { baseUrl } = settings();
  const observability = `${baseUrl}/api/v1/observability`;
  return {
    url: baseUrl + platformPaths.overview(project.slug),
    name: project.name,
    sso: ssoAddresses(),
    data_sources: [
      { type: 'loki', name: 'Logs', url: observability },
      { type: 'prometheus', name: 'Metrics', url: `${observability}/prometheus` },
    ],
  };
}
