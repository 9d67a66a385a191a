import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { query } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble, startDatabaseWorld, type Written } from '@/lib/testing/database-world';
import type { DatabaseClusterWithCredentials } from './schema';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

testDatabase();
const trouble = await databaseTrouble(['11.8'], 'mariadb');
if (trouble !== null && process.env.CI) throw new Error(trouble);

type World = Awaited<ReturnType<typeof startDatabaseWorld>>;
type Client = Awaited<ReturnType<World['connect']>>;

describe.skipIf(trouble !== null)(`a cluster of MariaDB${trouble ? ` (skipped: ${trouble})` : ''}`, () => {
  let world: World;
  let cluster: DatabaseClusterWithCredentials;
  let client: Client;
  beforeAll(async () => {
    world = await startDatabaseWorld('mysql');
    const began = performance.now();
    cluster = await world.create({ name: 'orders' });
    console.info(`created in ${Math.round(performance.now() - began)} ms`, await world.stages(cluster));
    client = await world.connect(cluster);
  }, 300_000);
  afterAll(async () => {
    client?.end();
    await world?.stop();
  }, 120_000);

  test('has three members, and answers the tenant over TLS that its own CA vouches for', async () => {
    const [made, version] = await client.run([
      'CREATE TABLE written (value varchar(100) PRIMARY KEY)',
      'SELECT version() AS version',
    ]);
    expect(made).toEqual({ rows: [] });
    expect(version?.rows?.[0]?.version).toMatch(/^11\.8/);
    expect((await world.read('orders')).members.map(({ status }) => status)).toEqual(['running', 'running', 'running']);
  }, 60_000);

  /** Writes while something happens, and what became of it. */
  async function underWrites(happens: () => Promise<void>): Promise<Written & { lost: string[] }> {
    await world.untilIs('orders', 'available');
    await client.startWriting();
    await pause(1_000);
    await happens();
    await pause(3_000);
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

  // Three seconds after a kill and five after a hang or a cut, on an idle machine; tests share theirs.
  test.each([
    ['is killed', ({ id }: { id: string }) => world.signalTo(id, 'SIGKILL'), 6_000],
    ['hangs', ({ id }: { id: string }) => world.signalTo(id, 'SIGSTOP'), 9_000],
    ['is cut off', ({ port_id }: { port_id: string }) => world.setLink(port_id, 'down'), 9_000],
  ])(
    'no acknowledged write is lost when the primary %s, and another one serves soon',
    async (_, fail, most) => {
      const primary = await world.member(cluster, 'primary');
      const { lost, gap_ms, acknowledged } = await underWrites(async () => {
        await fail(primary);
        await untilAnother(primary.id);
      });
      await world.setLink(primary.port_id, 'up');
      expect([lost, acknowledged.length > 0]).toEqual([[], true]);
      expect(gap_ms).toBeLessThan(most);
      await world.untilIs('orders', 'available');
    },
    180_000,
  );

  test('a planned switch loses nothing, and new connections wait', async () => {
    const primary = await world.member(cluster, 'primary');
    const { lost, gap_ms } = await underWrites(async () => {
      const { status } = await world.call('POST', `${world.paths('orders')}/failover`, world.as);
      expect(status).toBe(202);
      await untilAnother(primary.id);
      await world.untilIs('orders', 'available');
    });
    expect(lost).toEqual([]);
    expect(gap_ms).toBeLessThan(5_000);
  }, 180_000);

  test('a cluster of which every member was killed begins again with all that was acknowledged', async () => {
    await client.startWriting();
    await pause(1_000);
    const members = await query<{ id: string }>(
      sql`SELECT id FROM database_members WHERE cluster_id = ${cluster.id}::uuid`,
    );
    await Promise.all(members.map(({ id }) => world.signalTo(id, 'SIGKILL')));
    await vi.waitFor(async () => expect((await world.read('orders')).status).toBe('degraded'), { timeout: 20_000 });
    await world.untilIs('orders', 'available');
    const { acknowledged } = await client.stopWriting();
    expect([acknowledged.length > 0, await client.lost(acknowledged)]).toEqual([true, []]);
  }, 180_000);

  test.each([
    ["SELECT LOAD_FILE('/etc/service/superuser.password') AS content", /^\[\{"content":null\}\]$/],
    ["SELECT 1 INTO OUTFILE '/state/x'", /Access denied/],
    ["LOAD DATA INFILE '/etc/passwd' INTO TABLE written", /Access denied/],
    ["LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE written", /not allowed|disabled|infile/i],
    ["CREATE FUNCTION sys_exec RETURNS INTEGER SONAME 'x.so'", /Access denied|denied/],
    ["INSTALL SONAME 'ha_connect'", /denied/],
    ["CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (HOST '10.0.0.1')", /denied/],
    ['CREATE TABLE f (a int) ENGINE=FEDERATED', /Unknown storage engine|disabled/],
    ['CREATE TABLE m (a int) ENGINE=MyISAM', /ER_OPTION_PREVENTS_STATEMENT/],
    // Harmless: the server ignores the folder.
    ["CREATE TABLE d (a int) DATA DIRECTORY='/tmp'", /^\[\]$/],
    ['SET GLOBAL wsrep_on = OFF', /denied/],
    ['SET SESSION wsrep_on = OFF', /denied/],
    ['SET SESSION sql_log_bin = 0', /denied/],
    ['SET GLOBAL general_log_file = "/state/x"', /denied/],
    ['SELECT * FROM mysql.global_priv', /denied/],
    ["CREATE USER other IDENTIFIED BY 'x'", /denied/],
    ['GRANT SUPER ON *.* TO CURRENT_USER()', /denied/],
    ['CREATE DATABASE other', /denied/],
    ['FLUSH TABLES WITH READ LOCK', /denied/],
    ['SHUTDOWN', /denied/],
  ])(
    'a tenant is refused: %s',
    async (statement, refusal) => {
      const [answer] = await client.run([statement]);
      expect(answer?.error ?? JSON.stringify(answer?.rows)).toMatch(refusal);
    },
    60_000,
  );

  // Not refused yet: such a session changes tables on the primary alone.
  test.fails('a tenant is refused changes of tables on one member', async () => {
    const [answer] = await client.run(["SET SESSION wsrep_OSU_method = 'RSU'"]);
    expect(answer?.error).toMatch(/denied/);
  });

  test.each([
    ['a wrong password', { password: 'wrong' }, /ER_ACCESS_DENIED/],
    ['no encryption', { ssl: null }, /ACCESS_DENIED|secure/i],
    ['another CA', { ssl: { rejectUnauthorized: true } }, /certificate/],
    ['the platform’s account', { user: 'nephele', password: 'guess' }, /ER_ACCESS_DENIED/],
  ])(
    'a connection with %s is refused',
    async (_, change, refusal) => {
      const [answer] = await client.run(['SELECT 1'], change);
      expect(answer?.error).toMatch(refusal);
    },
    60_000,
  );

  test('a new password takes the place of the former one', async () => {
    const { body } = await world.call('POST', `${world.paths('orders')}/reset-password`, world.as);
    const { password } = (body as DatabaseClusterWithCredentials).credentials;
    await world.untilIs('orders', 'available');
    expect(await client.run(['SELECT 1 AS one'])).toMatchObject([{ error: expect.stringMatching(/ACCESS_DENIED/) }]);
    expect(await client.run(['SELECT 1 AS one'], { password })).toEqual([{ rows: [{ one: 1 }] }]);
  }, 60_000);

  test('is deleted without a trace', async () => {
    expect((await world.call('DELETE', world.paths('orders'), world.as)).status).toBe(202);
    await vi.waitFor(async () => expect((await world.call('GET', world.paths('orders'), world.as)).status).toBe(404), {
      timeout: 60_000,
      interval: 100,
    });
    for (const table of ['database_members', 'service_authorities', 'reservations', 'network_names'])
      expect([table, await query(sql`SELECT FROM ${raw(table)}`)]).toEqual([table, []]);
  }, 120_000);
});
