import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { waitFor } from '@/lib/engines/local/turns';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble, startDatabaseWorld } from '@/lib/testing/database-world';
import { connectValkey } from '@/lib/testing/valkey-connection';
import { type DatabaseCluster, type DatabaseJob, type Preflight, upgradeStages } from '../schema';

testDatabase();
const trouble = await databaseTrouble(['8.0', '8.1', '9.1'], 'valkey');
if (trouble !== null && process.env.CI) throw new Error(trouble);

/** What the version before 9.0 does not know. */
const LATER_COMMAND = ['HEXPIRE', 'hash', 100_000, 'FIELDS', 1, 'field'];

describe.skipIf(trouble !== null)(`upgrades of a cluster of Valkey${trouble ? ` (skipped: ${trouble})` : ''}`, () => {
  let world: Awaited<ReturnType<typeof startDatabaseWorld>>;
  let client: Awaited<ReturnType<typeof connectValkey>>;
  beforeAll(async () => {
    world = await startDatabaseWorld('valkey');
    const cluster = await world.create({ name: 'cache', version: '8.0' });
    client = await connectValkey(world, cluster);
  }, 300_000);
  afterAll(async () => {
    client?.end();
    await world?.stop();
  }, 120_000);

  const call = (method: 'GET' | 'POST', path: string, body?: object) =>
    world.call(method, path, { ...world.as, ...(body && { body }) });
  const jobOf = async (id: string) => (await call('GET', `/dbaas/jobs/${id}`)).body as DatabaseJob;
  async function until(id: string, stage: string): Promise<DatabaseJob> {
    await waitFor(async () => ['completed', 'rolled_back', 'failed', stage].includes((await jobOf(id)).stage), {
      timeoutMs: 300_000,
      everyMs: 50,
    });
    const job = await jobOf(id);
    if (job.stage === stage) return job;
    throw new Error(JSON.stringify([job, await world.read('cache')], null, 1));
  }
  async function upgrade(target_version: string): Promise<DatabaseJob> {
    await world.untilIs('cache', 'available');
    const answer = await call('POST', `${world.paths('cache')}/upgrade`, { target_version });
    if (answer.status !== 202) throw new Error(answer.text);
    return answer.body as DatabaseJob;
  }
  const rollBack = async (id: string) => (await call('POST', `/dbaas/jobs/${id}/rollback`)).status;
  const version = async () => {
    const [info] = await client.run(['INFO', 'server']);
    return /valkey_version:([\d.]+)/.exec(String(info))?.[1];
  };
  const versions = async () =>
    ((await call('GET', world.paths('cache'))).body as DatabaseCluster).members.map((one) => one.version);

  /** Writes while something happens. @returns what was acknowledged, all of which is there */
  async function underWrites(happens: () => Promise<void>): Promise<string[]> {
    await client.startWriting();
    await happens();
    const { acknowledged, ...figures } = await client.stopWriting();
    const lost = await client.lost(acknowledged);
    console.info(expect.getState().currentTestName, {
      ...figures,
      acknowledged: acknowledged.length,
      lost: lost.length,
    });
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(lost).toEqual([]);
    return acknowledged;
  }

  test('preflight names a library of functions that a later version cannot run, and the upgrade is refused', async () => {
    const library = (body: string) => [
      'FUNCTION',
      'LOAD',
      'REPLACE',
      `#!lua name=own\nserver.register_function('answer', function() ${body} end)`,
    ];
    expect(await client.run(library('return getfenv() and 42'))).toEqual(['own']);
    const checked = async () => {
      const path = `${world.paths('cache')}/preflight?target_version=9.1`;
      const { passed, checks } = (await call('GET', path)).body as Preflight;
      return { passed, check: checks.find(({ id }) => id === 'compatibility') };
    };
    expect(await checked()).toMatchObject({
      passed: false,
      check: { status: 'failed', details: [expect.stringMatching(/library of functions own uses getfenv/)] },
    });
    const refused = await call('POST', `${world.paths('cache')}/upgrade`, { target_version: '9.1' });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('getfenv')]);
    expect(await client.run(library('return 42 -- not getfenv\n'))).toEqual(['own']);
    expect(await checked()).toMatchObject({ passed: true, check: { status: 'passed' } });
    await client.run(['EVAL', 'return 1', 0]);
    expect(await checked()).toMatchObject({
      passed: true,
      check: { status: 'warning', details: [expect.stringMatching(/scripts of EVAL/)] },
    });
  }, 120_000);

  test('an upgrade that is called off while its members copy leaves the cluster as it was', async () => {
    await underWrites(async () => {
      const job = await upgrade('9.1');
      await until(job.id, 'provisioning');
      expect(await rollBack(job.id)).toBe(202);
      await until(job.id, 'rolled_back');
    });
    await world.untilIs('cache', 'available');
    expect(await versions()).toEqual(['8.0', '8.0']);
  }, 400_000);

  test.each([
    ['8.0', '9.1'],
    ['8.0', '8.1'],
  ])(
    '%s to %s under writes and back: nothing acknowledged is lost',
    async (from, to) => {
      let job = { id: '' };
      const there = await underWrites(async () => {
        job = await upgrade(to);
        await until(job.id, 'completed');
      });
      const completed = await jobOf(job.id);
      console.info(
        completed.pause_ms,
        completed.failed_connections,
        completed.logs.map(({ message }) => message),
      );
      expect(completed.transitions.map(({ stage }) => stage)).toEqual(upgradeStages);
      expect(completed).toMatchObject({ progress: 100, rollback: { possible: true }, error: null, engine: 'valkey' });
      expect(completed.pause_ms).toEqual(expect.any(Number));
      expect(await version()).toMatch(new RegExp(`^${to}\\.`));
      expect(await world.read('cache')).toMatchObject({ version: to, job_id: job.id });
      // They go on from where they were: a full copy is not needed, and might not be readable.
      expect(await client.run(['INFO', 'stats'])).toEqual([expect.stringMatching(/sync_partial_ok:[1-9]/)]);
      const former = (await world.read('cache')).members.filter((one) => one.version === from);
      expect(former.map(({ status }) => status)).toEqual(['running', 'running']);

      const here = await underWrites(async () => {
        expect(await rollBack(job.id)).toBe(202);
        await until(job.id, 'rolled_back');
      });
      console.info('back', (await jobOf(job.id)).rollback_pause_ms);
      expect(await version()).toMatch(new RegExp(`^${from}\\.`));
      expect(await client.lost([...there, ...here])).toEqual([]);
      await world.untilIs('cache', 'available');
      expect(await versions()).toEqual([from, from]);
      expect(await rollBack(job.id)).toBe(409);
    },
    900_000,
  );

  test('8.0 to 8.1 to 9.1; the way back ends with a command that the former version does not know', async () => {
    const first = await upgrade('8.1');
    await until(first.id, 'completed');
    const second = await upgrade('9.1');
    await until(second.id, 'completed');
    expect((await jobOf(first.id)).rollback.possible).toBe(false);
    expect(await versions()).toEqual(['8.1', '8.1', '9.1', '9.1']);
    await world.untilIs('cache', 'available');
    expect(await client.run(['HSET', 'hash', 'field', 1, 'other', 2], LATER_COMMAND)).toEqual([2, [1]]);
    await vi.waitFor(
      async () =>
        expect((await jobOf(second.id)).rollback).toMatchObject({
          possible: false,
          reason: expect.stringContaining('a command that it does not know'),
        }),
      { timeout: 60_000, interval: 100 },
    );
    expect(await rollBack(second.id)).toBe(409);
    await vi.waitFor(async () => expect(await versions()).toEqual(['9.1', '9.1']), { timeout: 60_000, interval: 100 });
    expect(await client.run(['HGET', 'hash', 'field'], ['SET', 'later', 1])).toEqual(['1', 'OK']);
  }, 900_000);
});
