import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble, startDatabaseWorld } from '@/lib/testing/database-world';
import { killedUpgrades, upgradeStages, type Victim } from '@/lib/testing/upgrade-kills';

testDatabase();
const trouble = await databaseTrouble(['17', '18']);
if (trouble !== null && process.env.CI) throw new Error(trouble);

const victims: readonly Victim[] = ['worker', 'former primary', 'next primary'];
/** The new primary is there from `provisioning` on, when it may still be starting. */
const cases = [...upgradeStages, 'rolling_back' as const].flatMap((stage, index) =>
  victims.filter((victim) => victim !== 'next primary' || index > 2).map((victim) => [victim, stage] as const),
);

describe.skipIf(trouble !== null)(
  `upgrades in which something is killed${trouble ? ` (skipped: ${trouble})` : ''}`,
  () => {
    let world: Awaited<ReturnType<typeof startDatabaseWorld>>;
    let client: Awaited<ReturnType<typeof world.connect>>;
    let upgrades: ReturnType<typeof killedUpgrades>;
    beforeAll(async () => {
      world = await startDatabaseWorld('postgres', { isApart: true });
      const cluster = await world.create({ name: 'orders', version: '17', storage_gb: 4 });
      client = await world.connect(cluster);
      await client.run(['CREATE TABLE written (value text PRIMARY KEY)']);
      upgrades = killedUpgrades(world, cluster, client);
    }, 300_000);
    afterAll(async () => {
      client?.end();
      await world?.stop();
    }, 120_000);

    test.each(cases)(
      'the %s is killed at %s: the job goes on or is taken back, and nothing is lost',
      async (victim, stage) => {
        const job = await upgrades.killAt(stage, victim, ['17', '18']);
        expect(job.stage).toBe('rolled_back');
      },
      900_000,
    );
  },
);
