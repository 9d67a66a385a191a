import { signalChange } from '@/lib/core/db/changes';
import { hintInsert } from '@/lib/core/db/hint';
import { query } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import type { MemberStatus } from '../schema';
import type { Cluster } from './clusters';

export type MemberNote = { id: string; status: MemberStatus; reason: string | null; lag: number | null };

export type ClusterNote = {
  members: readonly MemberNote[];
  /** Members that run. */
  running: number;
  status: string;
  reason: string | null;
};

/** Only these statuses follow from what is seen; the others are an operation's. */
const OBSERVED = ['available', 'degraded', 'failing_over'];

/** Whether the agent sets the status of a cluster. During a planned switch, the operation does. */
export const isObserved = ({ status, is_switching }: Pick<Cluster, 'status' | 'is_switching'>): boolean =>
  OBSERVED.includes(status) && !is_switching;

/** Writes what was seen of a cluster into the rows, where it differs. */
export async function noteStates(cluster: Cluster, { members, running, status, reason }: ClusterNote): Promise<void> {
  const isSame =
    members.every((note) => {
      const before = cluster.members.find(({ id }) => id === note.id);
      return (
        before?.status === note.status && before.status_reason === note.reason && nearly(before.lag_bytes, note.lag)
      );
    }) &&
    cluster.running === running &&
    cluster.status === status &&
    cluster.status_reason === reason;
  if (isSame) return;
  const changed = await query(sql`
    WITH seen AS (SELECT * FROM jsonb_to_recordset(${JSON.stringify(members)}::jsonb) AS s (id uuid, status text, reason text, lag bigint)),
    members AS (
      UPDATE database_members m SET status = seen.status, status_reason = seen.reason, lag_bytes = seen.lag FROM seen WHERE m.id = seen.id RETURNING m.id
    ), cluster AS (
      UPDATE database_clusters c SET running = ${running}::int, status = ${status}::text, status_reason = ${reason}::text
      WHERE c.id = ${cluster.id}::uuid AND c.status = ${cluster.status}::text AND c.moves = ${cluster.moves}::int RETURNING c.id
    )
    ${hintInsert(
      { project_id: cluster.project_id, topic: 'database_cluster', resource_id: cluster.id },
      raw('(SELECT 1) AS always WHERE EXISTS (SELECT FROM members) OR EXISTS (SELECT FROM cluster)'),
    )} RETURNING topic`);
  if (changed.length > 0) signalChange();
}

/** A lag moves all the time: only its order of magnitude is news. */
export const nearly = (one: number | null, other: number | null) =>
  (one === null) === (other === null) && Math.abs((one ?? 0) - (other ?? 0)) < 1024 ** 2;
