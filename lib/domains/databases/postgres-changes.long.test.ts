import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble, startDatabaseWorld, type Written } from '@/lib/testing/database-world';
import type { DatabaseClusterWithCredentials } from './schema';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

testDatabase();
const trouble = await databaseTrouble(['18']);
if (trouble !== null && process.env.CI) throw new Error(trouble);

type World = Awaited<ReturnType<typeof startDatabaseWorld>>;
type Client = Awaited<ReturnType<World['connect']>>;

describe.skipIf(trouble !== null)(`changes of a cluster${trouble ? ` (skipped: ${trouble})` : ''}`, () => {
  let world: World;
  let cluster: DatabaseClusterWithCredentials;
  let client: Client;
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

  /** Writes while something happens, and what became of it. */
  async function underWrites(happens: () => Promise<void>, seconds = 2): Promise<Written & { lost: string[] }> {
    await world.untilIs('orders', 'available');
    await client.startWriting();
    await pause(1_000);
    await happens();
    await pause(seconds * 1_000);
    const written = await client.stopWriting();
    const lost = await client.lost(written.acknowledged);
    const { acknowledged, ...figures } = written;
    console.info(expect.getState().currentTestName, {
      ...figures,
      acknowledged: acknowledged.length,
      lost: lost.length,
    });
    return { ...written, lost };
  }
  test('changes under writes lose nothing: members, connections, storage', async () => {
    const { lost } = await underWrites(async () => {
      for (const body of [
        { instances: 3 },
        { parameters: { max_connections: 60 } },
        { parameters: { max_connections: 40 } },
        { storage_gb: 2 },
        { instances: 2 },
      ]) {
        const { status, text } = await world.call('PATCH', world.paths('orders'), { ...world.as, body });
        expect([status, text]).toMatchObject([202, expect.anything()]);
        await world.untilIs('orders', 'available', 300_000);
      }
    });
    expect(lost).toEqual([]);
    const [connections] = await client.run(['SHOW max_connections']);
    expect(connections).toEqual({ rows: [{ max_connections: '40' }] });
    expect((await world.read('orders')).members.map(({ role }) => role).toSorted()).toEqual(['primary', 'standby']);
  }, 1_200_000);

  test('a full disk makes the cluster read-only and says so, and a larger one takes writes again', async () => {
    const filled = client.run([
      'CREATE TABLE filler (data text)',
      'ALTER TABLE filler ALTER data SET STORAGE EXTERNAL',
      ...Array.from(
        { length: 260 },
        () => "INSERT INTO filler SELECT string_agg(md5(random()::text), '') FROM generate_series(1, 320000)",
      ),
    ]);
    await vi.waitFor(async () => expect((await world.read('orders')).status_reason).toMatch(/disk is nearly full/), {
      timeout: 600_000,
      interval: 100,
    });
    const answers = await filled;
    expect(JSON.stringify(answers)).toMatch(/read-only|57P01|terminated/);
    expect(await client.run(["INSERT INTO written VALUES ('full')"])).toMatchObject([
      { error: expect.stringMatching(/read-only/) },
    ]);
    expect((await world.call('PATCH', world.paths('orders'), { ...world.as, body: { storage_gb: 4 } })).status).toBe(
      202,
    );
    await vi.waitFor(
      async () => expect(await client.run(["INSERT INTO written VALUES ('roomy')"])).toEqual([{ rows: [] }]),
      { timeout: 60_000, interval: 200 },
    );
    await world.untilIs('orders', 'available', 300_000);
  }, 1_200_000);
});
