import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import type { MajorServer } from '@/lib/testing/postgres-majors';
import { closeUpgradeWorlds, follow, more, one, upgradeWorld } from '@/lib/testing/upgrade-world';
import { OPTIONS } from '../connections';
import { checkCompatibility } from './preflight/compatibility';
import { forgetUpgrade, keepFormer, prepareWayBack, switchBack, switchToNext } from './procedure';
import { using } from './side';

afterEach(closeUpgradeWorlds);

/** What a tenant tries wherever its code runs: each attempt with what came of it. */
const ATTEMPTS = {
  superuser: 'ALTER ROLE app SUPERUSER',
  other_session: 'SET SESSION AUTHORIZATION postgres',
  other_role: 'SET ROLE postgres',
  program: "COPY (SELECT 1) TO PROGRAM 'true'",
  file: "PERFORM pg_read_file('PG_VERSION')",
  passwords: 'PERFORM rolpassword FROM pg_authid',
  triggers: "SET session_replication_role = 'origin'",
  role: 'CREATE ROLE intruder',
  subscription:
    "EXECUTE (SELECT format('ALTER SUBSCRIPTION %I CONNECTION ''host=127.0.0.1''', subname) FROM pg_subscription LIMIT 1)",
  end: "EXECUTE (SELECT format('ALTER SUBSCRIPTION %I DISABLE', subname) FROM pg_subscription LIMIT 1)",
};

const attempt = ([name, statement]: [string, string]) => {
  const run = /^(PERFORM|EXECUTE)/.test(statement) ? statement : `EXECUTE ${quoted(statement)}`;
  return `BEGIN ${run}; INSERT INTO app.seen VALUES (place, ${quoted(name)}, 'done', current_user, session_user);
    EXCEPTION WHEN OTHERS THEN INSERT INTO app.seen VALUES (place, ${quoted(name)}, SQLSTATE, current_user, session_user); END;`;
};
const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Code of the tenant in every place that runs when a row is applied. Only a superuser or the platform's role tries. */
async function plant(server: MajorServer): Promise<void> {
  await using(server, 'app', (client) =>
    client.query(`
      ALTER ROLE app NOCREATEROLE; SET SESSION AUTHORIZATION app; SET search_path = app;
      CREATE TABLE app.seen (place text, attempt text, outcome text, role text, session text); ALTER TABLE app.seen REPLICA IDENTITY FULL;
      CREATE FUNCTION app.attack(place text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
        IF session_user = 'app' OR pg_backend_pid() = 0 THEN RETURN; END IF;
        ${Object.entries(ATTEMPTS).map(attempt).join('\n')} END $$;
      CREATE FUNCTION app.innocent(place text) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN PERFORM app.attack(place); RETURN true; END $$;
      CREATE FUNCTION app.trap() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM app.attack('trigger'); RETURN NEW; END $$;
      CREATE DOMAIN app.word AS text CHECK (app.innocent('domain'));
      CREATE TABLE app.baits (id int PRIMARY KEY, w app.word CHECK (app.innocent('check')));
      CREATE INDEX ON app.baits ((app.innocent('index' || left(w, 0))));
      CREATE INDEX ON app.baits (id) WHERE app.innocent('predicate' || left(w, 0));
      CREATE TRIGGER trap BEFORE INSERT OR UPDATE ON app.baits FOR EACH ROW EXECUTE FUNCTION app.trap();
      ALTER TABLE app.baits ENABLE ALWAYS TRIGGER trap;
      CREATE TABLE app.whole (x int, y text); ALTER TABLE app.whole REPLICA IDENTITY FULL;
      CREATE INDEX ON app.whole (x, (app.innocent('constant')));
      INSERT INTO app.baits VALUES (1, 'copied'); INSERT INTO app.whole VALUES (1, 'copied');
      RESET SESSION AUTHORIZATION`),
  );
}

async function bite(server: MajorServer, ids: number): Promise<void> {
  const tenant = await server.connectAs('app', 'app');
  await tenant.query('INSERT INTO app.baits VALUES ($1, $2)', [ids, 'followed']);
  await tenant.query(`UPDATE app.baits SET w = w || '!'`);
  await tenant.query('INSERT INTO app.whole VALUES ($1, $2)', [ids, 'followed']);
  await tenant.query(`UPDATE app.whole SET y = y || '!'`);
  await tenant.query('DELETE FROM app.whole WHERE x = $1', [ids]);
  await tenant.query('TRUNCATE app.plain');
  await tenant.end();
}

