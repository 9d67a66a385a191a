import { now } from '@/lib/clock';
import { auditInsert } from '@/lib/core/audit/entry';
import { signalChange } from '@/lib/core/db/changes';
import { hintInsert } from '@/lib/core/db/hint';
import { query } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { engineOf } from '@/lib/engines/engines';
import { log } from '@/lib/log';
import { hold, release, repoint } from '../endpoint/endpoint';
import { memberName } from '../view';
import { type Cluster, type Member, readCluster } from './clusters';
import { ask, forget } from './connections';
import { setSynchronous } from './replication';
import { memberSpec } from './specs';
import { isServing, type Seen, stateOf } from './state';

/** Promotion is replay of what was received, and a new timeline. */
const PROMOTE_MS = 30_000;
const POLL_MS = 10;

export const endpointOf = (cluster: Cluster) => ({ cell: cluster.cell_id, id: cluster.id });

/** The standby to promote: of those with every acknowledged write, the one that has received most. */
export function bestStandby(seen: readonly Seen[]): Member | undefined {
  const ready = seen.flatMap(({ member, state }) =>
    member.role === 'standby' && member.in_sync && state.isUp && !state.isPrimary
      ? [{ member, received: state.received }]
      : [],
  );
  return ready.toSorted((one, other) => other.received - one.received)[0]?.member;
}

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

/**
 * Replaces a primary that failed: ends it for good, appoints the best standby, promotes it and leads clients there. New
 * connections wait meanwhile.
 */
export async function replacePrimary(
  cluster: Cluster,
  failed: Member,
  seen: readonly Seen[],
  reason: string,
): Promise<void> {
  const target = bestStandby(seen);
  if (!target) return;
  const began = performance.now();
  log.warn(
    { cluster: cluster.id, from: failed.ordinal, to: target.ordinal, reason },
    'the primary failed: a standby takes over',
  );
  const { services } = engineOf(cluster.cell_id);
  const held = hold(endpointOf(cluster)).catch(() => {});
  // Nothing of it may run when its successor begins to write.
  await services.killService(failed.id);
  forget(failed);
  await held;
  try {
    if (
      !(await appoint(cluster, { from: failed, to: target, rebuild: true, action: 'failed_over', details: { reason } }))
    )
      return;
    await promote(cluster, target);
    await repoint(endpointOf(cluster), target.ip);
  } finally {
    await release(endpointOf(cluster));
  }
  log.info({ cluster: cluster.id, ms: Math.round(performance.now() - began) }, 'the standby has taken over');
}

/** Ends a member's recovery, and waits until it takes writes. Waits for no standby: those are asked for afterwards. */
export async function promote(cluster: Cluster, member: Member): Promise<void> {
  await setSynchronous(cluster, member, '');
  const before = await stateOf(cluster, member);
  if (before.isUp && before.isPrimary) return;
  await ask(cluster, member, 'SELECT pg_promote(false)', { timeoutMs: 2_000 });
  const until = performance.now() + PROMOTE_MS;
  while (performance.now() < until) {
    const state = await stateOf(cluster, member);
    if (isServing({ member, state })) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`member ${member.ordinal} was not promoted in time`);
}

const starting = new Set<string>();

/** Brings a member to its desired state in the background: a start may take long, and the cluster is watched meanwhile. */
export function startMember(cluster: Pick<Cluster, 'id' | 'cell_id'>, memberId: string): void {
  if (starting.has(memberId)) return;
  starting.add(memberId);
  ensureMember(cluster, memberId)
    .catch((error) => log.warn({ err: error, member: memberId }, 'a member could not be started'))
    .finally(() => starting.delete(memberId));
}

async function ensureMember({ id, cell_id }: Pick<Cluster, 'id' | 'cell_id'>, memberId: string): Promise<void> {
  const cluster = await readCluster(id);
  const member = cluster?.members.find((one) => one.id === memberId);
  if (cluster && member && cluster.status !== 'deleting')
    await engineOf(cell_id).services.ensureService(await memberSpec(cluster, member));
}

/** Stops a former primary in order, so that its successor receives all it wrote. It starts again as a standby. */
export async function stopFormer(cluster: Cluster, member: Member): Promise<void> {
  forget(member);
  await engineOf(cluster.cell_id).services.stopService(member.id);
}
