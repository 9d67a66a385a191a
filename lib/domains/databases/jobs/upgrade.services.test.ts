import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { waitFor } from '@/lib/engines/local/turns';
import { ownCell } from '@/lib/settings';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble, startDatabaseWorld } from '@/lib/testing/database-world';
import { keepBackups } from '../backups/work';
import {
  type Backup,
  type DatabaseCluster,
  type DatabaseClusterWithCredentials,
  type DatabaseJob,
  type Preflight,
  upgradeStages,
} from '../schema';

testDatabase();
const trouble = await databaseTrouble(['16', '18']);
if (trouble !== null && process.env.CI) throw new Error(trouble);

type World = Awaited<ReturnType<typeof startDatabaseWorld>>;
type Client = Awaited<ReturnType<World['connect']>>;

describe.skipIf(trouble !== null)(
  `upgrades of a cluster of PostgreSQL${trouble ? ` (skipped: ${trouble})` : ''}`,
  () => {
    let world: World;
    let cluster: DatabaseClusterWithCredentials;
    let client: Client;
    beforeAll(async () => {
      world = await startDatabaseWorld();
      cluster = await world.create({ name: 'orders', version: '16', storage_gb: 2 });
      client = await world.connect(cluster);
      await client.run([
        'CREATE TABLE written (value text PRIMARY KEY)',
        'CREATE TABLE numbered (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY)',
        'INSERT INTO numbered SELECT FROM generate_series(1, 100)',
      ]);
    }, 240_000);
    afterAll(async () => {
      client?.end();
      await world?.stop();
    }, 120_000);

    const jobOf = async (id: string) => (await world.call('GET', `/dbaas/jobs/${id}`, world.as)).body as DatabaseJob;
    const until = async (id: string, stage: string, timeoutMs = 180_000): Promise<DatabaseJob> => {
      await waitFor(async () => ['completed', 'rolled_back', 'failed', stage].includes((await jobOf(id)).stage), {
        timeoutMs,
        everyMs: 50,
      });
      const job = await jobOf(id);
      if (job.stage !== stage) throw new Error(JSON.stringify(job, null, 1));
      return job;
    };
    const upgrade = async (target_version: string): Promise<DatabaseJob> => {
      const answer = await world.call('POST', `${world.paths('orders')}/upgrade`, {
        ...world.as,
        body: { target_version },
      });
      if (answer.status !== 202) throw new Error(answer.text);
      return answer.body as DatabaseJob;
    };
    const version = async () => (await client.run(['SHOW server_version_num']))[0]?.rows?.[0]?.server_version_num;

    test('preflight names a table without identity, and the upgrade is refused with it', async () => {
      await client.run(['CREATE TABLE bare (x int)']);
      const found = (await world.call('GET', `${world.paths('orders')}/preflight?target_version=18`, world.as))
        .body as Preflight;
      expect(found.passed).toBe(false);
      expect(found.checks.map(({ id, status }) => `${id} ${status}`)).toEqual([
        'certified_path passed',
        'cluster_health passed',
        'fresh_backup warning',
        'capacity passed',
        'compatibility failed',
      ]);
      expect(found.checks[4]?.details).toEqual([expect.stringMatching(/public\.bare of app/)]);
      const refused = await world.call('POST', `${world.paths('orders')}/upgrade`, {
        ...world.as,
        body: { target_version: '18' },
      });
      expect(refused).toMatchObject({ status: 409 });
      expect(refused.text).toContain('compatibility');
      await client.run(['DROP TABLE bare']);
    }, 120_000);

    test('a backup is made on request, restored as a check, and makes the preflight pass', async () => {
      const asked = await world.call('POST', `${world.paths('orders')}/backups`, world.as);
      expect(asked.status).toBe(202);
      const listed = async () =>
        (await world.call('GET', `${world.paths('orders')}/backups`, world.as)).body as Backup[];
      await waitFor(async () => !['pending', 'running'].includes((await listed())[0]?.status ?? ''), {
        timeoutMs: 60_000,
        everyMs: 50,
      });
      expect(await listed()).toMatchObject([
        { kind: 'manual', status: 'available', version: '16', status_reason: null, cluster_deleted: false },
      ]);
      await keepBackups(ownCell());
      await vi.waitFor(
        async () =>
          expect(await listed()).toMatchObject([{ status_reason: null, verified_at: expect.stringMatching(/^20/) }]),
        { timeout: 60_000, interval: 100 },
      );
      const found = (await world.call('GET', `${world.paths('orders')}/preflight?target_version=18`, world.as))
        .body as Preflight;
      expect(found).toMatchObject({ passed: true });
      expect(found.checks[2]).toMatchObject({ id: 'fresh_backup', status: 'passed' });
    }, 120_000);

    test('16 to 18 under writes and back: nothing acknowledged is lost', async () => {
      await client.startWriting(2);
      const job = await upgrade('18');
      const completed = await until(job.id, 'completed');
      expect(completed.transitions.map(({ stage }) => stage)).toEqual(upgradeStages);
      expect(completed).toMatchObject({ progress: 100, rollback: { possible: true }, error: null });
      await world.untilIs('orders', 'available');
      const there = await client.stopWriting();
      console.info(
        'upgrade',
        completed.pause_ms,
        { ...there, acknowledged: there.acknowledged.length },
        completed.logs.map(({ message }) => message),
      );
      expect(Number(await version())).toBeGreaterThanOrEqual(180_000);
      expect(await client.lost(there.acknowledged)).toEqual([]);
      const after = await world.read('orders');
      expect(after).toMatchObject({ version: '18', job_id: job.id });

      // As if the standby was still being copied when the new version began to serve.
      const standby = after.members.find(({ version, role }) => version === '16' && role === 'standby')?.name;
      await execute(sql`UPDATE database_members m SET in_sync = false, status = 'catching_up' FROM database_clusters c
        WHERE c.id = m.cluster_id AND c.name = 'orders' AND m.version = '16' AND m.role = 'standby'`);
      await vi.waitFor(
        async () =>
          expect((await world.read('orders')).members.find(({ name }) => name === standby)).toMatchObject({
            version: '16',
            status: 'running',
            lag_bytes: 0,
          }),
        { timeout: 30_000, interval: 50 },
      );

      await client.startWriting(2);
      const asked = await world.call('POST', `/dbaas/jobs/${job.id}/rollback`, world.as);
      expect(asked.status).toBe(202);
      const back = await until(job.id, 'rolled_back');
      await world.untilIs('orders', 'available');
      const here = await client.stopWriting();
      console.info('roll back', back.rollback_pause_ms, { ...here, acknowledged: here.acknowledged.length });
      expect(here.acknowledged.length).toBeGreaterThan(100);
      expect(Number(await version())).toBeLessThan(170_000);
      expect(await client.lost([...there.acknowledged, ...here.acknowledged])).toEqual([]);
      const left = (await world.call('GET', world.paths('orders'), world.as)).body as DatabaseCluster;
      expect(left.members.map((one) => one.version)).toEqual(['16', '16']);
      const again = await world.call('POST', `/dbaas/jobs/${job.id}/rollback`, world.as);
      expect(again.status).toBe(409);
    }, 400_000);

    test('an upgrade that is called off while it copies leaves the cluster as it was', async () => {
      const job = await upgrade('18');
      await until(job.id, 'replicating');
      expect((await world.call('POST', `/dbaas/jobs/${job.id}/rollback`, world.as)).status).toBe(202);
      await until(job.id, 'rolled_back');
      await world.untilIs('orders', 'available');
      const [schemas] = await client.run([`SELECT count(*)::int AS n FROM pg_namespace WHERE nspname LIKE 'nephele%'`]);
      expect(schemas?.rows).toEqual([{ n: 0 }]);
      expect((await world.read('orders')).members.map((one) => one.version)).toEqual(['16', '16']);
    }, 300_000);
  },
);
