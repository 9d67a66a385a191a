import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble } from '@/lib/testing/database-world';
import { killedStages, startKilledUpgrades, type Victim } from '@/lib/testing/upgrade-kills';
import type { Upgraded } from '@/lib/testing/upgrade-writers';

testDatabase();

type Subject = {
  engine: Upgraded;
  program: string;
  versions: readonly [string, string];
  storageGb: number;
  /** Stages before which the new primary may not run yet. */
  before: number;
  /** Whether a fail-over of the new version ends the way back, before or during it: then the new version stays. */
  endsWithFailOver: boolean;
};

const subjects: readonly Subject[] = [
  { engine: 'postgres', program: 'postgres', versions: ['17', '18'], storageGb: 4, before: 3, endsWithFailOver: true },
  {
    engine: 'mysql',
    program: 'mariadb',
    versions: ['10.11', '11.8'],
    storageGb: 1,
    before: 3,
    endsWithFailOver: false,
  },
  { engine: 'qdrant', program: 'qdrant', versions: ['0.8', '0.9'], storageGb: 1, before: 3, endsWithFailOver: false },
  { engine: 'valkey', program: 'valkey', versions: ['8.0', '9.1'], storageGb: 1, before: 3, endsWithFailOver: false },
];

const victims: readonly Victim[] = ['worker', 'former primary', 'next primary'];
const casesOf = ({ before }: Subject) =>
  [...killedStages, 'rolling_back' as const].flatMap((stage, index) =>
    victims.filter((victim) => victim !== 'next primary' || index >= before).map((victim) => [victim, stage] as const),
  );

for (const subject of subjects) {
  const { engine, program, versions, storageGb, endsWithFailOver } = subject;
  const trouble = await databaseTrouble(versions, program);
  if (trouble !== null && process.env.CI) throw new Error(trouble);

  describe.skipIf(trouble !== null)(
    `upgrades of ${engine} in which something is killed${trouble ? ` (skipped: ${trouble})` : ''}`,
    () => {
      let upgrades: Awaited<ReturnType<typeof startKilledUpgrades>>;
      beforeAll(async () => {
        upgrades = await startKilledUpgrades(engine, versions[0], storageGb);
      }, 300_000);
      afterAll(async () => {
        await upgrades?.stop();
      }, 120_000);

      test.each(casesOf(subject))(
        'the %s is killed at %s: the job goes on or is taken back, and nothing is lost',
        async (victim, stage) => {
          const job = await upgrades.killAt(stage, victim, versions);
          const mayStay = victim === 'next primary' && endsWithFailOver;
          expect(mayStay ? ['rolled_back', 'completed'] : ['rolled_back']).toContain(job.stage);
          if (job.stage === 'completed')
            expect(job.rollback).toMatchObject({ possible: false, reason: expect.any(String) });
          expect(job.error ?? '').not.toMatch(/EPIPE|ECONN|Connection terminated/);
        },
        900_000,
      );
    },
  );
}
