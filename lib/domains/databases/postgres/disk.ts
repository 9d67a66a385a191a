import { escapeLiteral as literal, escapeIdentifier as name } from 'pg';
import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { engineOf } from '@/lib/engines/engines';
import { log } from '@/lib/log';
import type { Cluster, Member } from '../cluster/clusters';
import { enlargedTo, roomyShare } from '../cluster/disk';
import { nearly } from '../cluster/notes';
import { ask } from './connections';

/** What a cluster accepts: everything, only reads, or no connections at all. */
export type DiskLevel = 'open' | 'read_only' | 'closed';

const LOOK_MS = 3_000;
/** Below this share of free disk the cluster takes no writes. A small disk keeps more, for what is written between two looks. */
const FULL = 0.04;
const FULL_MB = 128;
/** With less than this many times that share free, every look of the agent asks. */
const TIGHT = 4;
/** Writes are taken again with this many times the share, or half a gigabyte more. */
const ROOMY = 1.5;

/** Free share of the disk below which a cluster takes no writes; below half of it, no connections. */
export const fullShare = ({ storage_gb }: Pick<Cluster, 'storage_gb'>): number =>
  Math.max(FULL, FULL_MB / (storage_gb * 1024));

const roomyOf = (cluster: Pick<Cluster, 'storage_gb'>): number =>
  roomyShare(fullShare(cluster), cluster.storage_gb, ROOMY);

/** What helps a cluster whose disk is full. */
export const whatHelps = (cluster: Cluster): string => enlargedTo(cluster, (storage_gb) => roomyOf({ storage_gb }));

/** @param free share of the fullest member's disk @param present what the cluster takes now */
export function levelOf(free: number, full: number, present: DiskLevel, roomy = full * ROOMY): DiskLevel {
  if (free < full / 2 || (present === 'closed' && free < full)) return 'closed';
  return free < (present === 'open' ? full : roomy) ? 'read_only' : 'open';
}

/** What is remembered of a cluster's disks from look to look. */
export type DiskGuard = { lookedAt: number; free: number; level: DiskLevel };
export const newDiskGuard = (): DiskGuard => ({ lookedAt: Number.NEGATIVE_INFINITY, free: 1, level: 'open' });

/** Sessions of tenants. */
const TENANTS = `FROM pg_stat_activity a JOIN pg_roles r ON r.oid = a.usesysid WHERE a.backend_type = 'client backend' AND NOT r.rolsuper`;

/**
 * Keeps a cluster from filling the disk of any member to the last block, which PostgreSQL does not survive. `guard.level` is
 * what it takes now. A tenant can lift `default_transaction_read_only` for a session, but loses that session at the next
 * look if it writes; a cluster that fills up nevertheless refuses the tenant's connections (decision 128).
 * @throws MemberError when the primary does not answer
 */
export async function guardDisk(
  cluster: Cluster,
  primary: Member,
  members: readonly Member[],
  guard: DiskGuard,
): Promise<void> {
  const full = fullShare(cluster);
  const isTight = guard.level !== 'open' || cluster.read_only || guard.free < full * TIGHT;
  if (!isTight && performance.now() - guard.lookedAt < LOOK_MS) return;
  const { services } = engineOf(cluster.cell_id);
  const samples = await Promise.all(members.map(({ id }) => services.sampleService(id).catch(() => null)));
  const disks = samples.flatMap((sample) => (sample?.state ? [sample.state] : []));
  if (disks.length === 0) return;
  guard.lookedAt = performance.now();
  guard.free = Math.min(...disks.map(({ usedBytes, totalBytes }) => 1 - usedBytes / totalBytes));
  const usedBytes = Math.max(...disks.map((disk) => disk.usedBytes));
  await settleLevel(cluster, primary, full, guard);
  if (guard.level !== 'open') await endSessions(cluster, primary, members, guard.level);
  const isReadOnly = guard.level !== 'open';
  if (isReadOnly !== cluster.read_only || !nearly(cluster.used_bytes, usedBytes))
    await execute(
      sql`UPDATE database_clusters SET used_bytes = ${usedBytes}::bigint, read_only = ${isReadOnly}::boolean WHERE id = ${cluster.id}::uuid`,
    );
}

/**
 * Asks the primary what it takes, because the settings of each member are its own and come with copies of its data, and
 * changes that where the disk demands it.
 */
async function settleLevel(cluster: Cluster, primary: Member, full: number, guard: DiskGuard): Promise<void> {
  const [found] = await ask<{ read_only: boolean; closed: boolean }>(
    cluster,
    primary,
    `SELECT coalesce((SELECT setting FROM pg_file_settings WHERE name = 'default_transaction_read_only' ORDER BY seqno DESC LIMIT 1), 'off') = 'on' AS read_only,
      EXISTS (SELECT FROM pg_roles WHERE rolname = ${literal(cluster.username)} AND rolconnlimit = 0) AS closed`,
  );
  if (!found) return;
  const present = found.closed ? 'closed' : found.read_only ? 'read_only' : 'open';
  const level = levelOf(guard.free, full, present, roomyOf(cluster));
  // The switch of an upgrade stops writes in the same way, and only it lets them go on.
  if (level === 'open' && cluster.status === 'upgrading') return;
  guard.level = level;
  if (level === present) return;
  log.warn({ cluster: cluster.id, free: guard.free, level }, 'the disk decides what a cluster takes');
  if (found.read_only !== (level !== 'open')) {
    const change = level === 'open' ? 'RESET default_transaction_read_only' : 'SET default_transaction_read_only = on';
    await ask(cluster, primary, `ALTER SYSTEM ${change}`);
    await ask(cluster, primary, 'SELECT pg_reload_conf()');
  }
  if (found.closed !== (level === 'closed'))
    await ask(cluster, primary, `ALTER ROLE ${name(cluster.username)} CONNECTION LIMIT ${level === 'closed' ? 0 : -1}`);
}

/** Ends what must not go on: of a cluster that is read only, sessions that have written; of a closed one, all of tenants. */
async function endSessions(
  cluster: Cluster,
  primary: Member,
  members: readonly Member[],
  level: DiskLevel,
): Promise<void> {
  const end = (member: Member, which: string) =>
    ask(cluster, member, `SELECT pg_terminate_backend(a.pid) ${TENANTS} ${which}`);
  if (level === 'read_only') {
    await end(primary, 'AND a.backend_xid IS NOT NULL');
    return;
  }
  // Sorts of readers take room, too, also on standbys.
  await Promise.all(members.map((member) => (member === primary ? end(member, '') : end(member, '').catch(() => []))));
}
