import { engineOf } from '@/lib/engines/engines';
import { log } from '@/lib/log';
import { appoint } from '../cluster/appoint';
import { type Cluster, type Member, membersBeside, primaryOf, servingMembers } from '../cluster/clusters';
import { type DiskMemory, enlargedTo, newDiskMemory, watchDisk } from '../cluster/disk';
import { lasting } from '../cluster/lasting';
import { restartEndpoint, restartMember, startMember } from '../cluster/member-process';
import { isObserved, type MemberNote, noteStates } from '../cluster/notes';
import { endpointFacts, endpointOf } from '../cluster/specs';
import { endpointStats, hold, release, repoint, settleEndpoint } from '../endpoint/endpoint';
import type { MemberStatus } from '../schema';
import { memberName } from '../view';
import { type CertificateMemory, newCertificateMemory, serveCertificate } from './certificate';
import { ask, forget } from './connections';
import { failureOf, noteServed, type Watched } from './failure';
import { bringBack, noteInStep } from './in-step';
import { beginAgain, formAgain, letJoin } from './quorum';
import { memberSpec } from './specs';
import { bestSuccessor, isInStep, isServing, type Seen, statesOf } from './state';

const HUNG_MS = 8_000;
const ENDPOINT_SILENT_MS = 2_000;

type Memory = DiskMemory & Watched & { tls: CertificateMemory };

/** A look at a cluster of MariaDB, with what is remembered of it from look to look. */
export function newLook(): (cluster: Cluster) => Promise<void> {
  const memory: Memory = {
    ...newDiskMemory(),
    served: new Set(),
    since: new Map(),
    tls: newCertificateMemory(),
  };
  return (cluster) => look(cluster, memory);
}

async function look(cluster: Cluster, memory: Memory): Promise<void> {
  const members = servingMembers(cluster);
  const primary = primaryOf(members);
  if (!primary) return;
  const beside = membersBeside(cluster);
  const [seen, others, stats] = await Promise.all([
    statesOf(cluster, members),
    statesOf(cluster, beside),
    endpointStats(endpointOf(cluster)),
  ]);
  const own = seen.find(({ member }) => member === primary);
  if (!own) return;
  await beginAgain(cluster, seen, memory.since);
  await formAgain(cluster, seen, memory.since);
  noteServed(memory, [...seen, ...others]);
  const failure = failureOf(own, memory);
  if (failure && bestSuccessor(seen)) {
    await replacePrimary(cluster, primary, seen, failure);
    memory.served.delete(primary.id);
    memory.since.clear();
    return;
  }
  // Members of the other version of an upgrade join those that serve; they never begin.
  if (isServing(own)) await letJoin(cluster, { serving: seen, seen: others }, memory.since);
  bringBack(cluster, [...seen, ...others], memory.since);
  await noteInStep([...seen, ...others]);
  if (stats) await settleEndpoint(endpointOf(cluster), endpointFacts(cluster), stats, isServing(own));
  for (const { member, state } of seen) {
    const isSilent = !state.isUp && state.failure === 'silent';
    if (lasting(memory.since, `hung ${member.id}`, isSilent) < HUNG_MS) continue;
    memory.since.delete(`hung ${member.id}`);
    forget(member);
    restartMember(memberSpec, cluster, member);
  }
  if (lasting(memory.since, 'endpoint', !stats) >= ENDPOINT_SILENT_MS) {
    memory.since.delete('endpoint');
    restartEndpoint(cluster);
  }
  const disk = isServing(own)
    ? watchDisk(cluster, primary, memory, async (isFull) => {
        await ask(cluster, primary, `SET GLOBAL read_only = ${isFull ? 'ON' : 'OFF'}`);
      })
    : Promise.resolve();
  await Promise.all([
    note(cluster, seen, others, own),
    disk,
    serveCertificate(cluster, [...seen, ...others], memory.tls),
  ]);
}

/** Ends a primary that failed for good, and leads clients to another member. New connections wait meanwhile. */
async function replacePrimary(cluster: Cluster, failed: Member, seen: readonly Seen[], reason: string): Promise<void> {
  const target = bestSuccessor(seen);
  if (!target) return;
  const began = performance.now();
  log.warn({ cluster: cluster.id, from: failed.ordinal, to: target.ordinal, reason }, 'the primary failed');
  const endpoint = endpointOf(cluster);
  const held = hold(endpoint).catch(() => {});
  // Nobody waits for its end: without the others it commits nothing, and with them nothing that they lack.
  const ending = engineOf(cluster.cell_id).services.killService(failed.id);
  ending.catch(() => {});
  forget(failed);
  await held;
  try {
    // Whatever it had that the others lack was never acknowledged: it asks them for what it missed.
    const change = { from: failed, to: target, rebuild: false, action: 'failed_over', details: { reason } } as const;
    if (!(await appoint(cluster, change))) return;
    await repoint(endpoint, target.ip);
  } finally {
    await release(endpoint);
    await ending;
  }
  for (const { member } of seen) startMember(memberSpec, cluster, member.id);
  log.info({ cluster: cluster.id, ms: Math.round(performance.now() - began) }, 'another member has taken over');
}

async function note(cluster: Cluster, seen: readonly Seen[], others: readonly Seen[], own: Seen): Promise<void> {
  const { status, reason } = clusterStatus(cluster, seen, own);
  const running = seen.filter(({ state }) => state.isUp).length;
  await noteStates(cluster, { members: [...seen, ...others].map(memberNote), running, status, reason });
}

function memberNote(one: Seen): MemberNote {
  const { member, state } = one;
  const said = (status: MemberStatus, reason: string | null = null) => ({ id: member.id, status, reason, lag: null });
  if (isInStep(one)) return said('running');
  if (state.isUp) return said('catching_up', state.isInGroup ? null : 'It is cut off from the others.');
  if (state.failure === 'silent') return said('failed', 'It does not answer.');
  if (state.desk) return said('starting');
  return said('stopped', 'It is being started.');
}

function clusterStatus(cluster: Cluster, seen: readonly Seen[], own: Seen) {
  const { status, status_reason, name, instances } = cluster;
  if (!isObserved(cluster)) return { status, reason: status_reason };
  if (!isServing(own))
    return bestSuccessor(seen)
      ? { status: 'failing_over', reason: 'The primary does not answer.' }
      : { status: 'degraded', reason: 'Its members are being started again.' };
  if (cluster.read_only)
    return {
      status: 'degraded',
      reason: `The disk is nearly full: the cluster takes no writes until ${enlargedTo(cluster)}.`,
    };
  const missing = seen.filter((one) => one !== own && !isInStep(one));
  if (missing.length === 0 && seen.length >= instances) return { status: 'available', reason: null };
  const names = missing.map(({ member }) => memberName(name, member.ordinal)).join(', ');
  return { status: 'degraded', reason: `${names} is missing; the others serve.` };
}
