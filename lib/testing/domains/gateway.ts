import { queryRow } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { created, type DomainTesting, member } from '../fixture';
import { createCell } from '../hosts';
import type { TestProject } from '../world';

/** A host below the project's own domain. */
export async function ownHost(project: Pick<TestProject, 'id'>, name = 'shop'): Promise<string> {
  const { slug } = await queryRow<{ slug: string }>(sql`SELECT slug FROM projects WHERE id = ${project.id}::uuid`);
  return `${name}.${slug}.apps.localhost`;
}

export const gatewayTesting: DomainTesting = {
  fixtures: {
    '/gateway/routes/{id}': async (project, call) => {
      await createCell();
      const body = {
        name: 'fixture',
        host: await ownHost(project),
        backends: [{ name: 'web', url: 'https://www.example.org', weight: 100 }],
      };
      return created(member(project, call, '/gateway/routes', body));
    },
  },
};
