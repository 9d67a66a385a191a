import { execFileSync } from 'node:child_process';
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { type MajorServer, majorOn, startMajor } from '@/lib/testing/postgres-majors';
import { using } from '../upgrade/side';
import { archiveWal } from './archive';
import { beginBaseBackup } from './base-backup';
import { beginRecovery, bringWal, lookAtRecovery, recoverySettings, walAfter } from './recovery';
import { FolderStore } from './store';

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
      await bringWal(store, wal, data);
      await beginRecovery(data);
      writeFileSync(join(data, 'postgresql.auto.conf'), '');
    },
    settings,
  );
  open.push(server);
  await server.start();
  const last = wal.filter((name) => name.length === 24).at(-1) ?? null;
  await expect
    .poll(() => using(server, 'postgres', (client) => lookAtRecovery(client, last)), { timeout: 30_000 })
    .toBe(true);
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
    const first = await using(server, 'postgres', (client) => archiveWal(client, store, null));
    await using(server, 'postgres', (client) => client.query('INSERT INTO t SELECT 5001'));
    const before = await now();
    await using(server, 'postgres', (client) => client.query('DROP TABLE t'));
    await using(server, 'postgres', (client) => client.query('CREATE TABLE later (x int)'));
    const second = await using(server, 'postgres', (client) => archiveWal(client, store, first.last));
    expect(second).toMatchObject({ segments: expect.any(Number), gap: false });
    expect(second.until.getTime()).toBeGreaterThan(before.getTime());
    await server.crash();
    const wal = await walAfter(store, made.startSegment);

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
