import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble } from '@/lib/testing/database-world';
import { killedStages, startKilledUpgrades, type Victim } from '@/lib/testing/upgrade-kills';

testDatabase();
const trouble = await databaseTrouble(['10.11', '11.8'], 'mariadb');
if (trouble !== null && process.env.CI) throw new Error(trouble);

const victims: readonly Victim[] = ['worker', 'former primary', 'next primary'];
/** The new primary copies its data at `provisioning`, when it may not run yet. */
const cases = [...killedStages, 'rolling_back' as const].flatMap((stage, index) =>
  victims.filter((victim) => victim !== 'next primary' || index > 2).map((victim) => [victim, stage] as const),
);

describe.skipIf(trouble !== null)(
  `upgrades of MariaDB in which something is killed${trouble ? ` (skipped: ${trouble})` : ''}`,
  () => {
    let upgrades: Awaited<ReturnType<typeof startKilledUpgrades>>;
    beforeAll(async () => {
      upgrades = await startKilledUpgrades(1, 'mysql');
    }, 300_000);
    afterAll(async () => {
      await upgrades?.stop();
    }, 120_000);

    test.each(cases)(
      'the %s is killed at %s: the job goes on or is taken back, and nothing is lost',
      async (victim, stage) => {
        const job = await upgrades.killAt(stage, victim, ['10.11', '11.8']);
        expect(job.stage).toBe('rolled_back');
        expect(job.error ?? '').not.toMatch(/EPIPE|ECONN|Connection terminated/);
      },
      900_000,
    );
  },
);
