import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble } from '@/lib/testing/database-world';
import { startMariadbWorld } from '@/lib/testing/mariadb-world';
import type { DatabaseClusterWithCredentials } from './schema';

testDatabase();

const troubles = new Map<string, string | null>();
for (const version of ['11.8', '10.11']) troubles.set(version, await databaseTrouble([version], 'mariadb'));
const trouble = troubles.get('11.8') ?? null;
const former = troubles.get('10.11') ?? null;

type Orders = Awaited<ReturnType<typeof startMariadbWorld>>;

describe.skipIf(trouble !== null)(`a cluster of MariaDB${trouble ? ` (skipped: ${trouble})` : ''}`, () => {
  let orders: Orders;
  beforeAll(async () => {
    orders = await startMariadbWorld();
  }, 300_000);
  afterAll(() => orders?.stop(), 120_000);

  // Five seconds on an idle machine; tests share theirs.
  test.each([
    ['hangs', ({ id }: { id: string }) => orders.world.signalTo(id, 'SIGSTOP')],
    ['is cut off', ({ port_id }: { port_id: string }) => orders.world.setLink(port_id, 'down')],
  ])(
    'no acknowledged write is lost when the primary %s, and another one serves soon',
    async (_, fail) => {
      const primary = await orders.world.member(orders.cluster, 'primary');
      const { lost, gap_ms, acknowledged } = await orders.underWrites(async () => {
        await fail(primary);
        await orders.untilAnother(primary.id);
      });
      await orders.world.setLink(primary.port_id, 'up');
      expect([lost, acknowledged.length > 0]).toEqual([[], true]);
      expect(gap_ms).toBeLessThan(10_000);
      await orders.world.untilIs('orders', 'available');
    },
    180_000,
  );

  test('a cluster whose standbys all end at once serves again, with everything', async () => {
    const standbys = (await orders.world.members(orders.cluster)).filter(({ role }) => role === 'standby');
    const { lost } = await orders.underWrites(async () => {
      await Promise.all(standbys.map(({ id }) => orders.world.signalTo(id, 'SIGKILL')));
      await orders.world.untilIs('orders', 'degraded', 30_000);
      await orders.world.untilIs('orders', 'available');
    });
    expect([standbys.length, lost]).toEqual([2, []]);
  }, 180_000);

  test('a planned switch loses nothing, and new connections wait', async () => {
    const primary = await orders.world.member(orders.cluster, 'primary');
    const { lost, gap_ms } = await orders.underWrites(async () => {
      const { status } = await orders.world.call('POST', `${orders.world.paths('orders')}/failover`, orders.world.as);
      expect(status).toBe(202);
      await orders.untilAnother(primary.id);
      await orders.world.untilIs('orders', 'available');
    });
    expect(lost).toEqual([]);
    expect(gap_ms).toBeLessThan(5_000);
  }, 180_000);

  test('changes under writes lose nothing: parameters, members', async () => {
    const { lost } = await orders.underWrites(async () => {
      for (const body of [{ parameters: { max_connections: 60 } }, { instances: 5 }, { instances: 3 }]) {
        const { world } = orders;
        const { status, text } = await world.call('PATCH', world.paths('orders'), { ...world.as, body });
        expect([status, text]).toMatchObject([202, expect.anything()]);
        await world.untilIs('orders', 'available', 240_000);
      }
    });
    expect(lost).toEqual([]);
    const [most] = await orders.client.run(['SELECT @@max_user_connections AS most']);
    expect(most?.rows).toEqual([{ most: 60 }]);
    expect((await orders.world.read('orders')).members).toHaveLength(3);
  }, 900_000);

  test('a new password takes the place of the former one', async () => {
    const { world, client } = orders;
    const { body } = await world.call('POST', `${world.paths('orders')}/reset-password`, world.as);
    const { password } = (body as DatabaseClusterWithCredentials).credentials;
    await world.untilIs('orders', 'available');
    expect(await client.run(['SELECT 1 AS one'])).toMatchObject([{ error: expect.stringMatching(/ACCESS_DENIED/) }]);
    expect(await client.run(['SELECT 1 AS one'], { password })).toEqual([{ rows: [{ one: 1 }] }]);
  }, 60_000);
});

describe.skipIf(former !== null)(`MariaDB 10.11${former ? ` (skipped: ${former})` : ''}`, () => {
  let orders: Orders;
  beforeAll(async () => {
    orders = await startMariadbWorld({ version: '10.11' });
  }, 300_000);
  afterAll(() => orders?.stop(), 120_000);

  test('serves, changes tables on all members, and loses nothing when its primary is killed', async () => {
    const { world, client, cluster } = orders;
    const answers = await client.run([
      'SELECT version() AS version',
      "SET SESSION wsrep_OSU_method = 'RSU'",
      'SELECT @@wsrep_OSU_method AS method',
    ]);
    expect(answers[0]?.rows?.[0]?.version).toMatch(/^10\.11/);
    expect(answers[2]?.rows).toEqual([{ method: 'TOI' }]);
    const primary = await world.member(cluster, 'primary');
    const { lost } = await orders.underWrites(async () => {
      await world.signalTo(primary.id, 'SIGKILL');
      await orders.untilAnother(primary.id);
    });
    expect(lost).toEqual([]);
    await world.untilIs('orders', 'available');
  }, 240_000);
});
