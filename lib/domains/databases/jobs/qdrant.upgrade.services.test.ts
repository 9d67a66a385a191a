import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble } from '@/lib/testing/database-world';
import { startQdrantUpgrades } from '@/lib/testing/following-upgrades';
import { type EngineVersion, type Preflight, type UpgradeCandidate, upgradeStages } from '../schema';

testDatabase();
const trouble = await databaseTrouble(['0.8', '0.9'], 'qdrant');
if (trouble !== null && process.env.CI) throw new Error(trouble);

describe.skipIf(trouble !== null)(`upgrades of a cluster of Qdrant${trouble ? ` (skipped: ${trouble})` : ''}`, () => {
  let vectors: Awaited<ReturnType<typeof startQdrantUpgrades>>;
  beforeAll(async () => {
    vectors = await startQdrantUpgrades();
  }, 300_000);
  afterAll(() => vectors?.stop(), 120_000);
  const send = (method: string, path: string, body?: unknown) =>
    vectors.client.ask<{ status: number; text: string }>({ kind: 'raw', method, path, body });

  test('the catalogue has both versions, and the older one can be upgraded', async () => {
    const { body } = await vectors.call('GET', '/dbaas/catalog/versions?engine=qdrant');
    expect(body as EngineVersion[]).toMatchObject([
      {
        version: '0.8',
        default: false,
        upgrades_to: ['0.9'],
        program: { name: 'qdrant-0.8', state: expect.any(String) },
      },
      { version: '0.9', default: true, upgrades_to: [], program: { name: 'qdrant-0.9', state: expect.any(String) } },
    ]);
    const candidates = await vectors.call('GET', `${vectors.world.paths('cache')}/upgrade-candidates`);
    expect(candidates.body as UpgradeCandidate[]).toMatchObject([
      { version: '0.9', expected_pause_ms: 1_000, rollback: { possible: true, loses: null } },
    ]);
    expect(await vectors.world.read('cache')).toMatchObject({ version: '0.8', upgrade_available: '0.9' });
  }, 60_000);

  test('preflight names each snapshot that would stay behind, and passes', async () => {
    const checked = async () => {
      const path = `${vectors.world.paths('cache')}/preflight?target_version=0.9`;
      const { passed, checks } = (await vectors.call('GET', path)).body as Preflight;
      return { passed, check: checks.find(({ id }) => id === 'compatibility') };
    };
    expect(await checked()).toMatchObject({ passed: true, check: { status: 'passed' } });
    const made = await send('POST', '/collections/written/snapshots', {});
    const { name } = JSON.parse(made.text).result;
    expect(await checked()).toMatchObject({
      passed: true,
      check: { status: 'warning', details: [expect.stringContaining(`written/${name}`)] },
    });
    await send('DELETE', `/collections/written/snapshots/${name}`);
    expect(await checked()).toMatchObject({ passed: true, check: { status: 'passed' } });
  }, 60_000);

  test('an upgrade that is called off while its member copies leaves the cluster as it was', async () => {
    const { errors } = await vectors.underWrites(async () => {
      const job = await vectors.upgrade('0.9');
      await vectors.until(job.id, 'provisioning');
      expect(await vectors.rollBack(job.id)).toBe(202);
      await vectors.until(job.id, 'rolled_back');
    });
    expect(errors).toBe(0);
    await vectors.world.untilIs('cache', 'available');
    expect(await vectors.versions()).toEqual(['0.8']);
  }, 400_000);

  test('0.8 to 0.9 under writes and back: nothing acknowledged is lost, and no request fails', async () => {
    let job = { id: '' };
    const there = await vectors.underWrites(async () => {
      job = await vectors.upgrade('0.9');
      await vectors.until(job.id, 'completed');
    });
    const completed = await vectors.jobOf(job.id);
    console.info(
      completed.pause_ms,
      completed.failed_connections,
      completed.logs.map(({ message }) => message),
    );
    expect(completed.transitions.map(({ stage }) => stage)).toEqual(upgradeStages);
    expect(completed).toMatchObject({
      progress: 100,
      rollback: { possible: true },
      error: null,
      engine: 'qdrant',
      failed_connections: 0,
      pause_ms: expect.any(Number),
    });
    expect([there.errors, await vectors.client.version()]).toEqual([0, expect.stringMatching(/^0\.9\./)]);
    expect(await vectors.world.read('cache')).toMatchObject({ version: '0.9', job_id: job.id });
    await vi.waitFor(async () => {
      const former = (await vectors.world.read('cache')).members.filter((one) => one.version === '0.8');
      expect(former.map(({ status }) => status)).toEqual(['running']);
    }, 15_000);

    const here = await vectors.underWrites(async () => {
      expect(await vectors.rollBack(job.id)).toBe(202);
      await vectors.until(job.id, 'rolled_back');
    });
    console.info('back', (await vectors.jobOf(job.id)).rollback_pause_ms);
    expect(await vectors.client.version()).toMatch(/^0\.8\./);
    expect(await vectors.client.lost([...there.acknowledged, ...here.acknowledged])).toEqual([]);
    await vectors.world.untilIs('cache', 'available');
    expect(await vectors.versions()).toEqual(['0.8']);
    expect(await vectors.rollBack(job.id)).toBe(409);
  }, 900_000);

  test('a setting that only 0.9 knows ends the way back, with the reason, and the former member goes', async () => {
    const job = await vectors.upgrade('0.9');
    await vectors.until(job.id, 'completed');
    const created = await send('PUT', '/collections/later', { vectors: { size: 2, distance: 'Dot', memory: 'cold' } });
    expect([created.status, created.text]).toEqual([200, expect.anything()]);
    await vi.waitFor(
      async () =>
        expect((await vectors.jobOf(job.id)).rollback).toMatchObject({
          possible: false,
          reason: expect.stringMatching(/^Qdrant 0\.8 refuses what the new version has: .*memory/),
        }),
      { timeout: 60_000, interval: 100 },
    );
    expect(await vectors.rollBack(job.id)).toBe(409);
    await vi.waitFor(async () => expect(await vectors.versions()).toEqual(['0.9']), { timeout: 60_000, interval: 100 });
    expect((await send('GET', '/collections/later')).status).toBe(200);
    expect(await vectors.world.read('cache')).toMatchObject({ version: '0.9', upgrade_available: null });
  }, 400_000);
});
