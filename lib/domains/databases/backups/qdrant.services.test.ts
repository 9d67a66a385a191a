import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BackupWorld, startBackupWorld } from '@/lib/testing/backup-world';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble } from '@/lib/testing/database-world';
import { connectQdrant } from '@/lib/testing/qdrant-connection';
import type { DatabaseClusterWithCredentials } from '../schema';

testDatabase();
const trouble = await databaseTrouble(['0.9'], 'qdrant');
if (trouble !== null && process.env.CI) throw new Error(trouble);

type Written = { acknowledged: number; lost: number; errors: number };

describe.skipIf(trouble !== null)(`backups of Qdrant${trouble ? ` (skipped: ${trouble})` : ''}`, () => {
  let shop: BackupWorld;
  beforeAll(async () => {
    shop = await startBackupWorld('qdrant', { name: 'shop' });
  }, 300_000);
  afterAll(() => shop?.stop(), 120_000);

  const connect = ({ endpoint, credentials }: DatabaseClusterWithCredentials, key = credentials.api_key) =>
    connectQdrant(shop.world, { uri: endpoint?.uri, key, ca: endpoint?.ca_certificate });

  test('a backup under writes, on a nearly full disk, is restored with every point that was acknowledged before it began', async () => {
    const client = await connect(shop.cluster);
    for (const collection of ['kept', 'empty', 'busy']) await client.ask({ kind: 'create', collection, size: 4 });
    for (let id = 1; id <= 50; id += 1) await client.ask({ kind: 'put', collection: 'kept', id });
    await client.ask({ kind: 'write', collection: 'busy' });
    await shop.backUp();
    const written = await client.ask<Written>({ kind: 'finish', collection: 'busy' });
    console.info('writes during the backup', written);
    expect([written.errors, written.lost]).toEqual([0, 0]);
    // Writes are refused now, and a backup must have every collection nevertheless.
    const { id } = await shop.world.member(shop.cluster, 'primary');
    await shop.world.leaveRoom(id, 50);
    await shop.world.untilIs('shop', 'degraded');
    const backup = await shop.backUp('degraded');
    await shop.world.leaveRoom(id, null);
    for (const collection of ['kept', 'empty', 'busy']) await client.ask({ kind: 'drop', collection });
    client.end();
    const restored = await shop.restore({ name: 'again', restore: { backup_id: backup.id } });
    const other = await connect(restored);
    expect((await other.ask<string[]>({ kind: 'list' })).toSorted()).toEqual(['busy', 'empty', 'kept']);
    expect(await other.ask({ kind: 'count', collection: 'kept' })).toBe(50);
    expect(await other.ask({ kind: 'count', collection: 'busy' })).toBe(written.acknowledged);
    expect(await other.ask({ kind: 'search', collection: 'busy', vector: [1_000, 1, 2, 3] })).toMatchObject([
      { payload: { id: expect.any(Number) } },
    ]);
    expect(await other.ask({ kind: 'put', collection: 'empty', id: 1 })).toMatchObject({ status: 'completed' });
    other.end();
    // The former cluster's key lets nobody in.
    const stranger = await connect(restored, shop.cluster.credentials.api_key);
    expect(await stranger.ask({ kind: 'list' })).toEqual({ error: expect.stringContaining('Unauthorized') });
    stranger.end();
  }, 400_000);

  test('a backup is verified by restoring it, and one that is damaged is not', () => shop.expectChecks(), 300_000);

  test('a deleted cluster leaves a last backup', async () => {
    await shop.expectLastBackup();
  }, 300_000);
});
