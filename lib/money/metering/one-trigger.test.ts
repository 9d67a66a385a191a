import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { migrate } from '@/lib/core/db/migrate';
import { asAdmin, databaseOn } from '@/lib/testing/database';
import { hasDebianPostgres, startDebianPostgres } from '@/lib/testing/debian-postgres';
import { plant, rowFaults, triggerFaults } from '@/lib/testing/metering-faults';
import { seededRandom } from '@/lib/testing/random';
import { runs, sampleOf } from '@/lib/testing/samples';

// Compares the trigger that meters every table with the four sets of triggers that it replaced: the same statements run
// in two databases, one of which has the old triggers, on a frozen clock.

const TABLES = ['instances', 'volumes', 'snapshots', 'images'] as const;
type Table = (typeof TABLES)[number];

/** The SQL of the old triggers, from the migration that created them. */
function oldTriggers(): string {
  const money = readFileSync('prisma/migrations/20261121122024_money/migration.sql', 'utf8');
  const begin = money.indexOf('CREATE FUNCTION meter_instance');
  return money.slice(begin, money.indexOf('INSERT INTO "metrics"', begin));
}

/** Keeps only the columns that metering reads, so that rows need no hosts, images or networks. */
const strip = `
  DO $$ DECLARE part record; BEGIN
    FOR part IN SELECT conrelid::regclass AS of_table, conname AS name FROM pg_constraint
      WHERE contype IN ('f', 'c') AND conrelid::regclass::text = ANY ('{${TABLES}}') LOOP
      EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I CASCADE', part.of_table, part.name);
    END LOOP;
    FOR part IN SELECT attrelid::regclass AS of_table, attname AS name FROM pg_attribute
      WHERE attrelid::regclass::text = ANY ('{${TABLES}}') AND attnotnull AND attnum > 0 AND attname NOT IN ('id', 'owner_id') LOOP
      EXECUTE format('ALTER TABLE %s ALTER COLUMN %I DROP NOT NULL', part.of_table, part.name);
    END LOOP;
  END $$`;

const uuid = (n: number) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
const PROJECTS = [uuid(1), uuid(2)] as const;
const FLAVORS = [uuid(11), uuid(12), uuid(13)] as const;
const setup = `
  INSERT INTO flavors (id, name, vcpus, ram_gb, disk_gb, gpu_slices, created_at, updated_at) VALUES
    ('${FLAVORS[0]}', 'metered-small', 1, 0.25, 10, 0, now(), now()), ('${FLAVORS[1]}', 'metered-large', 8, 32, 10, 1, now(), now()),
    ('${FLAVORS[2]}', 'metered-wide', 8, 64.5, 200, 0, now(), now());
  INSERT INTO projects (id, name, slug, created_at, updated_at) VALUES ('${PROJECTS[0]}', 'one', 'one', now(), now()),
    ('${PROJECTS[1]}', 'other', 'other', now(), now());
  INSERT INTO project_accounts (project_id) VALUES ('${PROJECTS[0]}'), ('${PROJECTS[1]}')`;

/** Statements to run at a moment: in one transaction, or concurrently, each on its own connection. */
type Step = { at: Date; statements: string[]; how: 'together' | 'in parallel' | 'rolled back' };

const CONNECTIONS = 4;

/** One of the two databases. */
class Side {
  private readonly clients: pg.Client[] = [];
  constructor(private readonly url: string) {}

