import { engineOf } from '@/lib/engines/engines';
import { log } from '@/lib/log';
import { appoint } from '../cluster/appoint';
import type { Cluster, Member } from '../cluster/clusters';
import { startMember as startProcess } from '../cluster/member-process';
import { endpointOf } from '../cluster/specs';
import { hold, release, repoint } from '../endpoint/endpoint';
import { ask, forget } from './connections';
import { setSynchronous } from './replication';
import { memberSpec } from './specs';
import { isServing, type Seen, stateOf } from './state';

export { endpointOf } from '../cluster/specs';

/** Promotion is replay of what was received, and a new timeline. */
const PROMOTE_MS = 30_000;
const POLL_MS = 10;

/** The standby to promote: of those with every acknowledged write, the one that has received most. */
export function bestStandby(seen: readonly Seen[]): Member | undefined {
  const ready = seen.flatMap(({ member, state }) =>
    member.role === 'standby' && member.in_sync && state.isUp && !state.isPrimary
      ? [{ member, received: state.received }]
      : [],
  );
  return ready.toSorted((one, other) => other.received - one.received)[0]?.member;
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

/** Brings a member to its desired state in the background. */
export const startMember = (cluster: Pick<Cluster, 'id' | 'cell_id'>, memberId: string): void =>
  startProcess(memberSpec, cluster, memberId);

/** Stops a former primary in order, so that its successor receives all it wrote. It starts again as a standby. */
export async function stopFormer(cluster: Cluster, member: Member): Promise<void> {
  forget(member);
  await engineOf(cluster.cell_id).services.stopService(member.id);
}
