import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble, startDatabaseWorld } from '@/lib/testing/database-world';
import type { DatabaseClusterWithCredentials } from './schema';

testDatabase();
const trouble = await databaseTrouble(['18']);
if (trouble !== null && process.env.CI) throw new Error(trouble);

type World = Awaited<ReturnType<typeof startDatabaseWorld>>;
type Client = Awaited<ReturnType<World['connect']>>;

describe.skipIf(trouble !== null)(`a cluster of PostgreSQL${trouble ? ` (skipped: ${trouble})` : ''}`, () => {
  let world: World;
  let cluster: DatabaseClusterWithCredentials;
  let client: Client;
  beforeAll(async () => {
    world = await startDatabaseWorld();
    const began = performance.now();
    cluster = await world.create({ name: 'orders' });
    console.info(`created in ${Math.round(performance.now() - began)} ms`);
    client = await world.connect(cluster);
  }, 180_000);
  afterAll(async () => {
    client?.end();
    await world?.stop();
  }, 120_000);

  test('answers the tenant over TLS that its own CA vouches for', async () => {
    const [made, version] = await client.run(['CREATE TABLE written (value text PRIMARY KEY)', 'SELECT version()']);
    expect(made).toEqual({ rows: [] });
    expect(version?.rows?.[0]?.version).toMatch(/^PostgreSQL 18/);
  }, 60_000);

  test.each([
    ['SIGKILL', 1_500],
    ['SIGSTOP', 6_000],
  ] as const)(
    '%s of the primary',
    async (signal, most) => {
      await world.untilIs('orders', 'available');
      await client.startWriting();
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      const primary = await world.member(cluster, 'primary');
      await world.signalTo(primary.id, signal);
      await vi.waitFor(async () => expect((await world.member(cluster, 'primary')).id).not.toBe(primary.id), {
        timeout: 20_000,
        interval: 20,
      });
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      const written = await client.stopWriting();
      console.info(signal, { ...written, acknowledged: written.acknowledged.length });
      expect(await client.lost(written.acknowledged)).toEqual([]);
      expect(written.gap_ms).toBeLessThan(most * 2);
      await world.untilIs('orders', 'available');
    },
    180_000,
  );
});