  async open(): Promise<void> {
    for (let n = 0; n < CONNECTIONS; n++) {
      const client = new pg.Client(this.url);
      await client.connect();
      this.clients.push(client);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.end()));
  }

  private async rows(text: string): Promise<Record<string, unknown>[]> {
    return (await this.first.query<Record<string, unknown>>(text)).rows;
  }

  /** Runs a history from its start. @returns the spend after each step as the freeze sees it, and everything metered */
  async play(history: readonly Step[]) {
    await this.begin();
    const spend = [];
    for (const step of history) {
      await this.perform(step);
      spend.push(await this.spend());
    }
    return { ...(await this.metered()), spend };
  }

  /** Deletes the previous history but keeps projects and flavors. */
  private async begin(): Promise<void> {
    for (const table of TABLES) await this.first.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
    await this.first.query(`DELETE FROM snapshots; DELETE FROM volumes; DELETE FROM instances; DELETE FROM images;
      TRUNCATE spans, accruals, resource_states, usage_events, usage_counts RESTART IDENTITY;
      UPDATE project_accounts SET billed_until = NULL, budget_freezes = false, budget_limit_usd = NULL, budget_lift_usd = 0, budget_lift_month = NULL`);
    for (const table of TABLES) await this.first.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
  }

  private async perform({ at, statements, how }: Step): Promise<void> {
    await this.first.query(`CREATE OR REPLACE FUNCTION platform_now() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
      AS 'SELECT timestamptz ''${at.toISOString()}'''`);
    if (how === 'in parallel') {
      await Promise.all(statements.map((statement, n) => this.clients[n % CONNECTIONS]?.query(statement)));
      return;
    }
    await this.first.query(`BEGIN; ${statements.join(';\n')}; ${how === 'together' ? 'COMMIT' : 'ROLLBACK'}`);
  }

  /** All billing data. Row ids are not compared, because parallel transactions take them in any order. */
  private async metered() {
    return {
      spans:
        await this.rows(`SELECT project_id, metric, resource_type, resource_id, resource_name, quantity, started_at, ended_at
        FROM spans ORDER BY resource_id, metric, started_at`),
      accruals: await this.rows('SELECT * FROM accruals ORDER BY project_id, metric'),
      states: await this.rows(
        `SELECT project_id, resource_type, resource_id, status, size, at FROM resource_states ORDER BY resource_id, id`,
      ),
      accounts: await this.rows('SELECT * FROM project_accounts ORDER BY project_id'),
      counts: await this.rows('SELECT * FROM usage_counts ORDER BY project_id, metric, resource_id, day'),
    };
  }

  /** The spend as the freeze sees it. */
  private async spend() {
    return this.rows(`SELECT project_id, dollar_seconds(project_id, platform_now()) AS spent, budget_freezes
      AND budget_used_up(project_id, budget_limit_usd, budget_lift_usd, budget_lift_month) AS frozen FROM project_accounts ORDER BY 1`);
  }

  get first(): pg.Client {
    const [client] = this.clients;
    if (!client) throw new Error('not open');
    return client;
  }
}

const HOUR = 3_600_000;
const STEPS = 110;
const SEEDS = [1, 2, 3, 4, 5] as const;

const statuses: Record<Table, readonly string[]> = {
  instances: ['active', 'active', 'active', 'stopped', 'paused', 'rebooting', 'rebuilding', 'error', 'deleting'],
  volumes: ['available', 'available', 'in_use', 'attaching', 'detaching', 'error', 'deleting'],
  snapshots: ['available', 'available', 'error', 'deleting'],
  images: ['active', 'active', 'importing', 'error', 'deleting'],
};

