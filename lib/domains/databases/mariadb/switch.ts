import { appoint } from '../cluster/appoint';
import { type Cluster, type Member, primaryOf, readCluster, servingMembers } from '../cluster/clusters';
import type { Switched } from '../cluster/driver';
import { endpointOf } from '../cluster/specs';
import { endSessions, repoint, whileHeld } from '../endpoint/endpoint';
import { ask } from './connections';
import { SUPERUSER } from './settings-file';
import { bestSuccessor, stateOf, statesOf } from './state';

/** How long statements in progress may take to end before their connections are ended. */
const DRAIN_MS = 500;
const CATCH_UP_MS = 3_000;
const POLL_MS = 10;
const PATIENT_MS = 3_000;

export const pause = () => new Promise((resolve) => setTimeout(resolve, POLL_MS));

/**
 * A planned switch: new connections wait, statements end, the successor applies everything, and then clients are led to it.
 * @throws Error with the reason for its owner; then nothing has changed
 */
export async function switchPrimary(clusterId: string): Promise<Switched> {
  const cluster = await readCluster(clusterId);
  if (!cluster) throw new Error('The cluster is gone.');
  const members = servingMembers(cluster);
  const primary = primaryOf(members);
  const target = bestSuccessor(await statesOf(cluster, members, PATIENT_MS));
  if (!primary || !target) throw new Error('No other member has all data.');
  const endpoint = endpointOf(cluster);
  const pause_ms = await whileHeld(endpoint, async () => {
    await drain(cluster, primary);
    await catchUp(cluster, primary, target);
    if (!(await appoint(cluster, { from: primary, to: target, rebuild: false, action: 'switched' })))
      throw new Error('The cluster has changed meanwhile.');
    await repoint(endpoint, target.ip);
    await endSessions(endpoint);
  });
  return { pause_ms };
}

/**
 * Ends the connections of clients: idle ones at once, the others when their transaction ends, or after half a second.
 * @returns how many were ended in the middle of something
 */
export async function drain(cluster: Cluster, primary: Member): Promise<number> {
  const until = performance.now() + DRAIN_MS;
  const interrupted = new Set<number>();
  for (;;) {
    const rows = await ask<{ id: number; isIdle: number }>(
      cluster,
      primary,
      `SELECT p.id, p.command = 'Sleep' AND t.trx_id IS NULL AS isIdle FROM information_schema.processlist p
        LEFT JOIN information_schema.innodb_trx t ON t.trx_mysql_thread_id = p.id
        WHERE p.user NOT IN ('${SUPERUSER}', 'system user', 'event_scheduler')`,
      { timeoutMs: 2_000 },
    );
    if (rows.length === 0) return interrupted.size;
    const isLate = performance.now() > until;
    for (const { id, isIdle } of rows) {
      if (!isLate && !isIdle) continue;
      if (!isIdle) interrupted.add(id);
      await kill(cluster, primary, id);
    }
    if (performance.now() > until + CATCH_UP_MS) throw new Error('Connections to the primary could not be ended.');
    await pause();
  }
}

/** One that has just ended by itself is no error. */
const kill = (cluster: Cluster, primary: Member, id: number) =>
  ask(cluster, primary, 'KILL ?', { values: [id], timeoutMs: 2_000 }).catch((error) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'ER_NO_SUCH_THREAD')) throw error;
  });

/** Waits until the successor has applied all that the primary has. @throws Error where it does not in time */
export async function catchUp(cluster: Cluster, primary: Member, target: Member): Promise<void> {
  const last = await stateOf(cluster, primary, PATIENT_MS);
  if (!last.isUp || !last.isInGroup) throw new Error('The primary has just failed.');
  const until = performance.now() + CATCH_UP_MS;
  while (performance.now() < until) {
    const state = await stateOf(cluster, target, PATIENT_MS);
    if (state.isUp && state.isInGroup && state.committed >= last.committed) return;
    // Clients are held: one that has ended is not waited for.
    if (!state.isUp && state.failure === 'refused') throw new Error('The successor has just ended.');
    await pause();
  }
  throw new Error('The successor did not catch up in time.');
}
