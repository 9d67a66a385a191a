import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble } from '@/lib/testing/database-world';
import { killedStages, startKilledUpgrades, type Victim } from '@/lib/testing/upgrade-kills';

testDatabase();
const trouble = await databaseTrouble(['17', '18']);
if (trouble !== null && process.env.CI) throw new Error(trouble);

const victims: readonly Victim[] = ['worker', 'former primary', 'next primary'];
/** The new primary is there from `provisioning` on, when it may still be starting. */
const cases = [...killedStages, 'rolling_back' as const].flatMap((stage, index) =>
  victims.filter((victim) => victim !== 'next primary' || index > 2).map((victim) => [victim, stage] as const),
);

describe.skipIf(trouble !== null)(
  `upgrades in which something is killed${trouble ? ` (skipped: ${trouble})` : ''}`,
  () => {
    let upgrades: Awaited<ReturnType<typeof startKilledUpgrades>>;
    beforeAll(async () => {
      upgrades = await startKilledUpgrades(4);
    }, 300_000);
    afterAll(async () => {
      await upgrades?.stop();
    }, 120_000);

    test.each(cases)(
      'the %s is killed at %s: the job goes on or is taken back, and nothing is lost',
      async (victim, stage) => {
        const job = await upgrades.killAt(stage, victim, ['17', '18']);
        // A fail-over of the new version ends the way back, before or during it, and the new version stays.
        const ends = victim === 'next primary' ? ['rolled_back', 'completed'] : ['rolled_back'];
        expect(ends).toContain(job.stage);
        if (job.stage === 'completed')
          expect(job.rollback).toMatchObject({ possible: false, reason: expect.any(String) });
        expect(job.error ?? '').not.toMatch(/EPIPE|ECONN|Connection terminated/);
      },
      900_000,
    );
  },
);
