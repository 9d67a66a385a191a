import { engineOf } from '@/lib/engines/engines';
import { appoint } from '../cluster/appoint';
import { type Cluster, type Member, primaryOf, readCluster, servingMembers } from '../cluster/clusters';
import type { Switched } from '../cluster/driver';
import { endpointOf } from '../cluster/specs';
import { inTurn } from '../cluster/turns';
import { endSessions, repoint, whileHeld } from '../endpoint/endpoint';
import { ask, forget } from './connections';
import { bestStandby, promote, startMember, stopFormer } from './promotion';
import { connections, PORT, SUPERUSER } from './settings-file';
import { memberSpec } from './specs';
import { isServing, stateOf, statesOf } from './state';

/** How long statements in progress may take to end before their connections are ended. */
const DRAIN_MS = 500;
const CATCH_UP_MS = 3_000;
const POLL_MS = 10;
/** A member that is only slow must not make a planned switch fail. */
const PATIENT_MS = 3_000;
/** The endpoint holds for little longer. */
const RESTART_MS = 18_000;

const pause = () => new Promise((resolve) => setTimeout(resolve, POLL_MS));

/**
 * A planned switch to the best standby: new connections wait, statements end, the standby receives everything, and then takes
 * over. The former primary follows it. Nothing acknowledged is lost; without a standby that catches up, nothing has changed.
 * @throws Error with the reason for its owner
 */
export async function switchPrimary(clusterId: string): Promise<Switched> {
  const cluster = await readCluster(clusterId);
  if (!cluster) throw new Error('The cluster is gone.');
  const members = servingMembers(cluster);
  const primary = primaryOf(members);
  const target = bestStandby(await statesOf(cluster, members, PATIENT_MS));
  if (!primary || !target) throw new Error('No standby has caught up with the primary.');
  const endpoint = endpointOf(cluster);
  // Most of the work of a shutdown, done while clients still write.
  await ask(cluster, primary, 'CHECKPOINT', { timeoutMs: 60_000 });
  const pause_ms = await whileHeld(endpoint, async () => {
    await drain(cluster, primary);
    await catchUp(cluster, primary, target);
    if (!(await appoint(cluster, { from: primary, to: target, rebuild: false, action: 'switched' })))
      throw new Error('The cluster has changed meanwhile.');
    await stopFormer(cluster, primary);
    await promote(cluster, target);
    await repoint(endpoint, target.ip);
    await endSessions(endpoint);
  });
  startMember(cluster, primary.id);
  for (const member of members) if (member !== primary && member !== target) startMember(cluster, member.id);
  return { pause_ms };
}

/**
 * Starts the primary anew with its new settings, while new connections wait: the way for a cluster without standbys, and for a
 * lower `max_connections`, because a standby never runs with less than its primary.
 */
export async function restartPrimary(cluster: Cluster, primary: Member): Promise<Switched> {
  await ask(cluster, primary, 'CHECKPOINT', { timeoutMs: 60_000 });
  const pause_ms = await whileHeld(endpointOf(cluster), async () => {
    await drain(cluster, primary);
    forget(primary);
    const { services } = engineOf(cluster.cell_id);
    const until = performance.now() + RESTART_MS;
    await services.ensureService(await memberSpec(cluster, primary));
    while (!isServing({ member: primary, state: await stateOf(cluster, primary, PATIENT_MS) })) {
      if (performance.now() > until) throw new Error('The primary did not start again in time.');
      await pause();
    }
  });
  return { pause_ms };
}

/** Whether the primary runs with more connections than it should. */
export async function hasTooManyConnections(cluster: Cluster, primary: Member): Promise<boolean> {
  const [row] = await ask<{ now: number }>(
    cluster,
    primary,
    `SELECT setting::int AS now FROM pg_settings WHERE name = 'max_connections'`,
    { timeoutMs: PATIENT_MS },
  );
  return row !== undefined && row.now > connections(cluster);
}

const OTHERS = `FROM pg_stat_activity WHERE backend_type = 'client backend' AND usename <> '${SUPERUSER}'`;

/**
 * Connections from an address by the kernel's table, where addresses are in hexadecimal, the last byte first. PostgreSQL's own views
 * lack those that are not authenticated yet, or that it has not accepted.
 */
function connectionsFrom(address: string): string {
  const host = address.split('.').toReversed().map(Number).map(hexadecimal(2)).join('');
  const established = `:${hexadecimal(4)(PORT)} ${host}:[0-9A-F]{4} 01 `;
  return `(SELECT count(*) FROM regexp_matches(pg_read_file('/proc/net/tcp'), '${established}', 'g'))`;
}

const hexadecimal = (digits: number) => (value: number) => value.toString(16).toUpperCase().padStart(digits, '0');

/**
 * Ends the connections of clients: idle ones at once, which their drivers notice before their next statement, and the others
 * when their transaction ends, or after half a second. Who connects at this moment gets as far as that first.
 */
export async function drain(cluster: Cluster, primary: Pick<Member, 'id'>): Promise<void> {
  const until = performance.now() + DRAIN_MS;
  for (;;) {
    const isLate = performance.now() > until;
    const [row] = await ask<{ left: number; open: number }>(
      cluster,
      primary,
      `SELECT count(*)::int AS left, count(ended) AS ended, ${connectionsFrom(cluster.address)}::int AS open FROM
        (SELECT CASE WHEN state = 'idle' OR ${isLate} THEN pg_terminate_backend(pid) END AS ended ${OTHERS}) AS sessions`,
      { timeoutMs: 2_000 },
    );
    if (row?.left === 0 && (row.open === 0 || isLate)) return;
    if (performance.now() > until + CATCH_UP_MS) throw new Error('Connections to the primary could not be ended.');
    await pause();
  }
}

async function catchUp(cluster: Cluster, primary: Member, target: Member): Promise<void> {
  const last = await stateOf(cluster, primary, PATIENT_MS);
  if (!last.isUp || !last.isPrimary) throw new Error('The primary has just failed.');
  const until = performance.now() + CATCH_UP_MS;
  while (performance.now() < until) {
    const state = await stateOf(cluster, target, PATIENT_MS);
    if (state.isUp && !state.isPrimary && state.received >= last.written) return;
    await pause();
  }
  throw new Error('The standby did not catch up in time.');
}

/** A lower number of connections comes to the primary first. */
export async function lowerPrimary({ id }: Cluster): Promise<void> {
  await inTurn(id, async () => {
    const cluster = await readCluster(id);
    const primary = cluster && primaryOf(servingMembers(cluster));
    if (primary && (await hasTooManyConnections(cluster, primary))) await restartPrimary(cluster, primary);
  });
}