/** A random history of writes by workers, observers, tenants and the closing of months, in any order. */
function randomHistory(seed: number, length: number): Step[] {
  const random = seededRandom(seed);
  const below = (n: number) => Math.floor(random() * n);
  function pick<Item>(items: readonly Item[]): Item {
    const item = items[below(items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }
  let ids = 0;
  const existing: { table: Table; id: string }[] = [];

  function create(): string {
    const table = pick(TABLES);
    const id = uuid(seed * 4096 + ids++);
    const project = pick(PROJECTS);
    existing.push({ table, id });
    switch (table) {
      case 'instances':
        return `INSERT INTO instances (id, project_id, name, status, flavor_id) VALUES ('${id}', '${project}', 'web', 'provisioning', '${pick(FLAVORS)}')`;
      case 'images': {
        const owner = random() < 0.2 ? 'NULL' : `'${project}'`;
        return `INSERT INTO images (id, project_id, owner_id, name, status, size_bytes) VALUES ('${id}', ${owner}, '${project}', 'own', 'importing',
          ${random() < 0.5 ? 'NULL' : below(2 ** 31)})`;
      }
      case 'snapshots':
        return `INSERT INTO snapshots (id, project_id, name, status, size_gb) VALUES ('${id}', '${project}', 'before', 'creating', ${1 + below(50)})`;
      case 'volumes':
        return `INSERT INTO volumes (id, project_id, name, status, size_gb) VALUES ('${id}', '${project}', 'data', '${pick(['creating', 'available'])}', ${1 + below(50)})`;
    }
  }

  function change(one: { table: Table; id: string }): string {
    const { table, id } = one;
    const kind = below(10);
    if (kind === 0) {
      existing.splice(existing.indexOf(one), 1);
      return `DELETE FROM ${table} WHERE id = '${id}'`;
    }
    if (kind === 1) return `UPDATE ${table} SET name = name || '+', updated_at = platform_now() WHERE id = '${id}'`;
    if (kind < 6) {
      const status = pick(statuses[table]);
      const launched =
        table === 'instances' && status === 'active' ? ', launched_at = coalesce(launched_at, platform_now())' : '';
      return `UPDATE ${table} SET status = '${status}'${launched} WHERE id = '${id}'`;
    }
    switch (table) {
      case 'instances':
        if (kind < 8) return `UPDATE instances SET flavor_id = '${pick(FLAVORS)}' WHERE id = '${id}'`;
        return `UPDATE instances SET lost_at = platform_now() - interval '${below(900)} minutes', status = ${pick(["'rebooting'", "'stopped'", "'error'", 'status'])}
          WHERE id = '${id}' AND launched_at IS NOT NULL`;
      case 'volumes':
        if (kind < 9)
          return `UPDATE volumes SET status = 'resizing', size_gb = size_gb + ${1 + below(9)} WHERE id = '${id}'`;
        return `UPDATE volumes SET size_gb = size_gb + 1 WHERE id = '${id}'`;
      case 'snapshots':
        return `UPDATE snapshots SET size_gb = ${1 + below(50)} WHERE id = '${id}'`;
      case 'images':
        return `UPDATE images SET size_bytes = ${pick(['NULL', String(below(2 ** 31))])}, received_bytes = ${below(1000)} WHERE id = '${id}'`;
    }
  }

  function account(at: Date): string {
    const project = pick(PROJECTS);
    switch (below(4)) {
      case 0:
        return `UPDATE project_accounts SET budget_freezes = true, budget_limit_usd = ${below(40)} WHERE project_id = '${project}'`;
      case 1:
        return `INSERT INTO credit_entries (id, project_id, source, from_account, to_account, amount_usd, reason, created_by, created_at)
          VALUES (gen_random_uuid(), '${project}', gen_random_uuid(), 'top_up', 'credit', ${1 + below(20)}, 'test', 'test', platform_now())`;
      case 2:
        return `UPDATE project_accounts SET billed_until = month_of(platform_now()) WHERE project_id = '${project}'`;
      default:
        return `INSERT INTO usage_events (key, project_id, metric, resource_type, resource_id, resource_name, quantity, occurred_at, recorded_at)
          VALUES ('${seed}:${ids++}', '${project}', 'network_egress', 'instance', '${project}', 'web', ${1 + below(1_000_000)},
            timestamptz '${at.toISOString()}' - interval '${below(99)} hours', platform_now()); SELECT fold_usage(100)`;
    }
  }

  let clock = Date.UTC(2027, 10, 20);
  function later(): Date {
    const kind = random();
    if (kind < 0.1) {
      // A month's last millisecond, its end, or the first millisecond of the next.
      const date = new Date(clock);
      clock = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) + below(3) - 1;
    } else if (kind < 0.2) clock -= below(3 * HOUR);
    else if (kind > 0.3) clock += below(60 * HOUR);
    return new Date(clock);
  }

  function statementsOf(at: Date): Pick<Step, 'statements' | 'how'> {
    const kind = random();
    if (existing.length < 4 || kind < 0.25) return { statements: [create()], how: 'together' };
    if (kind < 0.35) return { statements: [account(at)], how: 'together' };
    if (kind < 0.4) {
      const [table, project] = [pick(['instances', 'volumes'] as const), pick(PROJECTS)];
      return { statements: [`UPDATE ${table} SET status = 'error' WHERE project_id = '${project}'`], how: 'together' };
    }
    // Each resource once, so that the order of parallel transactions does not matter.
    const several = [...existing].sort(() => random() - 0.5).slice(0, 1 + below(8));
    if (kind < 0.45)
      return {
        statements: several.slice(0, 2).map(({ table, id }) => `DELETE FROM ${table} WHERE id = '${id}'`),
        how: 'rolled back',
      };
    return { statements: several.map(change), how: kind < 0.75 ? 'in parallel' : 'together' };
  }

  return Array.from({ length }, () => {
    const at = later();
    return { at, ...statementsOf(at) };
  });
}

const { adminUrl } = inject('postgres');
const running = await asAdmin(adminUrl, async (admin) => {
  const { rows } = await admin.query<{ major: number }>(
    `SELECT current_setting('server_version_num')::int / 10000 AS major`,
  );
  return rows[0]?.major;
});

/** A PostgreSQL server of a major version: the one of this run, or Debian's. */
async function serverOf(major: number) {
  if (major === running) return { url: (database: string) => databaseOn(adminUrl, database), stop: async () => {} };
  return startDebianPostgres(major);
}

describe.each([18, 15])('on PostgreSQL %i', (major) => {
  const obtainable = major === running || hasDebianPostgres(major);
  let server: Awaited<ReturnType<typeof serverOf>> | undefined;
  let before: Side;
  let after: Side;

  beforeAll(async () => {
    if (!obtainable) return;
    server = await serverOf(major);
    const { url } = server;
    const [old, present] = [`metered_before_${major}`, `metered_after_${major}`];
    await asAdmin(url('postgres'), (admin) => admin.query(`CREATE DATABASE ${present}`));
    await migrate(url(present));
    await asAdmin(url(present), (client) => client.query(`${strip}; ${setup}`));
    await asAdmin(url('postgres'), (admin) => admin.query(`CREATE DATABASE ${old} TEMPLATE ${present}`));
    await asAdmin(url(old), (client) => client.query(`DROP FUNCTION resource_moved() CASCADE; ${oldTriggers()}`));
    [before, after] = [new Side(url(old)), new Side(url(present))];
    await Promise.all([before.open(), after.open()]);
  });
  afterAll(async () => {
    await Promise.all([before?.close(), after?.close()]);
    await server?.stop();
  });

  const oldSide = new Map<number, ReturnType<Side['play']>>();
  /** The result of the old triggers for a history, computed once. */
  function old(seed: number) {
    const played = oldSide.get(seed) ?? before.play(randomHistory(seed, STEPS));
    oldSide.set(seed, played);
    return played;
  }

  test.skipIf(!obtainable).each(SEEDS.slice(0, runs(major === running ? 2 : 1, 5)))(
    'one trigger meters a random history like the four sets did (seed %i)',
    async (seed) => {
      const [expected, { spend, ...present }] = await Promise.all([old(seed), after.play(randomHistory(seed, STEPS))]);
      expect({ ...present, spend }).toEqual(expected);
      const frozen = spend.flat().filter((project) => project.frozen === true);
      expect([present.spans.length > 30, present.states.length > 100, frozen.length > 0]).toEqual([true, true, true]);
    },
  );

  // These faults are in SQL and do not depend on the server's version. Reconciliation also finds those in `size` and
  // `billed`.
  describe.runIf(major === running)('a fault is detected by comparison with the old triggers', () => {
    const ofVolumes = rowFaults.filter(({ function: name }) => name.endsWith('(volumes)'));
    const faults = [...triggerFaults, ...sampleOf(ofVolumes, 3)];
    test.each(faults)('$function: $wrong for $right', async (fault) => {
      const remove = await plant(after.first, fault);
      try {
        let seen = false;
        for (const seed of SEEDS) {
          seen ||= !isDeepStrictEqual(await after.play(randomHistory(seed, STEPS)), await old(seed));
          if (seen) break;
        }
        expect(seen).toBe(true);
      } finally {
        await remove();
      }
    });
  });
});
