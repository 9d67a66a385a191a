import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble, startDatabaseWorld } from '@/lib/testing/database-world';
import { versionsOf } from './versions';

testDatabase();
const versions = versionsOf('postgres').map(({ version }) => version);
const trouble = await databaseTrouble(versions);
if (trouble !== null && process.env.CI) throw new Error(trouble);

describe.skipIf(trouble !== null)(`every certified version${trouble ? ` (skipped: ${trouble})` : ''}`, () => {
  let world: Awaited<ReturnType<typeof startDatabaseWorld>>;
  beforeAll(async () => {
    world = await startDatabaseWorld();
  }, 120_000);
  afterAll(() => world?.stop(), 120_000);

  test.each(versions)(
    'PostgreSQL %s serves with a standby that takes over',
    async (version) => {
      const name = `version-${version}`;
      const cluster = await world.create({ name, version });
      const client = await world.connect(cluster);
      const [, answer] = await client.run(['CREATE TABLE written (value text)', 'SHOW server_version']);
      expect(answer?.rows?.[0]?.server_version).toMatch(new RegExp(`^${version}\\.`));
      expect(await client.run(["INSERT INTO written VALUES ('kept')"])).toEqual([{ rows: [] }]);
      const primary = await world.member(cluster, 'primary');
      await world.signalTo(primary.id, 'SIGKILL');
      await vi.waitFor(async () => expect((await world.member(cluster, 'primary')).id).not.toBe(primary.id), {
        timeout: 30_000,
        interval: 20,
      });
      await world.untilIs(name, 'available');
      expect(await client.run(['SELECT value FROM written'])).toEqual([{ rows: [{ value: 'kept' }] }]);
      client.end();
      await world.call('DELETE', world.paths(name), world.as);
      await vi.waitFor(async () => expect((await world.call('GET', world.paths(name), world.as)).status).toBe(404), {
        timeout: 60_000,
        interval: 100,
      });
    },
    240_000,
  );
});
