import { readFile, writeFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BackupWorld, startBackupWorld } from '@/lib/testing/backup-world';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble } from '@/lib/testing/database-world';
import { connectValkey } from '@/lib/testing/valkey-connection';

testDatabase();
const trouble = await databaseTrouble(['9.1'], 'valkey');
if (trouble !== null && process.env.CI) throw new Error(trouble);

describe.skipIf(trouble !== null)(`backups of Valkey${trouble ? ` (skipped: ${trouble})` : ''}`, () => {
  let shop: BackupWorld;
  beforeAll(async () => {
    shop = await startBackupWorld('valkey', { name: 'shop', ram_gb: 1 });
  }, 300_000);
  afterAll(() => shop?.stop(), 120_000);

  test('a backup under writes is restored with every key that was acknowledged before it began', async () => {
    const client = await connectValkey(shop.world, shop.cluster);
    await client.run(
      ['MSET', ...Array.from({ length: 2_000 }, (_, n) => [`kept-${n}`, n]).flat()],
      ['HSET', 'hash', 'field', 'value'],
      ['XADD', 'stream', '1-1', 'a', 'b'],
      ['SET', 'lasting', 'x', 'EX', 100_000],
      ['FUNCTION', 'LOAD', "#!lua name=own\nredis.register_function('answer', function() return 42 end)"],
    );
    const writing = client.write(3_000);
    const backup = await shop.backUp();
    const written = await writing;
    console.info('writes during the backup', written);
    expect([written.errors, written.lost]).toEqual([0, 0]);
    await client.run(['FLUSHALL']);
    client.end();
    const restored = await shop.restore({ name: 'again', instances: 2, ram_gb: 1, restore: { backup_id: backup.id } });
    const other = await connectValkey(shop.world, restored);
    expect(
      await other.run(
        ['GET', 'kept-1999'],
        ['EXISTS', ...Array.from({ length: 2_000 }, (_, n) => `kept-${n}`)],
        ['HGET', 'hash', 'field'],
        ['XLEN', 'stream'],
        ['FCALL', 'answer', 0],
        ['SET', 'later', 'y'],
      ),
    ).toEqual(['1999', 2_000, 'value', 1, 42, 'OK']);
    const [ttl] = await other.run(['TTL', 'lasting']);
    expect(ttl).toBeGreaterThan(90_000);
    // What was restored is in the member's own file, and survives its end.
    await shop.world.killAndAwait((await shop.world.member(restored, 'primary')).id);
    await shop.world.untilIs('again', 'available');
    expect(await other.run(['GET', 'kept-7'], ['GET', 'later'])).toEqual(['7', 'y']);
    other.end();
    // The former cluster's password lets nobody in.
    const stranger = await connectValkey(shop.world, { ...restored, credentials: shop.cluster.credentials });
    expect(await stranger.run(['PING'])).toEqual([{ error: expect.stringContaining('WRONGPASS') }]);
    stranger.end();
  }, 400_000);

  test('a new cluster with less memory than its data had is refused', async () => {
    const [backup] = await shop.backups();
    const body = { name: 'small', vcpus: 1, ram_gb: 0.5, storage_gb: 1, network_id: shop.cluster.network_id };
    const answer = await shop.world.call('POST', '/dbaas/valkey', {
      ...shop.world.as,
      body: { ...body, restore: { backup_id: backup?.id } },
    });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('with 1 GB of memory')]);
  }, 60_000);

  test('a backup is verified by restoring it, and one that is damaged is not', () => shop.expectChecks(), 300_000);

  test('data that are damaged inside of an intact file are found when the server loads them', async () => {
    const damaged = await shop.backUp();
    await shop.damage(damaged, async (path) => {
      const content = gunzipSync(await readFile(path));
      content.fill(0xee, content.length - 12, content.length - 8);
      await writeFile(path, gzipSync(content));
    });
    await shop.expectFailedCheck(damaged);
  }, 300_000);

  test('a deleted cluster leaves a last backup', async () => {
    await shop.expectLastBackup();
  }, 300_000);
});
