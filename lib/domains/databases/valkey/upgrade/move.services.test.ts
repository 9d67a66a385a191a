import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble } from '@/lib/testing/database-world';
import { startValkeyUpgrades } from '@/lib/testing/following-upgrades';
import type { HeldEndpoint, SideName, Work } from '../../jobs/engine';
import { groupOf } from '../../jobs/sides';
import { ask } from '../connections';
import { valkeyUpgrades } from './engine';
import { moveClients } from './move';

testDatabase();
const trouble = await databaseTrouble(['8.0', '9.1'], 'valkey');
if (trouble !== null && process.env.CI) throw new Error(trouble);

/** A worker's last act. */
type Point = 'held' | 'before the decision' | 'after the decision' | 'when the endpoint knows';
const points: readonly Point[] = ['held', 'before the decision', 'after the decision', 'when the endpoint knows'];

describe.skipIf(trouble !== null)(
  `a switch of Valkey that is never finished${trouble ? ` (skipped: ${trouble})` : ''}`,
  () => {
    let cache: Awaited<ReturnType<typeof startValkeyUpgrades>>;
    beforeAll(async () => {
      cache = await startValkeyUpgrades();
    }, 300_000);
    afterAll(() => cache?.stop(), 120_000);
    afterEach(() => {
      vi.restoreAllMocks();
    });

    /** Does all that a switch does until a point, and nothing afterwards: as a worker that is killed there. */
    async function moveUntil(point: Point, work: Work, toward: SideName, endpoint: HeldEndpoint): Promise<never> {
      let reach = () => {};
      const reached = new Promise<void>((resolve) => {
        reach = resolve;
      });
      const stop = () => {
        reach();
        return new Promise<never>(() => {});
      };
      const cut: HeldEndpoint = {
        async hold() {
          await endpoint.hold();
          if (point === 'held') await stop();
        },
        async repoint(to) {
          if (point === 'before the decision') await stop();
          if (point === 'after the decision') {
            await execute(sql`UPDATE database_clusters SET serving_group = ${groupOf(work, to)}::int, moves = moves + 1,
              version = ${to === 'next' ? work.job.target_version : work.job.from_version}::text WHERE id = ${work.cluster.id}::uuid`);
            await stop();
          }
          await endpoint.repoint(to);
          await stop();
        },
        release: () => endpoint.release(),
      };
      await Promise.race([moveClients(work, toward, cut), reached]);
      if (point === 'before the decision' || point === 'after the decision')
        await expectNoWrites(work, toward, endpoint);
      throw new Error(`killed: ${point}`);
    }

    /** The former primary takes no writes, when its pause has run out and the endpoint still leads clients there. */
    async function expectNoWrites(work: Work, toward: SideName, endpoint: HeldEndpoint): Promise<void> {
      const from = toward === 'next' ? work.former : work.next;
      await ask(work.cluster, from, ['CLIENT', 'UNPAUSE']);
      await endpoint.release();
      expect(await cache.client.run(['SET', 'second writer', 1])).toEqual([
        { error: expect.stringContaining('NOREPLICAS') },
      ]);
    }

    test.each(points)(
      'a worker killed in it, %s, there and back: one version serves, and nothing acknowledged is lost',
      async (point) => {
        vi.spyOn(valkeyUpgrades, 'switchToNext').mockImplementationOnce((work, endpoint) =>
          moveUntil(point, work, 'next', endpoint),
        );
        vi.spyOn(valkeyUpgrades, 'switchBack').mockImplementationOnce((work, endpoint) =>
          moveUntil(point, work, 'former', endpoint),
        );
        const job = await cache.upgrade('9.1');
        const there = await cache.underWrites(async () => {
          await cache.until(job.id, 'completed');
        });
        expect(await cache.client.version()).toMatch(/^9\.1\./);
        const here = await cache.underWrites(async () => {
          expect(await cache.rollBack(job.id)).toBe(202);
          await cache.until(job.id, 'rolled_back');
        });
        expect(await cache.client.version()).toMatch(/^8\.0\./);
        expect(await cache.client.lost([...there.acknowledged, ...here.acknowledged])).toEqual([]);
        expect(valkeyUpgrades.switchToNext).toHaveBeenCalled();
        expect(await cache.client.run(['EXISTS', 'second writer'], ['SET', 'later', 1])).toEqual([0, 'OK']);
      },
      300_000,
    );
  },
);
