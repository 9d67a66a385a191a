import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble } from '@/lib/testing/database-world';
import { startValkeyUpgrades } from '@/lib/testing/following-upgrades';
import { type Preflight, upgradeStages } from '../schema';

testDatabase();
const trouble = await databaseTrouble(['8.0', '8.1', '9.1'], 'valkey');
if (trouble !== null && process.env.CI) throw new Error(trouble);

/** A command that versions before 9.0 do not have. */
const LATER_COMMAND = ['HEXPIRE', 'hash', 100_000, 'FIELDS', 1, 'field'];

describe.skipIf(trouble !== null)(`upgrades of a cluster of Valkey${trouble ? ` (skipped: ${trouble})` : ''}`, () => {
  let cache: Awaited<ReturnType<typeof startValkeyUpgrades>>;
  beforeAll(async () => {
    cache = await startValkeyUpgrades();
  }, 300_000);
  afterAll(() => cache?.stop(), 120_000);

  test('preflight names a library of functions that a later version cannot run, and the upgrade is refused', async () => {
    const library = (body: string) => [
      'FUNCTION',
      'LOAD',
      'REPLACE',
      `#!lua name=own\nserver.register_function('answer', function() ${body} end)`,
    ];
    expect(await cache.client.run(library('return getfenv() and 42'))).toEqual(['own']);
    const checked = async () => {
      const path = `${cache.world.paths('cache')}/preflight?target_version=9.1`;
      const { passed, checks } = (await cache.call('GET', path)).body as Preflight;
      return { passed, check: checks.find(({ id }) => id === 'compatibility') };
    };
    expect(await checked()).toMatchObject({
      passed: false,
      check: { status: 'failed', details: [expect.stringMatching(/library of functions own uses getfenv/)] },
    });
    const refused = await cache.call('POST', `${cache.world.paths('cache')}/upgrade`, { target_version: '9.1' });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('getfenv')]);
    expect(await cache.client.run(library('return 42 -- not getfenv\n'))).toEqual(['own']);
    expect(await checked()).toMatchObject({ passed: true, check: { status: 'passed' } });
    await cache.client.run(['EVAL', 'return 1', 0]);
    expect(await checked()).toMatchObject({
      passed: true,
      check: { status: 'warning', details: [expect.stringMatching(/scripts of EVAL/)] },
    });
  }, 120_000);

  test('an upgrade that is called off while its members copy leaves the cluster as it was', async () => {
    await cache.underWrites(async () => {
      const job = await cache.upgrade('9.1');
      await cache.until(job.id, 'provisioning');
      expect(await cache.rollBack(job.id)).toBe(202);
      await cache.until(job.id, 'rolled_back');
    });
    await cache.world.untilIs('cache', 'available');
    expect(await cache.versions()).toEqual(['8.0', '8.0']);
  }, 400_000);

  test.each([
    ['8.0', '9.1'],
    ['8.0', '8.1'],
  ])(
    '%s to %s under writes and back: nothing acknowledged is lost',
    async (from, to) => {
      let job = { id: '' };
      const there = await cache.underWrites(async () => {
        job = await cache.upgrade(to);
        await cache.until(job.id, 'completed');
      });
      const completed = await cache.jobOf(job.id);
      console.info(
        completed.pause_ms,
        completed.failed_connections,
        completed.logs.map(({ message }) => message),
      );
      expect(completed.transitions.map(({ stage }) => stage)).toEqual(upgradeStages);
      expect(completed).toMatchObject({ progress: 100, rollback: { possible: true }, error: null, engine: 'valkey' });
      expect(completed.pause_ms).toEqual(expect.any(Number));
      expect(await cache.client.version()).toMatch(new RegExp(`^${to}\\.`));
      expect(await cache.world.read('cache')).toMatchObject({ version: to, job_id: job.id });
      // They go on from where they were: a full copy is not needed, and might not be readable.
      expect(await cache.client.run(['INFO', 'stats'])).toEqual([expect.stringMatching(/sync_partial_ok:[1-9]/)]);
      const former = (await cache.world.read('cache')).members.filter((one) => one.version === from);
      expect(former.map(({ status }) => status)).toEqual(['running', 'running']);

      const here = await cache.underWrites(async () => {
        expect(await cache.rollBack(job.id)).toBe(202);
        await cache.until(job.id, 'rolled_back');
      });
      console.info('back', (await cache.jobOf(job.id)).rollback_pause_ms);
      expect(await cache.client.version()).toMatch(new RegExp(`^${from}\\.`));
      expect(await cache.client.lost([...there.acknowledged, ...here.acknowledged])).toEqual([]);
      await cache.world.untilIs('cache', 'available');
      expect(await cache.versions()).toEqual([from, from]);
      expect(await cache.rollBack(job.id)).toBe(409);
    },
    900_000,
  );

  test('8.0 to 8.1 to 9.1; the way back ends with a command that the former version does not know', async () => {
    const first = await cache.upgrade('8.1');
    await cache.until(first.id, 'completed');
    const second = await cache.upgrade('9.1');
    await cache.until(second.id, 'completed');
    expect((await cache.jobOf(first.id)).rollback.possible).toBe(false);
    expect(await cache.versions()).toEqual(['8.1', '8.1', '9.1', '9.1']);
    await cache.world.untilIs('cache', 'available');
    expect(await cache.client.run(['HSET', 'hash', 'field', 1, 'other', 2], LATER_COMMAND)).toEqual([2, [1]]);
    await vi.waitFor(
      async () =>
        expect((await cache.jobOf(second.id)).rollback).toMatchObject({
          possible: false,
          reason: expect.stringContaining('a command that it does not know'),
        }),
      { timeout: 60_000, interval: 100 },
    );
    expect(await cache.rollBack(second.id)).toBe(409);
    await vi.waitFor(async () => expect(await cache.versions()).toEqual(['9.1', '9.1']), {
      timeout: 60_000,
      interval: 100,
    });
    expect(await cache.client.run(['HGET', 'hash', 'field'], ['SET', 'later', 1])).toEqual(['1', 'OK']);
  }, 900_000);
});
