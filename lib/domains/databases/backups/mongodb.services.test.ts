import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BackupWorld, startBackupWorld } from '@/lib/testing/backup-world';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble } from '@/lib/testing/database-world';
import { connectMongodb } from '@/lib/testing/mongodb-connection';

testDatabase();
const trouble = await databaseTrouble(['0.7'], 'mongodb');
if (trouble !== null && process.env.CI) throw new Error(trouble);

type Written = { acknowledged: number; lost: number; errors: number };

describe.skipIf(trouble !== null)(`backups of MongoDB${trouble ? ` (skipped: ${trouble})` : ''}`, () => {
  let shop: BackupWorld;
  beforeAll(async () => {
    shop = await startBackupWorld('mongodb', { name: 'shop' });
  }, 300_000);
  afterAll(() => shop?.stop(), 120_000);

  test('a backup under writes is restored with every document that was acknowledged before it began, and its indexes', async () => {
    const client = await connectMongodb(shop.world, shop.cluster);
    const own = (command: Record<string, unknown>) => client.ask({ kind: 'command', database: 'app', command });
    await client.ask({ kind: 'insert', count: 2_000 });
    await own({ createIndexes: 'kept', indexes: [{ key: { n: 1 }, name: 'n', unique: true }] });
    await client.ask({ kind: 'write' });
    const backup = await shop.backUp();
    const written = await client.ask<Written>({ kind: 'finish' });
    console.info('writes during the backup', written);
    expect([written.errors, written.lost]).toEqual([0, 0]);
    await own({ dropDatabase: 1 });
    client.end();
    const restored = await shop.restore({ name: 'again', restore: { backup_id: backup.id } });
    const other = await connectMongodb(shop.world, restored);
    expect(await other.ask({ kind: 'count', collection: 'kept' })).toBe(2_000);
    expect(await other.ask({ kind: 'count', collection: 'written' })).toBeGreaterThanOrEqual(100);
    const twice = { insert: 'kept', documents: [{ n: 1 }] };
    expect(await other.ask({ kind: 'command', database: 'app', command: twice })).toMatchObject({
      writeErrors: [{ code: 11_000 }],
    });
    // What was restored is the member's own, and survives its end.
    await shop.world.killAndAwait((await shop.world.member(restored, 'primary')).id);
    await shop.world.untilIs('again', 'available');
    expect(await other.ask({ kind: 'count', collection: 'kept' })).toBe(2_000);
    other.end();
    // The former cluster's password lets nobody in.
    const stranger = await connectMongodb(shop.world, { ...restored, credentials: shop.cluster.credentials });
    expect(await stranger.ask({ kind: 'ping' })).toEqual({ error: expect.stringContaining('authentication failed') });
    stranger.end();
  }, 400_000);

  test('a backup is verified by restoring it, and one that is damaged is not', () => shop.expectChecks(), 300_000);

  test('a deleted cluster leaves a last backup', async () => {
    await shop.expectLastBackup();
  }, 300_000);
});
