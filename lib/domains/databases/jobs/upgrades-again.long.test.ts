import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startClusterUpgrades } from '@/lib/testing/cluster-upgrades';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble } from '@/lib/testing/database-world';
import { upgradeWriters, type Writer } from '@/lib/testing/upgrade-writers';
import { versionsOf } from '../versions';

testDatabase();
const TIMES = 5;
const subjects = [
  { engine: 'valkey', program: 'valkey', storage_gb: 1 },
  { engine: 'qdrant', program: 'qdrant', storage_gb: 1 },
  { engine: 'mysql', program: 'mariadb', storage_gb: 1 },
  { engine: 'postgres', program: 'postgres', storage_gb: 4 },
] as const;

for (const { engine, program, storage_gb } of subjects) {
  const versions = versionsOf(engine);
  const pairs = versions.flatMap(({ version, upgrades_to }) => upgrades_to.map((to) => [version, to] as const));
  const trouble = await databaseTrouble(
    versions.map(({ version }) => version),
    program,
  );
  if (trouble !== null && process.env.CI) throw new Error(trouble);

  describe.skipIf(trouble !== null)(
    `upgrades of ${engine}, again and again${trouble ? ` (skipped: ${trouble})` : ''}`,
    () => {
      let orders: Awaited<ReturnType<typeof startClusterUpgrades<Writer>>>;
      beforeAll(async () => {
        const body = { name: 'orders', version: versions[0]?.version, storage_gb };
        orders = await startClusterUpgrades<Writer>(engine, upgradeWriters[engine], body);
      }, 300_000);
      afterAll(() => orders?.stop(), 120_000);

      test.each(pairs)(
        '%s to %s under writes and back loses nothing, each time',
        async (from, to) => {
          // The clusters of pairs that begin with a newer version are upgraded to it first.
          if (!(await orders.client.version()).startsWith(`${from}.`))
            await orders.until((await orders.upgrade(from)).id, 'completed');
          for (let round = 1; round <= TIMES; round += 1) {
            const job = await orders.upgrade(to);
            const there = await orders.underWrites(async () => {
              await orders.until(job.id, 'completed');
            });
            const here = await orders.underWrites(async () => {
              expect(await orders.rollBack(job.id)).toBe(202);
              await orders.until(job.id, 'rolled_back');
            });
            const { pause_ms, rollback_pause_ms } = await orders.jobOf(job.id);
            expect(await orders.client.lost([...there.acknowledged, ...here.acknowledged])).toEqual([]);
            console.info(`${from} ${to}`, {
              pause_ms,
              rollback_pause_ms,
              writes: there.acknowledged.length + here.acknowledged.length,
              errors: [there.errors, here.errors],
              gaps: [there.gap_ms, here.gap_ms],
            });
          }
        },
        1_800_000,
      );
    },
  );
}
