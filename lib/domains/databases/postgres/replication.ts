import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { log } from '@/lib/log';
import { type Cluster, type Member, standbyName } from '../cluster/clusters';
import { ask } from './connections';
import type { Follower, MemberState, Position } from './state';

/** How long a standby may be away before writes go on without it. */
export const GONE_MS = 1_000;
/** A standby this close to the primary is waited for by every commit. */
const CLOSE_BYTES = 16 * 1024 ** 2;
const CHANGE_MS = 1_500;

/** What is remembered of a cluster's replication from look to look. */
export type ReplicationMemory = {
  /** When each standby began to be away. */
  goneSince: Map<string, number>;
  /** The primary's position once commits waited for a standby: it has everything when it has received that. */
  waitedFrom: Map<string, Position>;
};
export const newReplicationMemory = (): ReplicationMemory => ({ goneSince: new Map(), waitedFrom: new Map() });

/** What is known of standbys beside what the primary believes. */
export type Absence = {
  /** Out of reach. */
  isAway: (standby: Member) => boolean;
  /** It did not answer, and commits wait for it meanwhile: there is nothing more to wait for. */
  isStuck: (standby: Member) => boolean;
};
export const NONE_ABSENT: Absence = { isAway: () => false, isStuck: () => false };

/** Whether commits wait for a standby that has written nothing since the primary's earlier answer. */
export function holdsUp(standby: Member, earlier: readonly Follower[], { followers, written }: PrimaryState): boolean {
  const flushed = (among: readonly Follower[]) => among.find(({ name }) => name === standbyName(standby))?.flushed;
  const now = flushed(followers);
  return now != null && now < written && now === flushed(earlier);
}

type PrimaryState = Extract<MemberState, { isPrimary: true }>;

/**
 * Decides which standbys every commit waits for, and which of them may be promoted. A standby is struck from the database's
 * list before the primary stops to wait for it, and put there after it has received everything that was written since the
 * primary waits: a standby on that list has every acknowledged write.
 *
 * @param absent what the primary does not know: it believes in a standby until its connection ends
 */
export async function settleReplication(
  cluster: Cluster,
  primary: Member,
  state: PrimaryState,
  standbys: readonly Member[],
  { isAway, isStuck }: Absence,
  memory: ReplicationMemory,
): Promise<void> {
  const wanted: Member[] = [];
  for (const standby of standbys) {
    const follower = state.followers.find(
      ({ name, state: its }) => name === standbyName(standby) && its === 'streaming',
    );
    const isThere = follower !== undefined && !isAway(standby);
    if (isThere) memory.goneSince.delete(standby.id);
    else if (!memory.goneSince.has(standby.id)) memory.goneSince.set(standby.id, performance.now());
    const gone = performance.now() - (memory.goneSince.get(standby.id) ?? performance.now());
    if (!isThere && (gone >= GONE_MS || isStuck(standby))) {
      memory.waitedFrom.delete(standby.id);
      if (standby.in_sync) await strike(cluster, standby);
      continue;
    }
    const isWaitedFor = namesOf(state.synchronous).includes(standbyName(standby));
    const isClose = follower?.flushed != null && state.written - follower.flushed <= CLOSE_BYTES;
    if (isWaitedFor || standby.in_sync || (isThere && isClose)) wanted.push(standby);
    if (!isThere || !isWaitedFor || standby.in_sync) continue;
    const from = memory.waitedFrom.get(standby.id);
    if (from === undefined) memory.waitedFrom.set(standby.id, state.written);
    else if (follower.sync_state !== 'async' && (follower.flushed ?? 0) >= from) await trust(cluster, primary, standby);
  }
  await waitFor(cluster, primary, state.synchronous, wanted);
}

const namesOf = (setting: string): string[] => [...setting.matchAll(/\bm\d+\b/g)].map(([name]) => name);

/** All of them must have a write before it is acknowledged: any one may be promoted. */
const settingFor = (standbys: readonly Pick<Member, 'ordinal'>[]) =>
  standbys.length === 0 ? '' : `ANY ${standbys.length} (${standbys.map(standbyName).join(', ')})`;

async function waitFor(cluster: Cluster, primary: Member, present: string, standbys: readonly Member[]): Promise<void> {
  const setting = settingFor(standbys);
  if (setting === present) return;
  await setSynchronous(cluster, primary, setting);
}

/** @param setting empty: no commit waits */
export async function setSynchronous(cluster: Cluster, member: Pick<Member, 'id'>, setting: string): Promise<void> {
  await ask(cluster, member, `ALTER SYSTEM SET synchronous_standby_names = '${setting}'`, { timeoutMs: CHANGE_MS });
  await ask(cluster, member, 'SELECT pg_reload_conf()', { timeoutMs: CHANGE_MS });
}

async function strike(cluster: Cluster, standby: Member): Promise<void> {
  log.warn({ cluster: cluster.id, member: standby.ordinal }, 'a standby is gone: writes go on without it');
  await execute(sql`UPDATE database_members SET in_sync = false WHERE id = ${standby.id}::uuid`);
  standby.in_sync = false;
}

/** Only while the same member is the primary: another one may have been promoted meanwhile. */
async function trust(cluster: Cluster, primary: Member, standby: Member): Promise<void> {
  await execute(sql`UPDATE database_members m SET in_sync = true FROM database_clusters c
    WHERE m.id = ${standby.id}::uuid AND c.id = m.cluster_id AND c.moves = ${cluster.moves}::int AND m.role = 'standby' AND NOT m.leaving
      AND EXISTS (SELECT FROM database_members p WHERE p.id = ${primary.id}::uuid AND p.role = 'primary')`);
}
