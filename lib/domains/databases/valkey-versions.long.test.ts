import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type BackupWorld, startBackupWorld } from '@/lib/testing/backup-world';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble } from '@/lib/testing/database-world';
import { connectValkey } from '@/lib/testing/valkey-connection';
import { versionsOf } from './versions';

testDatabase();
const versions = versionsOf('valkey').map(({ version }) => version);
const trouble = await databaseTrouble(versions, 'valkey');
if (trouble !== null && process.env.CI) throw new Error(trouble);

describe.skipIf(trouble !== null).each(versions)(`Valkey %s${trouble ? ` (skipped: ${trouble})` : ''}`, (version) => {
  let shop: BackupWorld;
  beforeAll(async () => {
    shop = await startBackupWorld('valkey', { name: 'shop', version });
  }, 300_000);
  afterAll(() => shop?.stop(), 120_000);

  test('serves, is backed up and restored, and its standby takes over', async () => {
    const client = await connectValkey(shop.world, shop.cluster);
    const [, info] = await client.run(['MSET', 'kept', 'yes', 'other', 1], ['INFO', 'server']);
    expect(info).toMatch(new RegExp(`valkey_version:${version.replace('.', '\\.')}\\.`));
    const backup = await shop.backUp();
    await client.run(['FLUSHALL']);
    const restored = await shop.restore({ name: 'again', instances: 2, restore: { backup_id: backup.id } });
    expect(restored.version).toBe(version);
    const other = await connectValkey(shop.world, restored);
    expect(await other.run(['GET', 'kept'])).toEqual(['yes']);
    other.end();
    for (const move of ['switch', 'hang'] as const) {
      await shop.world.untilIs('shop', 'available');
      await client.run(['SET', move, 'kept']);
      const primary = await shop.world.member(shop.cluster, 'primary');
      if (move === 'hang') await shop.world.signalTo(primary.id, 'SIGSTOP');
      else
        expect((await shop.world.call('POST', `${shop.world.paths('shop')}/failover`, shop.world.as)).status).toBe(202);
      await vi.waitFor(async () => expect((await shop.world.member(shop.cluster, 'primary')).id).not.toBe(primary.id), {
        timeout: 60_000,
        interval: 20,
      });
      await shop.world.untilIs('shop', 'available');
      expect(await client.run(['GET', move])).toEqual(['kept']);
    }
    client.end();
  }, 400_000);

  test('a backup is verified by restoring it, and one that is damaged is not', () => shop.expectChecks(), 300_000);
});
