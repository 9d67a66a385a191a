import pg from 'pg';
import { execute, query, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { log } from '@/lib/log';
import { type Cluster, type Member, primaryOf, readClusters, servingMembers } from '../cluster/clusters';
import { type Archived, archiveAlone, archiveWal, keepWal, positionOf, releaseWal } from '../postgres/backup/archive';
import { connectionOf } from '../postgres/connections';
import { type BackupStore, storeOf } from './store';

/** Where the log of a group of members is in a cluster's store. */
export const logPrefix = (group: number) => `wal/${group}/`;

/** Finished segments are collected this often. A segment older than this is switched early, so that less than a minute can be lost. */
const OLDEST_MS = 35_000;
/** The archived log of one group takes at most so many bytes for each byte of its cluster's storage, and at least 4 GB. */
const MOST_OF_STORAGE = 2;
const LEAST_BOUND = 4 * 1024 ** 3;
/** An archive that exceeds its bound is cut to this share of it, so that the next segment does not exceed it again. */
const KEPT_SHARE = 0.95;
const CONNECT_MS = 5_000;
const STATEMENT_MS = 60_000;

export type Archive = {
  cluster_id: string;
  group_no: number;
  first_segment: string | null;
  last_segment: string | null;
  until: Date | null;
};

/** Keeps the log of every cluster of PostgreSQL of a cell that serves; nothing of a cluster waits for it. */
export async function archiveLogs(cell: string, signal: AbortSignal): Promise<void> {
  const clusters =
    await readClusters(sql`c.engine = 'postgres' AND c.cell_id = ${cell}::text AND c.launched_at IS NOT NULL
    AND c.status IN ('available', 'degraded', 'failing_over', 'updating', 'upgrading')`);
  for (const cluster of clusters) {
    if (signal.aborted) return;
    try {
      await archiveCluster(cluster);
    } catch (error) {
      log.warn({ err: error, cluster: cluster.id }, 'the log of a database cluster could not be archived');
    }
  }
}

/** Which transactions each primary had when its log was archived last: while there are no others, nothing has to be. */
const snapshots = new Map<string, { primary: string; snapshot: string }>();

const findArchive = (id: string, group: number): Promise<Archive | undefined> =>
  queryOne(sql`SELECT cluster_id, group_no, first_segment, last_segment, until FROM database_archives
    WHERE cluster_id = ${id}::uuid AND group_no = ${group}::int`);

/**
 * Archives the finished segments of a cluster's log. A segment is written whole before the row names it, and the server keeps it
 * until then: after a crash it is written again.
 * @param now whether to end the present segment, however young it is
 */
export async function archiveCluster(cluster: Cluster, now = false): Promise<void> {
  const members = servingMembers(cluster);
  const primary = primaryOf(members);
  if (!primary) return;
  const { id, serving_group: group } = cluster;
  const store = storeOf(id);
  const { last, written } = await withClient(cluster, primary, async (client) => {
    await archiveAlone(client);
    const before = await findArchive(id, group);
    const isOld = !before?.until || Date.now() - before.until.getTime() >= OLDEST_MS;
    const finishes = now || isOld;
    const seen = snapshots.get(id);
    const known = seen?.primary === primary.id ? seen.snapshot : null;
    const done = await archiveWal(client, store, logPrefix(group), before?.last_segment ?? null, finishes, known);
    if (done.gapAt !== null)
      log.error(
        { cluster: id, after: before?.last_segment, next: done.gapAt },
        'the archived log of a cluster has a gap: a new backup follows',
      );
    await note(cluster, done, before);
    if (done.last !== null) await releaseWal(client, done.last);
    if (finishes) snapshots.set(id, { primary: primary.id, snapshot: done.snapshot });
    return { last: done.last, written: done.bytes };
  });
  await holdOnStandbys(cluster, members, last);
  const most = Math.max(LEAST_BOUND, cluster.storage_gb * 1024 ** 3 * MOST_OF_STORAGE);
  await bound(store, { id, group, most, written });
}

async function note({ id, project_id, cell_id, serving_group }: Cluster, done: Archived, before: Archive | undefined) {
  const firstWhole = done.gapAt ?? before?.first_segment ?? done.first;
  await execute(sql`INSERT INTO database_archives (project_id, cluster_id, group_no, cell_id, first_segment, last_segment, until, gap_at, created_at)
    VALUES (${project_id}::uuid, ${id}::uuid, ${serving_group}::int, ${cell_id}::text, ${firstWhole}::text, ${done.last}::text, ${done.until}::timestamptz,
      CASE WHEN ${done.gapAt !== null}::boolean THEN platform_now() END, platform_now())
    ON CONFLICT (cluster_id, group_no) DO UPDATE SET first_segment = EXCLUDED.first_segment, last_segment = EXCLUDED.last_segment,
      until = coalesce(EXCLUDED.until, database_archives.until), gap_at = coalesce(EXCLUDED.gap_at, database_archives.gap_at)`);
}

/** A standby keeps the log as the primary does: it may have to go on where that ended. */
async function holdOnStandbys(cluster: Cluster, members: readonly Member[], last: string | null): Promise<void> {
  for (const standby of members.filter(({ role, in_sync }) => role === 'standby' && in_sync)) {
    await withClient(cluster, standby, async (client) => {
      await keepWal(client);
      if (last !== null) await releaseWal(client, last);
    }).catch((error) => log.debug({ err: error, cluster: cluster.id }, 'a standby keeps no log for the archive'));
  }
}

/** Bytes of each archived log: the last count plus what was written since, because listing thousands of segments is slow. */
const sizes = new Map<string, number>();

type Bound = {
  id: string;
  group: number;
  most: number;
  /** Bytes that were written just now. */
  written: number;
};

/** Removes the oldest segments of a log that grew beyond its bound: what can be restored begins later then. */
async function bound(store: BackupStore, { id, group, most, written }: Bound) {
  const place = `${id}/${group}`;
  const known = sizes.get(place);
  if (known !== undefined) sizes.set(place, known + written);
  if (known !== undefined && known + written <= most) return;
  const kept = (await store.list(logPrefix(group))).filter(({ key }) => !key.includes('.history'));
  let bytes = kept.reduce((sum, one) => sum + one.bytes, 0);
  sizes.set(place, bytes);
  if (bytes <= most) return;
  const removed = kept.filter((one) => {
    if (bytes <= most * KEPT_SHARE) return false;
    bytes -= one.bytes;
    return true;
  });
  const next = kept[removed.length]?.key;
  log.warn(
    { cluster: id, segments: removed.length },
    'the archived log of a cluster is over its bound: its oldest part is removed',
  );
  if (next !== undefined) await beginAt(id, group, nameOf(next));
  for (const { key } of removed) await store.remove(key);
  sizes.set(place, bytes);
}

const nameOf = (key: string) => key.slice(key.lastIndexOf('/') + 1).replace(/\.gz$/, '');

const beginAt = (id: string, group: number, segment: string) =>
  execute(
    sql`UPDATE database_archives SET first_segment = ${segment}::text WHERE cluster_id = ${id}::uuid AND group_no = ${group}::int`,
  );

/** Removes the log that no backup in a cell needs any more, of clusters that are gone too. */
export async function removeOldLogs(cell: string): Promise<void> {
  const archives = await query<Archive & { needed: string | null; serves: boolean }>(sql`
    SELECT a.cluster_id, a.group_no, a.first_segment, a.last_segment, a.until,
      EXISTS (SELECT FROM database_clusters c WHERE c.id = a.cluster_id AND (c.serving_group = a.group_no
        OR EXISTS (SELECT FROM database_members m WHERE m.cluster_id = c.id AND m.group_no = a.group_no))) AS serves,
      (SELECT b.start_segment FROM database_backups b WHERE b.cluster_id = a.cluster_id AND b.group_no = a.group_no
        AND b.status = 'available' ORDER BY right(b.start_segment, 16) LIMIT 1) AS needed
    FROM database_archives a WHERE a.cell_id = ${cell}::text`);
  for (const { cluster_id, group_no, needed, serves, first_segment } of archives) {
    if (needed === null && serves) continue;
    const store = storeOf(cluster_id);
    if (needed === null) {
      await store.remove(logPrefix(group_no));
      await execute(
        sql`DELETE FROM database_archives WHERE cluster_id = ${cluster_id}::uuid AND group_no = ${group_no}::int`,
      );
      continue;
    }
    if (first_segment !== null && positionOf(first_segment) >= positionOf(needed)) continue;
    const old = (await store.list(logPrefix(group_no))).filter(
      ({ key }) => !key.includes('.history') && positionOf(nameOf(key)) < positionOf(needed),
    );
    if (first_segment !== null) await beginAt(cluster_id, group_no, needed);
    sizes.delete(`${cluster_id}/${group_no}`);
    for (const { key } of old) await store.remove(key);
  }
}

async function withClient<T>(cluster: Cluster, member: Member, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    ...connectionOf(cluster, member),
    application_name: 'platform',
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: STATEMENT_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}
