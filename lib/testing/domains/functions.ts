import { randomUUID } from 'node:crypto';
import { newId } from '@/lib/core/db/id';
import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { created, type DomainTesting, member } from '../fixture';
import { createCell } from '../hosts';

const body = () => ({
  name: `fixture-${randomUUID().slice(0, 18)}`,
  template_id: 'python3.11',
  code: 'def handler(event, context):\n    return event\n',
});

export const functionsTesting: DomainTesting = {
  fixtures: {
    '/functions/{id}/invocations/{invocation_id}': async (project, call) => {
      await createCell();
      const { id = '' } = await created(member(project, call, '/functions', body()));
      const invocation_id = newId();
      await query(sql`INSERT INTO function_invocations (id, project_id, function_id, cell_id, mode, trigger, status, created_at)
        SELECT ${invocation_id}::uuid, project_id, id, cell_id, 'sync', 'api', 'succeeded', platform_now() FROM functions WHERE id = ${id}::uuid`);
      return { id, invocation_id };
    },
    '/functions/{id}/versions/{version}': async (project, call) => {
      await createCell();
      return { ...(await created(member(project, call, '/functions', body()))), version: '1' };
    },
    '/functions/{id}': async (project, call) => {
      await createCell();
      return created(member(project, call, '/functions', body()));
    },
  },
};
