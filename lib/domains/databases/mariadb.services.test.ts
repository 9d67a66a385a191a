import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { query } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble } from '@/lib/testing/database-world';
import { startMariadbWorld } from '@/lib/testing/mariadb-world';
import { readCluster, servingMembers } from './cluster/clusters';
import { ask } from './mariadb/connections';

testDatabase();
const trouble = await databaseTrouble(['11.8'], 'mariadb');

describe.skipIf(trouble !== null)(`a cluster of MariaDB${trouble ? ` (skipped: ${trouble})` : ''}`, () => {
  let orders: Awaited<ReturnType<typeof startMariadbWorld>>;
  beforeAll(async () => {
    orders = await startMariadbWorld();
  }, 300_000);
  afterAll(() => orders?.stop(), 120_000);

  /** What every member says, by the platform's own account. */
  async function everywhere(statement: string): Promise<unknown[]> {
    const found = await readCluster(orders.cluster.id);
    if (!found) throw new Error('no cluster');
    return Promise.all(
      servingMembers(found).map((member) => ask(found, member, statement, { timeoutMs: 5_000 }).catch(String)),
    );
  }

  test('has three members, and answers the tenant over TLS that its own CA vouches for', async () => {
    const [version, cipher] = await orders.client.run([
      'SELECT version() AS version',
      "SHOW STATUS LIKE 'Ssl_version'",
    ]);
    expect(version?.rows?.[0]?.version).toMatch(/^11\.8/);
    expect(cipher?.rows?.[0]?.Value).toMatch(/^TLSv1\.[23]$/);
    const { members } = await orders.world.read('orders');
    expect(members.map(({ status }) => status)).toEqual(['running', 'running', 'running']);
  }, 60_000);

  // Three seconds after a kill on an idle machine; tests share theirs.
  test('no acknowledged write is lost when the primary is killed, and another one serves soon', async () => {
    const primary = await orders.world.member(orders.cluster, 'primary');
    const { lost, gap_ms, acknowledged } = await orders.underWrites(async () => {
      await orders.world.signalTo(primary.id, 'SIGKILL');
      await orders.untilAnother(primary.id);
    });
    expect([lost, acknowledged.length > 0]).toEqual([[], true]);
    expect(gap_ms).toBeLessThan(8_000);
    await orders.world.untilIs('orders', 'available');
  }, 180_000);

  test('a cluster of which every member was killed begins again with all that was acknowledged', async () => {
    await orders.client.startWriting();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const members = await query<{ id: string }>(
      sql`SELECT id FROM database_members WHERE cluster_id = ${orders.cluster.id}::uuid`,
    );
    await Promise.all(members.map(({ id }) => orders.world.signalTo(id, 'SIGKILL')));
    await vi.waitFor(async () => expect((await orders.world.read('orders')).status).toBe('degraded'), {
      timeout: 20_000,
    });
    await orders.world.untilIs('orders', 'available');
    const { acknowledged } = await orders.client.stopWriting();
    expect([acknowledged.length > 0, await orders.client.lost(acknowledged)]).toEqual([true, []]);
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
      const [answer] = await orders.client.run([statement]);
      expect(answer?.error ?? JSON.stringify(answer?.rows)).toMatch(refusal);
    },
    60_000,
  );

  // Such a session would change tables on the primary alone; the others would then fail at its rows.
  test('a tenant’s changes of tables come to every member, whatever the session asks for', async () => {
    const answers = await orders.client.run([
      "SET SESSION wsrep_OSU_method = 'RSU'",
      'CREATE TABLE everywhere (a int PRIMARY KEY)',
      'SET SESSION wsrep_OSU_method = 1',
      'ALTER TABLE everywhere ADD COLUMN b int',
      "SET STATEMENT wsrep_OSU_method = 'RSU' FOR CREATE TABLE everywhere_too AS SELECT 1 AS a",
      'INSERT INTO everywhere VALUES (1, 2)',
      'SELECT @@wsrep_OSU_method AS method',
    ]);
    expect(answers.map(({ error }) => error)).toEqual(answers.map(() => undefined));
    expect(answers.at(-1)?.rows).toEqual([{ method: 'TOI' }]);
    await vi.waitFor(
      async () => {
        expect(await everywhere('SELECT a, b FROM app.everywhere')).toEqual([0, 1, 2].map(() => [{ a: 1, b: 2 }]));
        expect(await everywhere('SELECT a FROM app.everywhere_too')).toEqual([0, 1, 2].map(() => [{ a: 1 }]));
      },
      { timeout: 20_000, interval: 100 },
    );
  }, 60_000);

  test.each([
    ['a wrong password', { password: 'wrong' }, /ER_ACCESS_DENIED/],
    ['no encryption', { ssl: null }, /ACCESS_DENIED|secure/i],
    ['another CA', { ssl: { rejectUnauthorized: true } }, /certificate/],
    ['the platform’s account', { user: 'nephele', password: 'guess' }, /ER_ACCESS_DENIED/],
  ])(
    'a connection with %s is refused',
    async (_, change, refusal) => {
      const [answer] = await orders.client.run(['SELECT 1'], change);
      expect(answer?.error).toMatch(refusal);
    },
    60_000,
  );

  test('is deleted without a trace', async () => {
    expect((await orders.world.call('DELETE', orders.world.paths('orders'), orders.world.as)).status).toBe(202);
    await vi.waitFor(
      async () =>
        expect((await orders.world.call('GET', orders.world.paths('orders'), orders.world.as)).status).toBe(404),
      {
        timeout: 60_000,
        interval: 100,
      },
    );
    for (const table of ['database_members', 'service_authorities', 'reservations', 'network_names'])
      expect([table, await query(sql`SELECT FROM ${raw(table)}`)]).toEqual([table, []]);
  }, 120_000);
});
