import { appoint } from '../cluster/appoint';
import { type Cluster, type Member, primaryOf, readCluster, servingMembers } from '../cluster/clusters';
import type { Switched } from '../cluster/driver';
import { startMember } from '../cluster/member-process';
import { endpointOf } from '../cluster/specs';
import { endSessions, repoint, whileHeld } from '../endpoint/endpoint';
import { ask } from './connections';
import { follow, promote } from './follow';
import { memberSpec } from './specs';
import { bestStandby, stateOf, statesOf } from './state';

const PATIENT_MS = 3_000;
const CATCH_UP_MS = 3_000;
/** The primary takes writes again by itself if whoever paused it fails. */
const PAUSE_MS = 8_000;
const POLL_MS = 3;

/**
 * A planned switch: new connections wait, writes are paused, the standby receives everything, and then takes over.
 * @throws Error with the reason for its owner
 */
export async function switchPrimary(clusterId: string): Promise<Switched> {
  const cluster = await readCluster(clusterId);
  if (!cluster) throw new Error('The cluster is gone.');
  const members = servingMembers(cluster);
  const primary = primaryOf(members);
  const target = bestStandby(await statesOf(cluster, members, PATIENT_MS))?.member;
  if (!primary || !target) throw new Error('No standby has caught up with the primary.');
  const endpoint = endpointOf(cluster);
  const pause_ms = await whileHeld(endpoint, async () => {
    try {
      await ask(cluster, primary, ['CLIENT', 'PAUSE', PAUSE_MS, 'WRITE'], PATIENT_MS);
      await catchUp(cluster, primary, [target]);
      if (!(await appoint(cluster, { from: primary, to: target, rebuild: false, action: 'switched' })))
        throw new Error('The cluster has changed meanwhile.');
      await promote(cluster, target);
      await repoint(endpoint, target.ip);
      await endSessions(endpoint);
      await follow(cluster, primary, target);
    } finally {
      await ask(cluster, primary, ['CLIENT', 'UNPAUSE'], PATIENT_MS).catch(() => {});
    }
  });
  // Each begins in its new role after a restart.
  for (const { id } of members) startMember(memberSpec, cluster, id);
  return { pause_ms };
}

/** Waits until members have received all that the primary has. @throws Error where they do not in time */
export async function catchUp(cluster: Cluster, primary: Member, targets: readonly Member[]): Promise<void> {
  const last = await stateOf(cluster, primary, PATIENT_MS);
  if (!last.isUp || !last.isPrimary) throw new Error('The primary has just failed.');
  const until = performance.now() + CATCH_UP_MS;
  while (performance.now() < until) {
    const seen = await statesOf(cluster, targets, PATIENT_MS);
    if (seen.every(({ state }) => state.isUp && !state.isPrimary && state.offset >= last.offset)) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error('The standby did not catch up in time.');
}
