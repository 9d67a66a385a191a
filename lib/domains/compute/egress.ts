import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { countPortEgress } from '@/lib/domains/network/egress';

/** Counts what a machine that is off has sent since it was last sampled, while its ports are still there. */
export async function countLastEgress(instanceId: string): Promise<void> {
  const found = await queryOne<{ project_id: string; name: string }>(
    sql`SELECT project_id, name FROM instances WHERE id = ${instanceId}::uuid`,
  );
  if (!found) return;
  const { project_id, name } = found;
  await countPortEgress({ id: instanceId, project_id, resource: { type: 'instance', name } });
}
