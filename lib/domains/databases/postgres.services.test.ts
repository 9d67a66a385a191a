import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { query, queryOne } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { each } from '@/lib/core/domains/domain';
import { LogCollector } from '@/lib/domains/observability/logs/collect';
import { waitFor } from '@/lib/engines/local/turns';
import { sampleServices } from '@/lib/hosts/services/samples';
import { ownCell } from '@/lib/settings';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble, startDatabaseWorld, type Written } from '@/lib/testing/database-world';
import type { Cluster } from './cluster/clusters';
import { endpointOf } from './cluster/specs';
import { databases } from './domain';
import { endpointStats } from './endpoint/endpoint';
import type { DatabaseClusterWithCredentials } from './schema';
import { databaseServices } from './work';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

testDatabase();
const trouble = await databaseTrouble(['18']);
if (trouble !== null && process.env.CI) throw new Error(trouble);

type World = Awaited<ReturnType<typeof startDatabaseWorld>>;
type Client = Awaited<ReturnType<World['connect']>>;

describe.skipIf(trouble !== null)(`a cluster of PostgreSQL${trouble ? ` (skipped: ${trouble})` : ''}`, () => {
  let world: World;
  let cluster: DatabaseClusterWithCredentials;
  let client: Client;
  beforeAll(async () => {
    world = await startDatabaseWorld();
    const began = performance.now();
    cluster = await world.create({ name: 'orders' });
    console.info(`created in ${Math.round(performance.now() - began)} ms`, await world.stages(cluster));
    client = await world.connect(cluster);
  }, 300_000);
  afterAll(async () => {
    client?.end();
    await world?.stop();
  }, 120_000);

  test('answers the tenant over TLS that its own CA vouches for', async () => {
    const [made, version] = await client.run(['CREATE TABLE written (value text PRIMARY KEY)', 'SELECT version()']);
    expect(made).toEqual({ rows: [] });
    expect(version?.rows?.[0]?.version).toMatch(/^PostgreSQL 18/);
  }, 60_000);

  /** How many connections are at the endpoint's process. */
  const atTheProcess = async () => {
    const [row] = await query<Cluster>(
      sql`SELECT id, cell_id, engine FROM database_clusters WHERE id = ${cluster.id}::uuid`,
    );
    if (!row) throw new Error('the cluster is gone');
    const stats = await endpointStats(endpointOf({ ...row, network_id: '', address: '' }));
    return Number(stats?.get('clients/FRONTEND')?.scur);
  };

  test('clients get straight to the primary, with whatever they ask for', async () => {
    const [asked] = await client.run([
      `SELECT host(inet_client_addr()) AS seen, length(repeat('x', 20000000)) AS size, repeat('y', 5000000) AS text`,
    ]);
    const { seen, size, text } = asked?.rows?.[0] ?? {};
    expect([seen, size, String(text).length]).toEqual([cluster.endpoint?.host, 20_000_000, 5_000_000]);
    await client.startWriting();
    await pause(300);
    expect(await atTheProcess()).toBe(0);
    const { errors } = await client.stopWriting();
    expect(errors).toBe(0);
  }, 60_000);

  /** Writes while something happens, and what became of it. */
  async function underWrites(happens: () => Promise<void>, seconds = 2): Promise<Written & { lost: string[] }> {
    await world.untilIs('orders', 'available');
    await client.startWriting();
    await pause(1_000);
    await happens();
    await pause(seconds * 1_000);
    const written = await client.stopWriting();
    const lost = await client.lost(written.acknowledged);
    const { acknowledged, ...figures } = written;
    console.info(expect.getState().currentTestName, {
      ...figures,
      acknowledged: acknowledged.length,
      lost: lost.length,
    });
    return { ...written, lost };
  }
  const untilAnother = (id: string) =>
    vi.waitFor(async () => expect((await world.member(cluster, 'primary')).id).not.toBe(id), {
      timeout: 60_000,
      interval: 20,
    });

  // A second after a kill and five after a hang or a cut, on an idle machine; tests share theirs.
  test.each([
    ['is killed', ({ id }: { id: string }) => world.signalTo(id, 'SIGKILL'), 4_000],
    ['hangs', ({ id }: { id: string }) => world.signalTo(id, 'SIGSTOP'), 9_000],
    ['is cut off', ({ port_id }: { port_id: string }) => world.setLink(port_id, 'down'), 9_000],
  ])(
    'no acknowledged write is lost when the primary %s, and another one serves soon',
    async (_, fail, most) => {
      const primary = await world.member(cluster, 'primary');
      const { lost, gap_ms, acknowledged } = await underWrites(async () => {
        await fail(primary);
        await untilAnother(primary.id);
      }).finally(() => world.setLink(primary.port_id, 'up'));
      expect([lost, acknowledged.length > 0]).toEqual([[], true]);
      expect(gap_ms).toBeLessThan(most);
      // The former primary follows the new one, with its data copied anew.
      await world.untilIs('orders', 'available');
      expect((await world.member(cluster, 'standby')).id).toBe(primary.id);
    },
    180_000,
  );

  test.each([
    ['is killed', 'SIGKILL'],
    ['hangs', 'SIGSTOP'],
  ] as const)(
    'writes go on when the standby %s, and it catches up',
    async (_, signal) => {
      const standby = await world.member(cluster, 'standby');
      const { lost, gap_ms } = await underWrites(() => world.signalTo(standby.id, signal), 6);
      expect([lost, (await world.member(cluster, 'standby')).id]).toEqual([[], standby.id]);
      expect(gap_ms).toBeLessThan(6_000);
      await world.untilIs('orders', 'available');
    },
    180_000,
  );

  test('a client that only waits for an answer learns that its primary is cut off', async () => {
    await world.untilIs('orders', 'available');
    const { port_id } = await world.member(cluster, 'primary');
    const answer = client.run(['SELECT pg_sleep(60)']);
    // After this time the primary has the question, and the client nothing to repeat.
    await pause(1_500);
    await world.setLink(port_id, 'down');
    const [said] = await answer;
    await world.setLink(port_id, 'up');
    expect(said?.error).toMatch(/ECONNRESET|terminated unexpectedly/);
    await world.untilIs('orders', 'available');
  }, 90_000);

  test('a planned switch loses nothing, and connections wait instead of being refused', async () => {
    const primary = await world.member(cluster, 'primary');
    const { lost, gap_ms, messages } = await underWrites(async () => {
      const { status, text } = await world.call('POST', `${world.paths('orders')}/failover`, world.as);
      expect([status, text]).toMatchObject([202, expect.anything()]);
      // An available cluster accepts the next change, so the switch must have ended.
      const settled = await waitFor(
        async () => {
          const now = await queryOne<{ status: string; switch: string }>(sql`SELECT c.status, o.status AS switch
            FROM database_clusters c JOIN operations o ON o.resource_id = c.id AND o.kind = 'database_cluster.switch_primary'
            WHERE c.id = ${cluster.id}::uuid ORDER BY o.id DESC LIMIT 1`);
          return now?.status !== 'failing_over' && now;
        },
        { timeoutMs: 90_000, everyMs: 5 },
      );
      expect(settled).toEqual({ status: 'available', switch: 'succeeded' });
      await untilAnother(primary.id);
    });
    expect(lost).toEqual([]);
    expect(gap_ms).toBeLessThan(5_000);
    // Open connections end, by an administrator's command as PostgreSQL says; no new one is refused.
    for (const message of Object.keys(messages)) expect(message).toMatch(/57P01|not queryable/i);
    expect((await world.member(cluster, 'standby')).id).toBe(primary.id);
  }, 180_000);

  test('the endpoint is back after it was killed, and leads to the primary', async () => {
    const { lost } = await underWrites(() => world.signalTo(cluster.id, 'SIGKILL'), 4);
    expect(lost).toEqual([]);
  }, 180_000);

  test.each([
    ["COPY (SELECT 1) TO PROGRAM 'id'", /permission denied/],
    ["COPY written FROM '/etc/passwd'", /permission denied/],
    ["SELECT pg_read_file('/etc/service/superuser.password')", /permission denied/],
    ["SELECT pg_ls_dir('/')", /permission denied/],
    ["SELECT lo_import('/etc/passwd')", /permission denied/],
    ["CREATE FUNCTION f() RETURNS int LANGUAGE c AS 'libc', 'system'", /permission denied/],
    ['CREATE EXTENSION plpython3u', /permission denied|could not open|not available/],
    ['CREATE EXTENSION file_fdw', /permission denied|not available/],
    ['CREATE EXTENSION dblink', /permission denied|not available/],
    ['CREATE EXTENSION postgres_fdw', /permission denied|not available/],
    ["CREATE SUBSCRIPTION s CONNECTION 'host=10.0.0.1 dbname=x' PUBLICATION p", /permission denied|must be superuser/],
    ["ALTER SYSTEM SET archive_command = 'id'", /permission denied/],
    ['SET session_authorization = nephele', /permission denied/],
    ['SET ROLE nephele', /permission denied/],
    ['GRANT pg_execute_server_program TO app', /permission denied|must have admin option/],
    ['CREATE ROLE other SUPERUSER', /permission denied/],
    ["LOAD '/state/data/x.so'", /permission denied|access to library/],
    ['SELECT rolpassword FROM pg_authid', /permission denied/],
    ['SELECT pg_promote()', /permission denied/],
    ['CREATE DATABASE other', /permission denied/],
  ])(
    'a tenant is refused: %s',
    async (statement, refusal) => {
      const [answer] = await client.run([statement]);
      expect(answer?.error ?? JSON.stringify(answer?.rows)).toMatch(refusal);
    },
    60_000,
  );

  test.each([
    ['a wrong password', { password: 'wrong' }, /28P01/],
    ['no encryption', { ssl: false }, /28000/],
    ['another CA', { ssl: { rejectUnauthorized: true } }, /certificate/],
    ['the platform’s role', { user: 'nephele', password: 'guess' }, /28000|28P01/],
    ['the database of the platform', { database: 'postgres' }, /permission denied/],
  ])(
    'a connection with %s is refused',
    async (_, change, refusal) => {
      const [answer] = await client.run(['SELECT 1'], change);
      expect(answer?.error).toMatch(refusal);
    },
    60_000,
  );

  test('members answer only the endpoint', async () => {
    const rows = await query<{ ip: string }>(
      sql`SELECT host(p.ip) AS ip FROM database_members m JOIN ports p ON p.device_id = m.id WHERE m.cluster_id = ${cluster.id}::uuid`,
    );
    for (const { ip } of rows) {
      const [answer] = await client.run(['SELECT 1'], { host: ip });
      expect(answer?.error).toMatch(/28000 no pg_hba.conf entry/);
    }
  }, 60_000);

  test('reads at the read endpoint come from a standby', async () => {
    const [answer] = await client.run(['SELECT pg_is_in_recovery() AS standby'], { port: cluster.read_endpoint?.port });
    expect(answer).toEqual({ rows: [{ standby: true }] });
  }, 60_000);

  test('a new password takes the place of the former one', async () => {
    const { body } = await world.call('POST', `${world.paths('orders')}/reset-password`, world.as);
    const { password } = (body as DatabaseClusterWithCredentials).credentials;
    await world.untilIs('orders', 'available');
    expect(await client.run(['SELECT 1 AS one'])).toMatchObject([{ error: expect.stringMatching(/28P01/) }]);
    expect(await client.run(['SELECT 1 AS one'], { password })).toEqual([{ rows: [{ one: 1 }] }]);
  }, 60_000);

  test('its lines are in its log, and its metrics are those of the cluster', async () => {
    const collector = new LogCollector(ownCell(), each(databases.logs));
    await vi.waitFor(
      async () => {
        await collector.look();
        const logql = encodeURIComponent('{service="database", resource_name="orders"} |= "ready to accept"');
        const { body } = await world.call('GET', `/observability/logs?query=${logql}`, world.as);
        expect((body as { data: { result: unknown[] } }).data.result.length).toBeGreaterThan(0);
      },
      { timeout: 60_000, interval: 200 },
    );
    await collector.end();
    await sampleServices(ownCell(), [databaseServices]);
    const { body } = await world.call(
      'GET',
      '/observability/prometheus/api/v1/query?query=nephele_database_cluster_disk_used_bytes',
      world.as,
    );
    const { result } = (body as { data: { result: { metric: { member: string } }[] } }).data;
    expect(result.map(({ metric }) => metric.member).toSorted()).toEqual(['orders-1', 'orders-2']);
  }, 60_000);

  test('is deleted without a trace', async () => {
    expect((await world.call('DELETE', world.paths('orders'), world.as)).status).toBe(202);
    await vi.waitFor(async () => expect((await world.call('GET', world.paths('orders'), world.as)).status).toBe(404), {
      timeout: 60_000,
      interval: 100,
    });
    // The agent may be checking the last backup.
    await vi.waitFor(async () => expect(await world.services.observeServices()).toHaveLength(1), { timeout: 60_000 });
    for (const table of ['database_members', 'service_authorities', 'reservations', 'network_names'])
      expect([table, await query(sql`SELECT FROM ${raw(table)}`)]).toEqual([table, []]);
  }, 180_000);
});
