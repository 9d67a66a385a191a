import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble } from '@/lib/testing/database-world';
import { startKilledUpgrades } from '@/lib/testing/upgrade-kills';

testDatabase();
const trouble = await databaseTrouble(['17', '18']);
if (trouble !== null && process.env.CI) throw new Error(trouble);

describe.skipIf(trouble !== null)(`an upgrade without its worker${trouble ? ` (skipped: ${trouble})` : ''}`, () => {
  let upgrades: Awaited<ReturnType<typeof startKilledUpgrades>>;
  beforeAll(async () => {
    upgrades = await startKilledUpgrades('postgres', '17', 2);
  }, 300_000);
  afterAll(async () => {
    await upgrades?.stop();
  }, 120_000);

  // The other stages, and members, are killed by `upgrade-kills.long.test.ts`.
  test('a worker that is killed during the switch is followed by one that goes on, and nothing is lost', async () => {
    const job = await upgrades.killAt('switching_over', 'worker', ['17', '18']);
    expect(job.stage).toBe('rolled_back');
  }, 600_000);
});
