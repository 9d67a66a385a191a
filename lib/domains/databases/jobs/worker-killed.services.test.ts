import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble, startDatabaseWorld } from '@/lib/testing/database-world';
import { killedUpgrades } from '@/lib/testing/upgrade-kills';

testDatabase();
const trouble = await databaseTrouble(['17', '18']);
if (trouble !== null && process.env.CI) throw new Error(trouble);

describe.skipIf(trouble !== null)(`an upgrade without its worker${trouble ? ` (skipped: ${trouble})` : ''}`, () => {
  let world: Awaited<ReturnType<typeof startDatabaseWorld>>;
  let client: Awaited<ReturnType<typeof world.connect>>;
  let upgrades: ReturnType<typeof killedUpgrades>;
  beforeAll(async () => {
    world = await startDatabaseWorld('postgres', { isApart: true });
    const cluster = await world.create({ name: 'orders', version: '17', storage_gb: 2 });
    client = await world.connect(cluster);
    await client.run(['CREATE TABLE written (value text PRIMARY KEY)']);
    upgrades = killedUpgrades(world, cluster, client);
  }, 300_000);
  afterAll(async () => {
    client?.end();
    await world?.stop();
  }, 120_000);

  // The other stages, and members, are killed by `upgrade-kills.long.test.ts`.
  test('a worker that is killed during the switch is followed by one that goes on, and nothing is lost', async () => {
    const job = await upgrades.killAt('switching_over', 'worker', ['17', '18']);
    expect(job.stage).toBe('rolled_back');
  }, 600_000);
});
