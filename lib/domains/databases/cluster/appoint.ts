import { now } from '@/lib/clock';
import { auditInsert } from '@/lib/core/audit/entry';
import { signalChange } from '@/lib/core/db/changes';
import { hintInsert } from '@/lib/core/db/hint';
import { query } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { memberName } from '../view';
import type { Cluster, Member } from './clusters';

type Change = {
  from: Member;
  to: Member;
  /** Whether the former primary may have writes that its successor lacks: its data are then copied anew. */
  rebuild: boolean;
  action: 'failed_over' | 'switched';
  details?: Record<string, unknown>;
};

/**
 * Makes another member the primary in the database: the moment that decides, once for each primary.
 * @returns whether nobody else was sooner
 */
export async function appoint(cluster: Cluster, { from, to, rebuild, action, details }: Change): Promise<boolean> {
  const { id, project_id, name, moves } = cluster;
  const rows = await query(sql`
    WITH moved AS (
      UPDATE database_clusters SET moves = moves + 1, status = CASE WHEN status IN ('available', 'degraded') THEN 'failing_over' ELSE status END
      WHERE id = ${id}::uuid AND moves = ${moves}::int AND status <> 'deleting' RETURNING id
    ), appointed AS (
      UPDATE database_members m SET role = CASE WHEN m.id = ${to.id}::uuid THEN 'primary' ELSE 'standby' END, in_sync = false,
        incarnation = m.incarnation + CASE WHEN m.id = ${from.id}::uuid AND ${rebuild}::boolean THEN 1 ELSE 0 END
      FROM moved WHERE m.cluster_id = moved.id AND m.group_no = ${to.group_no}::int AND NOT m.leaving
    ), noted AS (${auditInsert(
      { at: now(), caller: undefined, address: null, request_id: null },
      {
        action: `database_cluster.${action}`,
        actor: { actor_type: 'host', actor_id: null, actor_name: 'the platform' },
        result: 'succeeded',
        status: 200,
        project_id,
        resource: { type: 'database_cluster', id, name },
        details: { from: memberName(name, from.ordinal), to: memberName(name, to.ordinal), ...details },
        activity: true,
      },
      raw('moved'),
    )}), hinted AS (${hintInsert({ project_id, topic: 'database_cluster', resource_id: id }, raw('moved'))})
    SELECT id FROM moved`);
  if (rows.length > 0) signalChange();
  return rows.length > 0;
}
