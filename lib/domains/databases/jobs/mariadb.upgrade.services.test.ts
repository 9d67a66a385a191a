import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '@/lib/engines/local/turns';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble } from '@/lib/testing/database-world';
import { startMariadbWorld } from '@/lib/testing/mariadb-world';
import { type DatabaseCluster, type DatabaseJob, type Preflight, upgradeStages } from '../schema';

testDatabase();
const trouble = await databaseTrouble(['10.11', '11.8'], 'mariadb');
if (trouble !== null && process.env.CI) throw new Error(trouble);

describe.skipIf(trouble !== null)(`upgrades of a cluster of MariaDB${trouble ? ` (skipped: ${trouble})` : ''}`, () => {
  let orders: Awaited<ReturnType<typeof startMariadbWorld>>;
  beforeAll(async () => {
    orders = await startMariadbWorld({ version: '10.11' });
  }, 300_000);
  afterAll(() => orders?.stop(), 120_000);

  const call = (method: 'GET' | 'POST', path: string, body?: object) =>
    orders.world.call(method, path, { ...orders.world.as, ...(body && { body }) });
  const jobOf = async (id: string) => (await call('GET', `/dbaas/jobs/${id}`)).body as DatabaseJob;
  const preflight = async () =>
    (await call('GET', `${orders.world.paths('orders')}/preflight?target_version=11.8`)).body as Preflight;
  async function until(id: string, stage: string): Promise<DatabaseJob> {
    await waitFor(async () => ['completed', 'rolled_back', 'failed', stage].includes((await jobOf(id)).stage), {
      timeoutMs: 300_000,
      everyMs: 50,
    });
    const job = await jobOf(id);
    if (job.stage === stage) return job;
    const operations = await orders.world.stages(orders.cluster);
    throw new Error(JSON.stringify([job, operations, await orders.world.read('orders')], null, 1));
  }
  async function upgrade(): Promise<DatabaseJob> {
    const answer = await call('POST', `${orders.world.paths('orders')}/upgrade`, { target_version: '11.8' });
    if (answer.status !== 202) throw new Error(answer.text);
    return answer.body as DatabaseJob;
  }
  const rollBack = async (id: string) => (await call('POST', `/dbaas/jobs/${id}/rollback`)).status;
  const version = async () => (await orders.client.run(['SELECT version() AS version']))[0]?.rows?.[0]?.version;
  const versions = async () =>
    ((await call('GET', orders.world.paths('orders'))).body as DatabaseCluster).members.map((one) => one.version);

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
    const refused = await call('POST', `${orders.world.paths('orders')}/upgrade`, { target_version: '11.8' });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('compatibility')]);
    await orders.client.run(['DROP TABLE kept', 'DROP TABLE bare']);
    expect((await preflight()).passed).toBe(true);
  }, 120_000);

  test('an upgrade that is called off while its members copy leaves the cluster as it was', async () => {
    const { lost } = await orders.underWrites(async () => {
      const job = await upgrade();
      await until(job.id, 'provisioning');
      expect(await rollBack(job.id)).toBe(202);
      await until(job.id, 'rolled_back');
    });
    expect(lost).toEqual([]);
    await orders.world.untilIs('orders', 'available');
    expect(await versions()).toEqual(['10.11', '10.11', '10.11']);
  }, 400_000);

  test('10.11 to 11.8 under writes and back: nothing acknowledged is lost', async () => {
    let job = { id: '' };
    const there = await orders.underWrites(async () => {
      job = await upgrade();
      await until(job.id, 'completed');
    });
    const completed = await jobOf(job.id);
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
    // Changes of tables come to the former members too.
    const [changed] = await orders.client.run([
      'CREATE TABLE later (a int PRIMARY KEY)',
      'INSERT INTO later VALUES (7)',
    ]);
    expect(changed?.error).toBeUndefined();

    const here = await orders.underWrites(async () => {
      expect(await rollBack(job.id)).toBe(202);
      await until(job.id, 'rolled_back');
    });
    console.info('back', (await jobOf(job.id)).rollback_pause_ms);
    expect(await version()).toMatch(/^10\.11/);
    expect([here.lost, await orders.client.lost(there.acknowledged)]).toEqual([[], []]);
    expect((await orders.client.run(['SELECT a FROM later']))[0]?.rows).toEqual([{ a: 7 }]);
    await orders.world.untilIs('orders', 'available');
    expect(await versions()).toEqual(['10.11', '10.11', '10.11']);
    expect(await rollBack(job.id)).toBe(409);
  }, 900_000);
});