/** What the planted code has done; nothing of it may have come through, and by no superuser. */
async function expectHarmless(server: MajorServer): Promise<string[]> {
  const found = await using(server, 'app', (client) =>
    client.query<{ place: string; attempt: string; outcome: string; role: string; session: string; super: boolean }>(
      `SELECT s.*, EXISTS (SELECT FROM pg_roles r WHERE r.rolname = s.role AND r.rolsuper) AS super FROM app.seen s`,
    ),
  );
  expect(found.rows.filter(({ outcome, super: isSuper }) => outcome === 'done' || isSuper)).toEqual([]);
  expect(await one(server, 'app', `SELECT rolsuper FROM pg_roles WHERE rolname = 'app'`)).toBe(false);
  expect(await one(server, 'app', `SELECT count(*)::int FROM pg_roles WHERE rolname = 'intruder'`)).toBe(0);
  return [...new Set(found.rows.map(({ place }) => place))].toSorted();
}

/** As the tenant: a superuser's own question about these tables would run the tenant's code. */
async function isThere(server: MajorServer, id: number): Promise<void> {
  const tenant = await server.connectAs('app', 'app');
  const found = async () => {
    const { rows } = await tenant.query(
      `SELECT (SELECT w FROM app.baits WHERE id = ${id}) AS bait, (SELECT count(*)::int FROM app.whole) AS whole`,
    );
    return rows;
  };
  await expect.poll(found, { timeout: 20_000 }).toEqual([{ bait: 'followed!', whole: 1 }]);
  await tenant.end();
}

describe('code of a tenant that runs while rows are applied', () => {
  it.each([
    [14, 15],
    [15, 18],
  ])(
    'has no rights but the tenant’s, from %i to %i and back',
    async (from, to) => {
      const { former, next, endpoint, writers, upgrade } = await upgradeWorld(from, to);
      await plant(former);
      await follow(upgrade);
      await bite(former, 2);
      await isThere(next, 2);
      // Each place was reached, or the test would prove nothing.
      expect(await expectHarmless(next)).toEqual(
        expect.arrayContaining(['check', 'domain', 'index', 'predicate', 'trigger']),
      );
      await switchToNext(upgrade, { endpoint });
      await keepFormer(upgrade, 256);
      await bite(next, 3);
      await isThere(former, 3);
      await expectHarmless(former);
      await more(writers, 20);
      while (!(await prepareWayBack(upgrade)).isNear) await delay(20);
      await switchBack(upgrade, { endpoint });
      await writers.stop();
      await forgetUpgrade(former);
      expect(await one(former, 'app', `SELECT count(*)::int FROM pg_roles WHERE rolname = 'nephele_apply'`)).toBe(0);
    },
    240_000,
  );

  it('is not called by the platform’s own statements, and settings of a role are no statements', async () => {
    const { former, next, writers, upgrade } = await upgradeWorld(16, 18);
    await writers.stop();
    const tenant = await former.connectAs('app', 'app');
    await tenant.query(`CREATE FUNCTION app.quote_ident(name) RETURNS text LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'ALTER ROLE app SUPERUSER'; RETURN $1; END $$;
      CREATE FUNCTION app.format_type(oid, int) RETURNS text LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'ALTER ROLE app SUPERUSER'; RETURN ''; END $$;
      ALTER DATABASE app SET search_path = app, pg_catalog;
      CREATE TABLE app.bare (j json); ALTER TABLE app.bare REPLICA IDENTITY FULL`);
    await tenant.query(`SELECT set_config('search_path', 'app,a;ALTER/**/ROLE/**/app/**/SUPERUSER', false)`);
    await tenant.query('ALTER ROLE app SET search_path FROM CURRENT');
    // As the platform connects to a member.
    const asPlatform = <S extends { directory: string }>(server: S) => ({
      ...server,
      async connect(database: string) {
        const client = new pg.Client({ host: server.directory, user: 'postgres', database, options: OPTIONS });
        await client.connect();
        return client;
      },
    });
    const sides = { former: asPlatform(former), next: asPlatform(next) };
    expect((await checkCompatibility(sides.former, 18)).details).toEqual([expect.stringMatching(/app\.bare\.j/)]);
    await tenant.query('DROP TABLE app.bare');
    await tenant.end();
    await follow({ ...upgrade, ...sides });
    for (const side of Object.values(sides))
      expect(await one(side, 'app', `SELECT rolsuper FROM pg_roles WHERE rolname = 'app'`)).toBe(false);
    const settings = `SELECT setconfig FROM pg_db_role_setting s JOIN pg_roles r ON r.oid = s.setrole WHERE r.rolname = 'app'`;
    expect(await one(sides.next, 'app', settings)).toEqual(['search_path=app, "a;alter/**/role/**/app/**/superuser"']);
  }, 240_000);
});
