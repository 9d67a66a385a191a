import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Client } from 'pg';
import { positionOf } from './archive';
import type { BackupStore } from './store';

/** Segments of WAL that lead from a base backup on, in order, and the histories of timelines. */
export async function walAfter(store: BackupStore, startSegment: string): Promise<string[]> {
  const names = (await store.list('wal/')).map(({ key }) => key.slice('wal/'.length).replace(/\.gz$/, ''));
  const start = positionOf(startSegment);
  return names.filter((name) => name.endsWith('.history') || (name.length === 24 && positionOf(name) >= start));
}

/** Puts archived WAL into the folder `pg_wal` of a restored cluster, where the server finds it by itself. */
export async function bringWal(store: BackupStore, names: readonly string[], data: string): Promise<void> {
  await mkdir(join(data, 'pg_wal'), { recursive: true, mode: 0o700 });
  for (const name of names) {
    const file = createWriteStream(join(data, 'pg_wal', name), { mode: 0o600 });
    await pipeline(await store.read(`wal/${name}.gz`), createGunzip(), file);
  }
}

/**
 * Settings with which a restored cluster stops at a moment. As a standby of nobody it takes all WAL that lies in its folder,
 * and needs no command that would bring more.
 * @param at the moment; null: everything there is
 */
export const recoverySettings = (at: Date | null): Record<string, string> => ({
  recovery_target_timeline: 'latest',
  ...(at && {
    recovery_target_time: at.toISOString().replace('T', ' ').replace('Z', '+00'),
    recovery_target_inclusive: 'off',
    recovery_target_action: 'promote',
  }),
});

/** Marks a restored data folder as one that recovers. */
export async function beginRecovery(data: string): Promise<void> {
  await writeFile(join(data, 'standby.signal'), '', { mode: 0o600 });
}

/**
 * How far recovery is: a server that reached its moment promotes itself; one that has read all of its WAL before that is
 * promoted here.
 * @returns whether it is done
 */
export async function lookAtRecovery(client: Client, lastSegment: string | null): Promise<boolean> {
  const { rows } = await client.query<{ recovering: boolean; segment: bigint | string | null }>(
    `SELECT pg_is_in_recovery() AS recovering,
      CASE WHEN pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint / ${16 * 1024 ** 2} END AS segment`,
  );
  const [state] = rows;
  if (!state?.recovering) return true;
  const reached = BigInt(state.segment ?? 0);
  if (lastSegment !== null && reached <= positionOf(lastSegment)) return false;
  await client.query('SELECT pg_promote(true, 30)');
  return false;
}
