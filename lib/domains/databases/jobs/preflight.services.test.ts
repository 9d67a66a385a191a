import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { ownCell } from '@/lib/settings';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble, startDatabaseWorld } from '@/lib/testing/database-world';
import type { DatabaseClusterWithCredentials, Preflight, PreflightCheck } from '../schema';

testDatabase();
const trouble = await databaseTrouble(['17', '18']);
if (trouble !== null && process.env.CI) throw new Error(trouble);

type World = Awaited<ReturnType<typeof startDatabaseWorld>>;

describe.skipIf(trouble !== null)(`the checks before an upgrade${trouble ? ` (skipped: ${trouble})` : ''}`, () => {
  let world: World;
  let cluster: DatabaseClusterWithCredentials;
  let client: Awaited<ReturnType<World['connect']>>;
  beforeAll(async () => {
    world = await startDatabaseWorld();
    cluster = await world.create({ name: 'orders', version: '17' });
    client = await world.connect(cluster);
  }, 300_000);
  afterAll(async () => {
    client?.end();
    await world?.stop();
  }, 120_000);

  async function found(id: PreflightCheck['id'], target = '18'): Promise<{ passed: boolean; check: PreflightCheck }> {
    const path = `${world.paths('orders')}/preflight?target_version=${target}`;
    const { body } = await world.call('GET', path, world.as);
    const { passed, checks } = body as Preflight;
    const check = checks.find((one) => one.id === id);
    if (!check) throw new Error(JSON.stringify(body));
    return { passed, check };
  }
  async function refused(id: PreflightCheck['id'], target = '18'): Promise<void> {
    const body = { target_version: target };
    const answer = await world.call('POST', `${world.paths('orders')}/upgrade`, { ...world.as, body });
    expect([answer.status, answer.text]).toEqual([409, expect.stringContaining(id)]);
    expect((await world.read('orders')).version).toBe('17');
  }
  const untilPassed = (id: PreflightCheck['id']) =>
    vi.waitFor(async () => expect((await found(id)).check).toMatchObject({ status: 'passed', action: null }), {
      timeout: 60_000,
      interval: 100,
    });

  test('a way that is not certified is refused, with where to go instead', async () => {
    const { passed, check } = await found('certified_path', '16');
    expect([passed, check]).toEqual([
      false,
      expect.objectContaining({
        status: 'failed',
        details: [expect.stringMatching(/17 cannot be upgraded to 16, but to 18\./)],
        action: expect.stringMatching(/^Choose one of the upgrade candidates/),
      }),
    ]);
    await refused('certified_path', '16');
  }, 60_000);

  test('a member that is not in step is named, and is to be waited for', async () => {
    const standby = await world.member(cluster, 'standby');
    await world.signalTo(standby.id, 'SIGSTOP');
    await vi.waitFor(async () => expect((await found('cluster_health')).check.status).toBe('failed'), {
      timeout: 30_000,
      interval: 50,
    });
    const { passed, check } = await found('cluster_health');
    expect([passed, check]).toEqual([
      false,
      expect.objectContaining({
        details: expect.arrayContaining([expect.stringMatching(new RegExp(`orders-${standby.ordinal}`))]),
        action: expect.stringMatching(/^Wait until the cluster is available/),
      }),
    ]);
    await refused('cluster_health');
    await world.signalTo(standby.id, 'SIGCONT');
    await world.untilIs('orders', 'available');
    await untilPassed('cluster_health');
  }, 180_000);

  test('a missing backup is a warning: the upgrade makes one', async () => {
    const { passed, check } = await found('fresh_backup');
    expect([passed, check]).toEqual([
      true,
      expect.objectContaining({
        status: 'warning',
        details: ['There is no verified backup of the last 24 hours.'],
        action: expect.stringMatching(/makes a backup first/),
      }),
    ]);
  }, 60_000);

  test('a host without room for both versions is refused, with what is left and what is needed', async () => {
    const usable = (change: string) =>
      execute(
        change === 'less'
          ? sql`UPDATE cells SET memory_mb_usable = memory_mb_reserved + 700 WHERE id = ${ownCell()}::text`
          : sql`UPDATE cells SET memory_mb_usable = 20000 WHERE id = ${ownCell()}::text`,
      );
    await usable('less');
    const { passed, check } = await found('capacity');
    expect([passed, check]).toEqual([
      false,
      expect.objectContaining({
        status: 'failed',
        details: [expect.stringMatching(/has 700 MB of memory left, and the new members need \d{4}/)],
        action: expect.stringMatching(/^Free room on the host/),
      }),
    ]);
    await refused('capacity');
    await usable('enough');
    await untilPassed('capacity');
  }, 60_000);

  test('contents that would not come along are named one by one, with what to do for each', async () => {
    await client.run(['CREATE TABLE bare (x int)', "SELECT lo_from_bytea(4711, 'x')"]);
    const { passed, check } = await found('compatibility');
    expect([passed, check]).toEqual([
      false,
      expect.objectContaining({
        status: 'failed',
        details: expect.arrayContaining([
          expect.stringMatching(/public\.bare of app .*REPLICA IDENTITY FULL/),
          expect.stringMatching(/app holds 1 large objects/),
        ]),
        action: expect.stringMatching(/^Change what is listed/),
      }),
    ]);
    await refused('compatibility');
    await client.run(['ALTER TABLE bare REPLICA IDENTITY FULL', 'SELECT lo_unlink(4711)']);
    await untilPassed('compatibility');
    const { passed: all } = await found('compatibility');
    expect(all).toBe(true);
  }, 120_000);
});
