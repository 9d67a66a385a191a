import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { clusterUpgrades } from '@/lib/testing/cluster-upgrades';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble } from '@/lib/testing/database-world';
import { startMariadbWorld } from '@/lib/testing/mariadb-world';
import { type Preflight, upgradeStages } from '../schema';

testDatabase();
const trouble = await databaseTrouble(['10.11', '11.8'], 'mariadb');
if (trouble !== null && process.env.CI) throw new Error(trouble);

describe.skipIf(trouble !== null)(`upgrades of a cluster of MariaDB${trouble ? ` (skipped: ${trouble})` : ''}`, () => {
  let orders: Awaited<ReturnType<typeof startMariadbWorld>>;
  let upgrades: ReturnType<typeof clusterUpgrades>;
  beforeAll(async () => {
    orders = await startMariadbWorld({ version: '10.11' });
    upgrades = clusterUpgrades(orders.world, 'orders', orders.client);
  }, 300_000);
  afterAll(() => orders?.stop(), 120_000);

  const preflight = async () =>
    (await upgrades.call('GET', `${orders.world.paths('orders')}/preflight?target_version=11.8`)).body as Preflight;
  const version = async () => (await orders.client.run(['SELECT version() AS version']))[0]?.rows?.[0]?.version;
  /** The most of each thing that was ever billed at a time. */
  const billed = () =>
    query(sql`SELECT metric, trim_scale(max(quantity))::text AS most FROM spans
      WHERE resource_id = ${orders.cluster.id}::uuid GROUP BY metric ORDER BY metric`);

  test('preflight names a table that keeps its history, and the upgrade is refused with it', async () => {
    await orders.client.run([
      'CREATE TABLE kept (a int PRIMARY KEY) WITH SYSTEM VERSIONING',
      'CREATE TABLE bare (a int)',
    ]);
    const { passed, checks } = await preflight();
    const found = checks.find(({ id }) => id === 'compatibility');
    expect([passed, found?.status, found?.details]).toEqual([
      false,
      'failed',
      [expect.stringMatching(/app\.bare has no primary key/), expect.stringMatching(/app\.kept keeps its history/)],
    ]);
    const refused = await upgrades.call('POST', `${orders.world.paths('orders')}/upgrade`, { target_version: '11.8' });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('compatibility')]);
    await orders.client.run(['DROP TABLE kept', 'DROP TABLE bare']);
    expect((await preflight()).passed).toBe(true);
  }, 120_000);

  test('an upgrade that is called off while its members copy leaves the cluster as it was', async () => {
    const { lost } = await orders.underWrites(async () => {
      const job = await upgrades.upgrade('11.8');
      await upgrades.until(job.id, 'provisioning');
      expect(await upgrades.rollBack(job.id)).toBe(202);
      await upgrades.until(job.id, 'rolled_back');
    });
    expect(lost).toEqual([]);
    await orders.world.untilIs('orders', 'available');
    expect(await upgrades.versions()).toEqual(['10.11', '10.11', '10.11']);
  }, 400_000);

  test('10.11 to 11.8 under writes and back: nothing acknowledged is lost', async () => {
    let job = { id: '' };
    const there = await orders.underWrites(async () => {
      job = await upgrades.upgrade('11.8');
      await upgrades.until(job.id, 'completed');
    });
    const completed = await upgrades.jobOf(job.id);
    console.info(
      completed.pause_ms,
      completed.failed_connections,
      completed.logs.map(({ message }) => message),
    );
    expect(completed.transitions.map(({ stage }) => stage)).toEqual(upgradeStages);
    expect(completed).toMatchObject({ progress: 100, rollback: { possible: true }, error: null, engine: 'mysql' });
    expect(completed.pause_ms).toEqual(expect.any(Number));
    expect(await version()).toMatch(/^11\.8/);
    expect(there.lost).toEqual([]);
    expect(await orders.world.read('orders')).toMatchObject({ version: '11.8', job_id: job.id });
    const running = async () =>
      (await orders.world.read('orders')).members.flatMap((one) => (one.status === 'running' ? [one.version] : []));
    await vi.waitFor(
      async () => expect((await running()).toSorted()).toEqual(['10.11', '10.11', '10.11', '11.8', '11.8', '11.8']),
      { timeout: 60_000, interval: 50 },
    );
    // Changes of tables come to the former members too.
    const [changed] = await orders.client.run([
      'CREATE TABLE later (a int PRIMARY KEY)',
      'INSERT INTO later VALUES (7)',
    ]);
    expect(changed?.error).toBeUndefined();

    const here = await orders.underWrites(async () => {
      expect(await upgrades.rollBack(job.id)).toBe(202);
      await upgrades.until(job.id, 'rolled_back');
    });
    console.info('back', (await upgrades.jobOf(job.id)).rollback_pause_ms);
    expect(await version()).toMatch(/^10\.11/);
    expect([here.lost, await orders.client.lost(there.acknowledged)]).toEqual([[], []]);
    expect((await orders.client.run(['SELECT a FROM later']))[0]?.rows).toEqual([{ a: 7 }]);
    await orders.world.untilIs('orders', 'available');
    expect(await upgrades.versions()).toEqual(['10.11', '10.11', '10.11']);
    expect(await upgrades.rollBack(job.id)).toBe(409);
    // Of the members of both versions, those of the one that serves are billed.
    expect(await billed()).toEqual([
      { metric: 'block_storage', most: '3' },
      { metric: 'compute_memory', most: '1.5' },
      { metric: 'compute_vcpu', most: '3' },
    ]);
  }, 900_000);
});
