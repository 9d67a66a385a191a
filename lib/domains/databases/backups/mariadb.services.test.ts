import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BackupWorld, startBackupWorld } from '@/lib/testing/backup-world';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble } from '@/lib/testing/database-world';

testDatabase();
const trouble = await databaseTrouble(['11.8'], 'mariadb');
if (trouble !== null && process.env.CI) throw new Error(trouble);

describe.skipIf(trouble !== null)(`backups of MariaDB${trouble ? ` (skipped: ${trouble})` : ''}`, () => {
  let shop: BackupWorld;
  beforeAll(async () => {
    shop = await startBackupWorld('mysql', { name: 'shop' });
  }, 300_000);
  afterAll(() => shop?.stop(), 120_000);

  test('a backup under writes is restored with every write that was acknowledged before it began', async () => {
    const client = await shop.world.connect(shop.cluster);
    const made = await client.run([
      'CREATE TABLE written (value varchar(100) PRIMARY KEY)',
      'CREATE TABLE kept (n int PRIMARY KEY)',
      'INSERT INTO kept SELECT seq FROM seq_1_to_2000',
      'CREATE VIEW seen AS SELECT count(*) AS n FROM kept',
      'CREATE PROCEDURE one() SELECT 1 AS one',
    ]);
    expect(made.map(({ error }) => error)).toEqual(made.map(() => undefined));
    await client.startWriting();
    const backup = await shop.backUp();
    const written = await client.stopWriting();
    expect(written.errors).toBe(0);
    console.info('writes during the backup', { ...written, acknowledged: written.acknowledged.length });
    await client.run(['DROP TABLE kept']);
    client.end();
    const restored = await shop.restore({ name: 'again', instances: 1, restore: { backup_id: backup.id } });
    const other = await shop.world.connect(restored);
    const [count, view, one, more] = await other.run([
      'SELECT count(*) AS n FROM kept',
      'SELECT n FROM seen',
      'CALL one()',
      'INSERT INTO written VALUES ("later")',
    ]);
    expect([count, view, more]).toEqual([{ rows: [{ n: 2000 }] }, { rows: [{ n: 2000 }] }, { rows: [] }]);
    expect(JSON.stringify(one)).toContain('"one":1');
    other.end();
    // The former cluster's password lets nobody in.
    const stranger = await shop.world.connect({ ...restored, credentials: shop.cluster.credentials });
    expect((await stranger.run(['SELECT 1']))[0]?.error).toMatch(/ER_ACCESS_DENIED/);
    stranger.end();
  }, 400_000);

  test('a backup is verified by restoring it, and one that is damaged is not', () => shop.expectChecks(), 300_000);

  test('a deleted cluster leaves a last backup', async () => {
    await shop.expectLastBackup();
  }, 300_000);
});
