import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble, startDatabaseWorld } from '@/lib/testing/database-world';
import type { DatabaseClusterWithCredentials } from '../schema';
import { fullShare, levelOf } from './disk';

testDatabase();
const trouble = await databaseTrouble(['18']);
if (trouble !== null && process.env.CI) throw new Error(trouble);

type World = Awaited<ReturnType<typeof startDatabaseWorld>>;
type Client = Awaited<ReturnType<World['connect']>>;

const LIFT = 'SET default_transaction_read_only = off';

describe.skipIf(trouble !== null)(
  `the disk of a cluster of PostgreSQL${trouble ? ` (skipped: ${trouble})` : ''}`,
  () => {
    let world: World;
    let cluster: DatabaseClusterWithCredentials;
    let client: Client;
    const acknowledged: string[] = [];
    beforeAll(async () => {
      world = await startDatabaseWorld();
      cluster = await world.create({ name: 'orders' });
      client = await world.connect(cluster);
      await client.run(['CREATE TABLE written (value text PRIMARY KEY)']);
    }, 300_000);
    afterAll(async () => {
      client?.end();
      await world?.stop();
    }, 120_000);

    const untilSays = (words: RegExp) =>
      vi.waitFor(async () => expect((await world.read('orders')).status_reason).toMatch(words), {
        timeout: 60_000,
        interval: 50,
      });

    test('a nearly full disk of the standby or the primary ends writing, also by sessions that lift the limit', async () => {
      await client.startWriting();
      const standby = await world.member(cluster, 'standby');
      await world.leaveRoom(standby.id, 100);
      await untilSays(/disk is nearly full/);
      await world.leaveRoom(standby.id, null);
      await world.untilIs('orders', 'available');
      const primary = await world.member(cluster, 'primary');
      await world.leaveRoom(primary.id, 100);
      await untilSays(/disk is nearly full/);
      const { acknowledged: rows, messages } = await client.stopWriting();
      acknowledged.push(...rows);
      expect(Object.keys(messages).join()).toMatch(/25006/);
      expect(await client.run(['SELECT 1 AS one', "INSERT INTO written VALUES ('full')"])).toMatchObject([
        { rows: [{ one: 1 }] },
        { error: expect.stringMatching(/^25006/) },
      ]);
      const lifted = await client.run([
        LIFT,
        'BEGIN',
        "INSERT INTO written VALUES ('lifted')",
        'SELECT pg_sleep(20)',
        'COMMIT',
      ]);
      expect(lifted.at(3)?.error).toMatch(/57P01|terminated/);
      expect(lifted.at(4)?.error).toBeDefined();
      expect(await client.run([LIFT, 'ALTER ROLE app CONNECTION LIMIT -1'])).toMatchObject([
        { rows: [] },
        { error: expect.stringMatching(/^42501/) },
      ]);
      const [row] = await client.run(["SELECT count(*)::int AS n FROM written WHERE value IN ('full', 'lifted')"]);
      expect(row).toEqual({ rows: [{ n: 0 }] });
    }, 240_000);

    test('a disk that fills up nevertheless lets nobody in, and a larger one lets the cluster go on without loss', async () => {
      const primary = await world.member(cluster, 'primary');
      const sleeping = client.run(['SELECT pg_sleep(60)']);
      await world.leaveRoom(primary.id, 40);
      await untilSays(/takes no connections/);
      expect((await sleeping).at(0)?.error).toMatch(/57P01|terminated/);
      expect(await client.run(['SELECT 1'])).toMatchObject([{ error: expect.stringMatching(/^53300/) }]);
      const { status, text } = await world.call('PATCH', world.paths('orders'), {
        ...world.as,
        body: { storage_gb: 2 },
      });
      expect([status, text]).toMatchObject([202, expect.anything()]);
      const began = performance.now();
      await vi.waitFor(
        async () => expect(await client.run(["INSERT INTO written VALUES ('roomy')"])).toEqual([{ rows: [] }]),
        { timeout: 120_000, interval: 200 },
      );
      console.info(`written again ${Math.round(performance.now() - began)} ms after the storage was enlarged`);
      await world.untilIs('orders', 'available', 120_000);
      expect(await client.lost([...acknowledged, 'roomy'])).toEqual([]);
      expect((await world.read('orders')).status_reason).toBeNull();
    }, 400_000);

    test('a server that ended on a full disk is there again with a larger one, with everything', async () => {
      const members = [await world.member(cluster, 'primary'), await world.member(cluster, 'standby')];
      const before = await client.run(['SELECT count(*)::int AS n FROM written']);
      for (const { id } of members) await world.leaveRoom(id, 1);
      for (const { id } of members) await world.signalTo(id, 'SIGKILL');
      await untilSays(/takes no connections|being started again|does not answer/);
      expect((await world.call('PATCH', world.paths('orders'), { ...world.as, body: { storage_gb: 3 } })).status).toBe(
        202,
      );
      await vi.waitFor(
        async () => expect(await client.run(["INSERT INTO written VALUES ('again')"])).toEqual([{ rows: [] }]),
        { timeout: 120_000, interval: 200 },
      );
      await world.untilIs('orders', 'available', 120_000);
      expect(await client.lost([...acknowledged, 'roomy', 'again'])).toEqual([]);
      const after = await client.run(['SELECT count(*)::int - 1 AS n FROM written']);
      expect(after).toEqual(before);
    }, 400_000);
  },
);

test('what a cluster takes follows its free disk, and does not waver', () => {
  expect([fullShare({ storage_gb: 1 }), fullShare({ storage_gb: 100 })]).toEqual([0.125, 0.04]);
  const level = (free: number, present: 'open' | 'read_only' | 'closed') => levelOf(free, 0.04, present);
  expect([level(0.041, 'open'), level(0.039, 'open'), level(0.019, 'open')]).toEqual(['open', 'read_only', 'closed']);
  expect([level(0.059, 'read_only'), level(0.061, 'read_only')]).toEqual(['read_only', 'open']);
  expect([level(0.039, 'closed'), level(0.041, 'closed'), level(0.061, 'closed')]).toEqual([
    'closed',
    'read_only',
    'open',
  ]);
});
