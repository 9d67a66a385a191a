import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble } from '@/lib/testing/database-world';
import { startQdrantUpgrades, startValkeyUpgrades } from '@/lib/testing/following-upgrades';
import { versionsOf } from '../versions';

testDatabase();
const TIMES = 5;
const subjects = [
  { engine: 'valkey', start: startValkeyUpgrades },
  { engine: 'qdrant', start: startQdrantUpgrades },
] as const;

for (const { engine, start } of subjects) {
  const versions = versionsOf(engine);
  const pairs = versions.flatMap(({ version, upgrades_to }) => upgrades_to.map((to) => [version, to] as const));
  const names = versions.map(({ version }) => version);
  const trouble = await databaseTrouble(names, engine);
  if (trouble !== null && process.env.CI) throw new Error(trouble);

  describe.skipIf(trouble !== null)(
    `upgrades of ${engine}, again and again${trouble ? ` (skipped: ${trouble})` : ''}`,
    () => {
      let cache: Awaited<ReturnType<typeof startValkeyUpgrades>> | Awaited<ReturnType<typeof startQdrantUpgrades>>;
      beforeAll(async () => {
        cache = await start();
      }, 300_000);
      afterAll(() => cache?.stop(), 120_000);

      test.each(pairs)(
        '%s to %s under writes and back loses nothing, each time',
        async (from, to) => {
          // The clusters of pairs that begin with a newer version are upgraded to it first.
          if (!(await cache.version())?.startsWith(`${from}.`))
            await cache.until((await cache.upgrade(from)).id, 'completed');
          for (let round = 1; round <= TIMES; round += 1) {
            const job = await cache.upgrade(to);
            const there = await cache.underWrites(async () => {
              await cache.until(job.id, 'completed');
            });
            const here = await cache.underWrites(async () => {
              expect(await cache.rollBack(job.id)).toBe(202);
              await cache.until(job.id, 'rolled_back');
            });
            const { pause_ms, failed_connections, rollback_pause_ms } = await cache.jobOf(job.id);
            expect(await cache.client.lost([...there.acknowledged, ...here.acknowledged])).toEqual([]);
            console.info(`${engine} ${from} ${to}`, {
              pause_ms,
              failed_connections,
              rollback_pause_ms,
              writes: there.acknowledged.length + here.acknowledged.length,
              errors: [there.errors, here.errors],
              gaps: [there.gap_ms, here.gap_ms],
            });
          }
        },
        900_000,
      );
    },
  );
}
