import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { countPortEgress } from '@/lib/domains/network/egress';

/** Counts what a machine has sent since its last sample. Called when it is off and its ports still exist. */
export async function countLastEgress(cell: string, instanceId: string): Promise<void> {
  const found = await queryOne<{ project_id: string; name: string }>(
    sql`SELECT project_id, name FROM instances WHERE id = ${instanceId}::uuid`,
  );
  if (!found) return;
  const { project_id, name } = found;
  await countPortEgress(cell, { id: instanceId, project_id, resource: { type: 'instance', name } });
}
