import { now } from '@/lib/clock';
import { newId } from '@/lib/core/db/id';
import { execute, query } from '@/lib/core/db/pool';
import { join, raw, sql } from '@/lib/core/db/sql';
import { each } from '@/lib/core/domains/domain';
import { listedTypes, readInventory } from '@/lib/inventory/service';
import type { Listed } from '@/lib/inventory/statement';
import { domains } from '@/lib/platform/domains';
import { endpoints } from '@/lib/platform/endpoints';
import { ownCell } from '@/lib/settings';
import { createCell } from '@/lib/testing/hosts';
import { printRatio } from './ratio';

const RESOURCES = 100_000;
const PAGE = 50;
const RUNS = 101;

/** Measures pages of the inventory of one project with as many resources of every type, all tagged. */
export async function measureInventory(): Promise<void> {
  const types = listedTypes({ domains, endpoints });
  const project = await fill(types);
  const every = types.map(({ table }) => sql`SELECT id FROM ${raw(table)} WHERE project_id = ${project}::uuid`);
  const ids = await query<{ id: string }>(
    sql`SELECT id FROM (${join(every, ' UNION ALL ')}) AS every ORDER BY id DESC`,
  );
  const pageFrom = (place: number, filters = {}) =>
    median(() => readInventory(project, types, filters, { limit: PAGE, cursor: ids[place]?.id }));
  const first = await pageFrom(-1);
  const last = await pageFrom(ids.length - PAGE - 1);
  const middle = await pageFrom(Math.floor(ids.length / 2));
  const figures = [first, middle, last].map((ms) => `${ms.toFixed(1)} ms`);
  const what = `Last to first page of ${ids.length.toLocaleString('en')} resources of ${types.length} types`;
  printRatio(what, last / first, figures.join(', '), {
    text: 'every page ≤ 10 ms',
    met: Math.max(first, middle, last) <= 10,
  });
  const tagged = await pageFrom(-1, { tag: ['team=7'] });
  printRatio('A page by tag to the first page', tagged / first, `${tagged.toFixed(1)} ms`);
  const none = await pageFrom(-1, { status: 'nothing-has-this' });
  printRatio('A status that no resource has to the first page', none / first, `${none.toFixed(1)} ms`, {
    text: '≤ 10 ms',
    met: none <= 10,
  });
}

/** @returns the id of the project */
async function fill(types: readonly Listed[]): Promise<string> {
  const project = newId();
  const at = now();
  await execute(sql`INSERT INTO projects (id, name, slug, created_at, updated_at)
    VALUES (${project}::uuid, 'inventory', 'inventory', ${at}::timestamptz, ${at}::timestamptz)`);
  await createCell(ownCell());
  for (const listed of types) {
    const { type } = listed;
    const table = raw(listed.table);
    // A project has one router.
    await insertRows(listed, project, Math.ceil(RESOURCES / (types.length - 1)));
    await execute(sql`INSERT INTO audit_entries (id, project_id, at, actor_type, actor_name, action, resource_type, resource_id, result, status)
      SELECT gen_random_uuid(), ${project}::uuid, ${at}::timestamptz, 'token', 'ci', ${type}::text || '.create', ${type}::text, id::text, 'succeeded', 201
      FROM ${table} WHERE project_id = ${project}::uuid`);
    await execute(sql`INSERT INTO resource_tags (project_id, resource_id, key, value)
      SELECT ${project}::uuid, id, 'team', (row_number() OVER () % 100)::text FROM ${table} WHERE project_id = ${project}::uuid`);
  }
  await execute(raw('ANALYZE'));
  return project;
}

type Column = { name: string; type: string; category: string; label: string | null };

/**
 * Inserts rows with values in the columns that need one. What rows refer to does not exist, so that a type costs no more
 * than its own rows: triggers and checks of the table are off.
 */
async function insertRows({ table, statuses }: Listed, project: string, count: number): Promise<void> {
  const columns = await query<Column>(sql`
    SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, t.typcategory::text AS category,
      (SELECT enumlabel FROM pg_enum WHERE enumtypid = t.oid ORDER BY enumsortorder LIMIT 1) AS label
    FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
    WHERE a.attrelid = ${table}::text::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' AND a.attidentity = ''
      AND (a.attnotnull AND NOT a.atthasdef OR a.attname IN ('name', 'status', 'project_id'))`);
  const checks = await query<{ name: string }>(
    sql`SELECT conname AS name FROM pg_constraint WHERE conrelid = ${table}::text::regclass AND contype IN ('c', 'x')`,
  );
  for (const { name } of checks) await execute(raw(`ALTER TABLE ${table} DROP CONSTRAINT "${name}"`));
  await execute(raw(`ALTER TABLE ${table} DISABLE TRIGGER ALL`));
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  const values = columns.map((column) => `(${valueIn(column, project, each(statuses)[0])})::${column.type}`).join(', ');
  await execute(
    raw(
      `INSERT INTO ${table} (${names}) SELECT ${values} FROM generate_series(1, ${count}) AS n ON CONFLICT DO NOTHING`,
    ),
  );
}

/** An expression of the row's number `n`. */
function valueIn({ name, type, category, label }: Column, project: string, status: string | undefined): string {
  if (name === 'project_id') return `'${project}'`;
  if (name === 'status' && status !== undefined) return `'${status}'`;
  if (name === 'name') return "'name-' || md5(n::text)";
  if (type === 'uuid') return 'gen_random_uuid()';
  if (type === 'bytea') return "decode(md5(n::text), 'hex')";
  if (type === 'cidr') return "text('10.0.0.0'::inet + n)";
  if (type === 'macaddr') return "trunc('02:00:00:00:00:00'::macaddr)";
  const byCategory = {
    A: "'{}'",
    B: 'false',
    D: "'2026-01-01'",
    E: `'${label}'`,
    I: "'10.0.0.0'::inet + n",
    N: 'n',
    S: "'text-' || n",
  };
  return new Map(Object.entries(byCategory)).get(category) ?? "'{}'";
}

/** The median duration in milliseconds. */
export async function median(run: () => Promise<unknown>, runs = RUNS): Promise<number> {
  const durations: number[] = [];
  for (let turn = 0; turn < runs; turn++) {
    const start = performance.now();
    await run();
    durations.push(performance.now() - start);
  }
  return durations.toSorted((a, b) => a - b)[Math.floor(runs / 2)] ?? Number.NaN;
}
