import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Call } from '@/lib/core/api/endpoint';
import { newId } from '@/lib/core/db/id';
import { execute, pool, query, queryOne } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { testDatabase } from '@/lib/testing/database';
import {
  createWidget,
  createWidgetTable,
  deleteWidget,
  resizeWidget,
  usedOf,
  widgetCall,
  widgetEndpoints,
} from '@/lib/testing/widgets';
import { api, createProject } from '@/lib/testing/world';
import { commit } from './commit';

testDatabase();
let project: string;
beforeAll(async () => {
  await createWidgetTable();
  await execute(sql`CREATE TABLE shelves (widget_id uuid REFERENCES widgets (id) ON DELETE RESTRICT)`);
  await execute(sql`CREATE TABLE labels (widget_id uuid REFERENCES widgets (id) ON DELETE NO ACTION)`);
});
beforeEach(async () => {
  ({ id: project } = await createProject());
});

type Write = Parameters<typeof commit>[1];
const write = (parts: Partial<Write>, call: Call = widgetCall(project)) =>
  commit(call, { resource: { type: 'widget', id: newId() }, rows: {}, ...parts } as Write);
const state = (text: string | null) => sql`SELECT false AS allowed, ${text}::text AS state FROM k`;

describe('an error of the database', () => {
  const taken = { when: raw('false'), message: 'name: it is taken.' };
  const divided = { divided: raw('INSERT INTO shelves SELECT NULL FROM verdict WHERE 1 / (random() * 0)::int = 1') };

  test('is passed on unless the write declares what it means', async () => {
    await expect(write({ rows: divided })).rejects.toThrow('division by zero');
    await expect(write({ rows: divided, taken, in_use: 'A shelf needs it.' })).rejects.toThrow('division by zero');
    const id = await createWidget(widgetCall(project), { amounts: {} });
    const twice = { twice: sql`INSERT INTO widgets SELECT w.* FROM widgets w, verdict WHERE w.id = ${id}::uuid` };
    await expect(write({ rows: twice })).rejects.toThrow('duplicate key');
    await expect(write({ rows: twice, taken })).rejects.toMatchObject({ status: 409, message: 'name: it is taken.' });
  });

  test('on the connection is not a refusal', async () => {
    const refused = vi.spyOn(pool(), 'query').mockRejectedValueOnce(new Error('Connection terminated') as never);
    await expect(write({ taken, in_use: 'A shelf needs it.' })).rejects.toThrow('The database is unavailable.');
    refused.mockRestore();
  });

  test('for a referenced row that is gone is 404, not a conflict of names', async () => {
    const gone = { shelf: sql`INSERT INTO shelves SELECT ${newId()}::uuid FROM verdict` };
    const notFound = { status: 404, message: 'A resource named in the request was not found in this project.' };
    await expect(write({ rows: gone })).rejects.toMatchObject(notFound);
    await expect(write({ rows: gone, taken })).rejects.toMatchObject(notFound);
  });

  test.each(['shelves', 'labels'])('for a row still in use (%s) is 409 and changes nothing', async (table) => {
    const id = await createWidget(widgetCall(project), { amounts: { vcpus: 1 } });
    await execute(sql`INSERT INTO ${raw(table)} VALUES (${id}::uuid)`);
    const rows = { gone: sql`DELETE FROM widgets USING verdict WHERE verdict.ok AND widgets.id = ${id}::uuid` };
    const refused = write({ resource: { type: 'widget', id }, rows, release: true, in_use: 'Something needs it.' });
    await expect(refused).rejects.toMatchObject({ status: 409, message: 'Something needs it.' });
    expect(await usedOf(project, 'vcpus')).toBe('1');
  });
});

describe('a refusal says', () => {
  test('what does not exist, and that it was sought in the project if it has one', async () => {
    const missing = { target: raw('SELECT true AS allowed, NULL::text AS state FROM k WHERE false') };
    await expect(write(missing)).rejects.toMatchObject({ message: 'The widget was not found in this project.' });
    const call = widgetCall(project);
    const outside: Call = { ...call, endpoint: { ...call.endpoint, realm: 'backoffice' } };
    await expect(write(missing, outside)).rejects.toMatchObject({ message: 'The widget was not found.' });
    await expect(write({}, widgetCall(newId()))).resolves.toBeNull();
    await expect(write({ locks: true }, widgetCall(newId()))).rejects.toMatchObject({
      message: 'The project was not found in this project.',
    });
  });

  test('which resource is meant, by name if known, and its type', async () => {
    const named = { resource: { type: 'widget', id: newId(), name: 'alpha' } };
    const message = async (parts: Partial<Write>) => (await write(parts).catch((error: Error) => error)) as Error;
    expect((await message({ ...named, target: state('deleting') })).message).toBe(
      'This is not possible while widget alpha is deleting.',
    );
    expect((await message({ target: state('deleting') })).message).toBe(
      'This is not possible while the widget is deleting.',
    );
    expect((await message({ target: state(null) })).message).toBe(
      'This is not possible while the widget is in this state.',
    );
    expect((await message({ target: state('new'), forbidden: (is) => `It is ${is}.` })).message).toBe('It is new.');
  });

  test('that there is no room, after all other checks', async () => {
    const room = { fits: raw('false'), refusal: new Error('crowded') as never };
    await expect(write({ room, claims: [{ dimension: 'vcpus', amount: 65 }] })).rejects.toThrow('Quota exceeded');
    await expect(write({ room, claims: [{ dimension: 'vcpus', amount: 64 }] })).rejects.toThrow('crowded');
    expect(await usedOf(project, 'vcpus')).toBe('0');
  });
});

test('a change is recorded once', async () => {
  const acme = await createProject();
  const call = api(widgetEndpoints);
  const created = await call('POST', '/test/widgets', { token: acme.users.member.token, body: { name: 'once' } });
  const { id } = created.body as { id: string };
  const entries = await query(sql`SELECT action, result, status FROM audit_entries WHERE resource_id = ${id}::text`);
  expect(entries).toEqual([{ action: 'widget.create', result: 'succeeded', status: 201 }]);
});

test('a write without quota does not wait for writes with quota', async () => {
  const id = await createWidget(widgetCall(project), { amounts: { vcpus: 1 } });
  const holder = await pool().connect();
  try {
    await holder.query('BEGIN');
    await holder.query('SELECT FROM project_accounts WHERE project_id = $1 FOR UPDATE', [project]);
    const renamed = {
      renamed: sql`UPDATE widgets SET name = 'new' FROM verdict WHERE verdict.ok AND id = ${id}::uuid`,
    };
    await write({ resource: { type: 'widget', id }, rows: renamed });
    expect(await queryOne(sql`SELECT name FROM widgets WHERE id = ${id}::uuid`)).toEqual({ name: 'new' });

    const waiting = Promise.all([
      resizeWidget(widgetCall(project), id, 'vcpus', 2),
      createWidget(widgetCall(project), { amounts: { vcpus: 1 }, name: 'second' }),
      write({ freezable: true }),
    ]);
    await vi.waitFor(async () => expect(await waitingForLocks()).toBe(3), { interval: 5, timeout: 15_000 });
    await holder.query('COMMIT');
    await waiting;
    expect(await usedOf(project, 'vcpus')).toBe('3');
    await deleteWidget(widgetCall(project), id);
    expect(await usedOf(project, 'vcpus')).toBe('1');
  } finally {
    holder.release();
  }
});

async function waitingForLocks(): Promise<number | undefined> {
  const row = await queryOne<{ n: number }>(
    sql`SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return row?.n;
}
