import { execFileSync } from 'node:child_process';
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { type MajorServer, majorOn, startMajor } from '@/lib/testing/postgres-majors';
import { FolderStore } from '../../backups/store';
import { using } from '../upgrade/side';
import { archiveWal, gapIn, positionOf } from './archive';
import { beginBaseBackup } from './base-backup';
import { RECOVERY_QUESTION, recoverySettings, recoveryState, walAfter } from './recovery';

const open: MajorServer[] = [];
const folder = mkdtempSync(join(tmpdir(), 'nephele-backups-'));
afterEach(async () => {
  for (const one of open.splice(0)) await one.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function backUp(server: MajorServer, store: FolderStore) {
  const client = await server.connectForReplication('postgres');
  const { stream, done } = beginBaseBackup(client, server.major);
  await store.write('base/1.tar.gz', stream.pipe(createGzip({ level: 1 })));
  const made = await done;
  await client.end();
  return made;
}

/** Without a moment, a server that has read all of its log is told to go on. */
async function isDone(client: pg.Client, last: string): Promise<boolean> {
  const { rows } = await client.query<{ recovering: boolean; replayed: string | null }>(RECOVERY_QUESTION);
  const state = recoveryState(rows[0]);
  if (state === 'done') return true;
  if (state.replayed / BigInt(16 * 1024 ** 2) > positionOf(last)) await client.query('SELECT pg_promote(true, 30)');
  return false;
}

/** A server on the restored files, at a moment. */
async function restored(
  major: number,
  store: FolderStore,
  wal: readonly string[],
  at: Date | null,
): Promise<MajorServer> {
  const settings = Object.entries(recoverySettings(at)).map(([name, value]) => `${name}=${value}`);
  const server = await majorOn(
    major,
    async (data) => {
      mkdirSync(data, { recursive: true });
      const archive = `${data}.tar`;
      await pipeline(await store.read('base/1.tar.gz'), createGunzip(), createWriteStream(archive));
      execFileSync('tar', ['-xf', archive, '-C', data]);
      for (const name of wal)
        await pipeline(
          await store.read(`wal/1/${name}.gz`),
          createGunzip(),
          createWriteStream(join(data, 'pg_wal', name)),
        );
      writeFileSync(join(data, 'standby.signal'), '');
      writeFileSync(join(data, 'postgresql.auto.conf'), '');
    },
    settings,
  );
  open.push(server);
  await server.start();
  const last = wal.at(-1) ?? '';
  await expect.poll(() => using(server, 'postgres', (client) => isDone(client, last)), { timeout: 30_000 }).toBe(true);
  return server;
}

describe.each([14, 16, 18])('a backup of PostgreSQL %i', (major) => {
  it('is restored to the moment before a table was dropped, with everything until then', async () => {
    const store = new FolderStore(join(folder, String(major)));
    const server = await startMajor(major);
    open.push(server);
    const now = async () =>
      using(
        server,
        'postgres',
        async (client) =>
          (await client.query<{ at: Date }>('SELECT clock_timestamp() AS at')).rows[0]?.at ?? new Date(0),
      );
    await using(server, 'postgres', (client) =>
      client.query(`CREATE TABLE t AS SELECT n FROM generate_series(1, 1000) n`),
    );
    const made = await backUp(server, store);
    expect(made.bytes).toBeGreaterThan(1_000_000);
    await using(server, 'postgres', (client) => client.query('INSERT INTO t SELECT 5000'));
    const first = await using(server, 'postgres', (client) => archiveWal(client, store, 'wal/1/', null));
    await using(server, 'postgres', (client) => client.query('INSERT INTO t SELECT 5001'));
    const before = await now();
    await using(server, 'postgres', (client) => client.query('DROP TABLE t'));
    await using(server, 'postgres', (client) => client.query('CREATE TABLE later AS SELECT 1 AS x FROM pg_sleep(1.1)'));
    const second = await using(server, 'postgres', (client) => archiveWal(client, store, 'wal/1/', first.last));
    expect(second).toMatchObject({ segments: expect.any(Number), gapAt: null });
    expect(second.until?.getTime()).toBeGreaterThan(before.getTime());
    await server.crash();
    const { segments: wal } = await walAfter(store, 'wal/1/', made.startSegment);

    const then = await restored(major, store, wal, before);
    const rows = await using(then, 'postgres', (client) => client.query('SELECT n FROM t WHERE n >= 1000 ORDER BY n'));
    expect(rows.rows.map(({ n }) => n)).toEqual([1000, 5000, 5001]);
    await using(then, 'postgres', (client) => client.query('INSERT INTO t VALUES (1)'));

    const last = await restored(major, store, wal, null);
    const tables = await using(last, 'postgres', (client) =>
      client.query(`SELECT to_regclass('t') IS NULL AS dropped, to_regclass('later') IS NOT NULL AS made`),
    );
    expect(tables.rows).toEqual([{ dropped: true, made: true }]);
  }, 120_000);
});

it.each([14, 18])(
  'the log of an idle PostgreSQL %i stays as it is, and its moment goes on',
  async (major) => {
    const store = new FolderStore(join(folder, `idle-${major}`));
    const server = await startMajor(major);
    open.push(server);
    const archive = (past?: { last: string | null; snapshot: string }) =>
      using(server, 'postgres', (client) =>
        archiveWal(client, store, 'wal/1/', past?.last ?? null, true, past?.snapshot ?? null),
      );
    const run = (statement: string) => using(server, 'postgres', (client) => client.query(statement));
    await run('CREATE TABLE t (n int)');
    const first = await archive();
    // As servers do by themselves, twice a minute.
    await run('SELECT pg_log_standby_snapshot()').catch(() => run('CHECKPOINT'));
    const idle = await archive(first);
    expect(idle).toMatchObject({ segments: 0, bytes: 0, last: first.last });
    expect(idle.until?.getTime()).toBeGreaterThan(first.until?.getTime() ?? Number.POSITIVE_INFINITY);
    await run('INSERT INTO t VALUES (1)');
    const written = await archive(idle);
    expect(written.segments).toBe(1);
    expect((await archive(written)).segments).toBe(0);
    await using(server, 'postgres', async (client) => {
      await client.query('BEGIN');
      await client.query('INSERT INTO t VALUES (2)');
      expect((await archive(written)).segments).toBe(0);
      await run('INSERT INTO t VALUES (3)');
      const later = await archive(written);
      expect(later.segments).toBe(1);
      expect((await archive(later)).segments).toBe(0);
      // It has begun before the other one, and ends after it.
      await client.query('COMMIT');
      expect((await archive(later)).segments).toBe(1);
    });
  },
  60_000,
);

describe('the archived log', () => {
  const name = (timeline: number, place: number) =>
    `0000000${timeline}00000000${place.toString(16).toUpperCase().padStart(8, '0')}`;

  it('has a gap where a segment is missing, and none where a new timeline begins before the end of the former one', () => {
    expect(gapIn(null, [name(1, 3), name(1, 4)])).toBeNull();
    expect(gapIn(name(1, 4), [name(1, 5), name(2, 5), name(2, 6)])).toBeNull();
    expect(gapIn(name(1, 4), [name(2, 4), name(2, 5)])).toBeNull();
    expect(gapIn(name(1, 4), [name(1, 6), name(1, 7)])).toBe(name(1, 6));
    expect(gapIn(name(1, 4), [name(1, 5), name(2, 7)])).toBe(name(2, 7));
  });
});
