import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type MajorServer, startMajor } from '@/lib/testing/postgres-majors';
import { using } from '../side';
import { checkCompatibility } from './compatibility';
import { REMOVED } from './removed';

let server: MajorServer;
beforeAll(async () => {
  server = await startMajor(14, ['max_prepared_transactions=2']);
});
afterAll(() => server.remove());

const run = (statement: string, database = 'app') => using(server, database, (client) => client.query(statement));

beforeEach(async () => {
  await using(server, 'postgres', async (client) => {
    await client.query('DROP DATABASE IF EXISTS app');
    await client.query('CREATE DATABASE app');
  });
});

describe('the compatibility of a cluster with a later version', () => {
  it('is given with tables that have an identity', async () => {
    await run(
      'CREATE TABLE t (id int PRIMARY KEY, v json); CREATE TABLE f (v text); ALTER TABLE f REPLICA IDENTITY FULL; CREATE EXTENSION citext',
    );
    expect(await checkCompatibility(server, 18)).toMatchObject({ id: 'compatibility', status: 'passed', details: [] });
  });

  const blockers: [what: string, statement: string, named: RegExp][] = [
    ['a table without identity', 'CREATE TABLE bare (x int)', /public\.bare of app .*REPLICA IDENTITY FULL/],
    [
      'an identity by an index that is gone',
      'CREATE TABLE t (x int NOT NULL); CREATE UNIQUE INDEX u ON t (x); ALTER TABLE t REPLICA IDENTITY USING INDEX u; DROP INDEX u',
      /public\.t of app/,
    ],
    [
      'a type without equality',
      'CREATE TABLE t (v json); ALTER TABLE t REPLICA IDENTITY FULL',
      /public\.t\.v \(json\)/,
    ],
    [
      'a column of numbers of objects',
      'CREATE TABLE t (id int PRIMARY KEY, p regproc, q regclass[])',
      /public\.t\.p \(regproc\)/,
    ],
    ['large objects', `SELECT lo_from_bytea(0, 'x')`, /app holds 1 large objects/],
    [
      'a trigger that always fires',
      `CREATE TABLE t (id int PRIMARY KEY); CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
      CREATE TRIGGER tr AFTER INSERT ON t FOR EACH ROW EXECUTE FUNCTION f(); ALTER TABLE t ENABLE ALWAYS TRIGGER tr`,
      /trigger tr of public\.t/,
    ],
    [
      'forced row level security',
      'CREATE TABLE t (id int PRIMARY KEY); ALTER TABLE t ENABLE ROW LEVEL SECURITY; ALTER TABLE t FORCE ROW LEVEL SECURITY',
      /NO FORCE ROW LEVEL SECURITY/,
    ],
    ['an extension that is gone', 'CREATE EXTENSION old_snapshot', /no extension old_snapshot/],
    [
      'a setting that is gone',
      `ALTER DATABASE app SET force_parallel_mode = 'on'`,
      /no parameter force_parallel_mode.*ALTER DATABASE app RESET/,
    ],
    [
      'a subscription',
      `CREATE SUBSCRIPTION theirs CONNECTION 'host=/nowhere' PUBLICATION p WITH (connect = false)`,
      /subscription theirs of app/,
    ],
  ];
  it.each(blockers)('is refused by %s, which it names', async (_, statement, named) => {
    await run(statement);
    const check = await checkCompatibility(server, 18);
    expect(check.status).toBe('failed');
    expect(check.details).toEqual(expect.arrayContaining([expect.stringMatching(named)]));
    await run('ALTER SUBSCRIPTION theirs SET (slot_name = NONE); DROP SUBSCRIPTION theirs').catch(() => {});
  });

  it('is refused by a prepared transaction, and by a parameter of the cluster that is gone', async () => {
    await run(`CREATE TABLE t (id int PRIMARY KEY); BEGIN; INSERT INTO t VALUES (1); PREPARE TRANSACTION 'held'`);
    const { details } = await checkCompatibility(server, 18, ['old_snapshot_threshold', 'work_mem']);
    await run(`ROLLBACK PREPARED 'held'`);
    expect(details).toEqual([
      expect.stringMatching(/no parameter old_snapshot_threshold/),
      expect.stringMatching(/transaction held is prepared in app/),
    ]);
    expect(await checkCompatibility(server, 16, ['old_snapshot_threshold'])).toMatchObject({ status: 'passed' });
  });

  it('is passed with a warning for unlogged tables', async () => {
    await run('CREATE UNLOGGED TABLE u (id int PRIMARY KEY)');
    expect(await checkCompatibility(server, 18)).toMatchObject({
      status: 'warning',
      details: [expect.stringMatching(/public\.u of app is unlogged/)],
    });
  });

  it.each([15, 16, 17, 18])('knows which extensions and parameters PostgreSQL %i no longer has', async (major) => {
    const names = (one: MajorServer, statement: string, values: unknown[] = []) =>
      using(one, 'postgres', async (client) =>
        (await client.query<{ name: string }>(statement, values)).rows.map(({ name }) => name),
      );
    const [before, after] = await Promise.all([startMajor(major - 1), startMajor(major)]);
    try {
      const extensions = await names(before, 'SELECT name FROM pg_available_extensions');
      const present = await names(after, 'SELECT name FROM pg_available_extensions');
      expect([...(REMOVED[major]?.extensions ?? [])].sort()).toEqual(
        extensions.filter((name) => !present.includes(name)).sort(),
      );
      // A parameter that was renamed is still known by its former name.
      const settings = await names(before, `SELECT name FROM pg_settings WHERE context <> 'internal'`);
      const gone = await names(
        after,
        'SELECT name FROM unnest($1::text[]) AS name WHERE current_setting(name, true) IS NULL ORDER BY 1',
        [settings],
      );
      expect([...(REMOVED[major]?.settings ?? [])].sort()).toEqual(gone);
    } finally {
      await Promise.all([before.remove(), after.remove()]);
    }
  });
});
