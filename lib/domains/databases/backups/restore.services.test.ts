import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { ownCell } from '@/lib/settings';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble, startDatabaseWorld } from '@/lib/testing/database-world';
import { readCluster } from '../cluster/clusters';
import type { Backup, DatabaseCluster, DatabaseClusterWithCredentials } from '../schema';
import { archiveCluster } from './archives';
import { keepBackups } from './work';

testDatabase();
const trouble = await databaseTrouble(['18']);
if (trouble !== null && process.env.CI) throw new Error(trouble);

describe.skipIf(trouble !== null)(`backups of PostgreSQL${trouble ? ` (skipped: ${trouble})` : ''}`, () => {
  let world: Awaited<ReturnType<typeof startDatabaseWorld>>;
  let cluster: DatabaseClusterWithCredentials;
  beforeAll(async () => {
    world = await startDatabaseWorld();
    cluster = await world.create({ name: 'orders' });
  }, 300_000);
  afterAll(async () => {
    await world?.stop();
  }, 120_000);

  const until = <T>(look: () => Promise<T>) => vi.waitFor(look, { timeout: 120_000, interval: 200 });
  const backups = async () => (await world.call('GET', '/dbaas/backups', world.as)).body as Backup[];
  const request = (body: object) =>
    world.call('POST', '/dbaas/postgres', {
      ...world.as,
      body: { vcpus: 1, ram_gb: 0.5, storage_gb: 1, network_id: cluster.network_id, ...body },
    });
  async function restore(body: object, happens = async () => {}): Promise<DatabaseClusterWithCredentials> {
    // The host of the tests reports itself only once.
    await execute(sql`UPDATE cells SET seen_at = platform_now()`);
    const { status, text, body: made } = await request(body);
    expect([status, text]).toMatchObject([201, expect.stringContaining('restoring')]);
    await happens();
    const restored = made as DatabaseClusterWithCredentials;
    await world.untilIs(restored.name, 'available', 240_000);
    return restored;
  }
  async function rowsOf(of: DatabaseClusterWithCredentials, statement: string) {
    const client = await world.connect(of);
    const [answer] = await client.run([statement]);
    client.end();
    return answer;
  }

  test('a cluster is restored to the second before a table was dropped, though the worker ends in between', async () => {
    const client = await world.connect(cluster);
    await client.run(['CREATE TABLE kept (n int)', 'INSERT INTO kept VALUES (1)']);
    expect((await world.call('POST', `${world.paths('orders')}/backups`, world.as)).status).toBe(202);
    await until(async () => expect(await backups()).toMatchObject([{ status: 'available' }]));
    await client.run(['INSERT INTO kept VALUES (2)']);
    const [clock] = await client.run(['SELECT clock_timestamp() AS at', 'SELECT pg_sleep(1.1)']);
    const at = new Date(String(clock?.rows?.[0]?.at)).toISOString();
    await client.run(['DROP TABLE kept', 'CREATE TABLE later (n int)']);
    client.end();
    // As the agent does when the present segment of the log is old.
    const orders = await readCluster(cluster.id);
    if (orders) await archiveCluster(orders, true);
    await until(async () => {
      const { restore_window } = (await world.read('orders')) satisfies DatabaseCluster;
      expect(restore_window && restore_window.until > at && restore_window.from < at).toBe(true);
    });
    const from = { engine: 'postgres', namespace: 'default', name: 'orders' };
    const refused = await request({ name: 'never', restore: { ...from, at: '2020-01-01T00:00:00.000Z' } });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('Choose a moment from 20')]);
    const restored = await restore({ name: 'before', instances: 2, restore: { ...from, at } }, () =>
      world.restartAgent(),
    );
    expect(await rowsOf(restored, 'SELECT n FROM kept ORDER BY n')).toEqual({ rows: [{ n: 1 }, { n: 2 }] });
    expect(await rowsOf(restored, 'CREATE TABLE kept_too (n int)')).toEqual({ rows: [] });
  }, 500_000);

  test('a backup is verified by restoring it', async () => {
    await keepBackups(ownCell());
    await until(async () => expect(await backups()).toMatchObject([{ verified_at: expect.any(String) }]));
    await until(async () =>
      expect((await world.services.observeServices()).map(({ id }) => id)).not.toContain((await backups())[0]?.id),
    );
  }, 180_000);

  test('a deleted cluster leaves a last backup, which can be restored and deleted', async () => {
    expect((await world.call('DELETE', world.paths('orders'), world.as)).status).toBe(202);
    await until(async () => expect((await world.call('GET', world.paths('orders'), world.as)).status).toBe(404));
    const last = (await backups()).find(({ kind }) => kind === 'final');
    expect(last).toMatchObject({ status: 'available', cluster_deleted: true });
    const small = await request({ name: 'small', version: '17', restore: { backup_id: last?.id } });
    expect([small.status, small.text]).toEqual([400, expect.stringContaining('of version 18')]);
    const restored = await restore({ name: 'again', instances: 1, restore: { backup_id: last?.id } });
    expect(await rowsOf(restored, 'SELECT n FROM later')).toEqual({ rows: [] });
    expect((await world.call('DELETE', `/dbaas/backups/${last?.id}`, world.as)).status).toBe(202);
  }, 300_000);
});
