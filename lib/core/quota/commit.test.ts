import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { QuotaBreach } from '@/lib/core/api/errors';
import { newId } from '@/lib/core/db/id';
import { execute, pool, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { testDatabase } from '@/lib/testing/database';
import { seededRandom } from '@/lib/testing/random';
import { runs } from '@/lib/testing/samples';
import type { ClientOrder } from '@/lib/testing/widget-client';
import {
  createWidget,
  createWidgetTable,
  deleteWidget,
  miscounted,
  resizeWidget,
  setLimits,
  usedOf,
  widgetCall,
  widgetEndpoints,
} from '@/lib/testing/widgets';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { commit } from './commit';

testDatabase();
beforeAll(createWidgetTable);

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Starts a client process with its own connections that waits for its order. */
async function startClient(poolSize: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'lib/testing/widget-client.ts'], {
    env: { ...process.env, DATABASE_POOL_SIZE: String(poolSize) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  children.push(child);
  await once(child, 'message');
  return child;
}

const order = (child: ChildProcess, what: ClientOrder) => child.send(what);

test('two hundred parallel creates from two processes never pass the limit, and reach it exactly', async () => {
  const { id: project } = await createProject();
  await setLimits(project, { instances: 50, vcpus: 1000 });
  for (let taken = 0; taken < 13; taken++) {
    await createWidget(widgetCall(project), { amounts: { instances: 1, vcpus: 2 } });
  }
  const clients = await Promise.all([startClient(16), startClient(16)]);
  const reports = clients.map((client) => once(client, 'message'));
  for (const client of clients) {
    order(client, { do: 'burst', project, count: 100, amounts: { instances: 1, vcpus: 2 } });
  }
  const admitted = (await Promise.all(reports)).map(([report]: { admitted: number }[]) => report?.admitted ?? 0);
  expect(admitted.reduce((sum, n) => sum + n)).toBe(37);
  expect(await usedOf(project, 'instances')).toBe('50');
  expect(await usedOf(project, 'vcpus')).toBe('100');
  expect(await miscounted(project)).toEqual([]);
});

test('kill -9 of clients at random moments leaks nothing', async () => {
  const { id: project } = await createProject();
  await setLimits(project, { instances: 40 });
  const seed = 20261121;
  const random = seededRandom(seed);
  const clients = await Promise.all(Array.from({ length: 5 }, () => startClient(8)));
  for (const [round, client] of clients.entries()) {
    let done = 0;
    client.on('message', () => {
      done += 1;
    });
    order(client, { do: 'churn', project, seed: seed + round, parallel: 16 });
    const enough = 20 + random() * 100;
    await vi.waitFor(() => expect(done).toBeGreaterThan(enough), { timeout: 10_000, interval: 1 });
    client.kill('SIGKILL');
    await once(client, 'exit');
    await vi.waitFor(async () => expect(await otherConnections()).toBe(0), { interval: 10, timeout: 15_000 });
    expect(await miscounted(project), `seed ${seed}, round ${round}`).toEqual([]);
  }
  const created = await queryOne<{ n: number }>(sql`SELECT count(*)::int AS n FROM quota_ledger`);
  expect(created?.n).toBeGreaterThan(0);
}, 60_000);

/** The number of active statements of other connections; those of a killed client end soon. */
async function otherConnections(): Promise<number | undefined> {
  const row = await queryOne<{ n: number }>(sql`SELECT count(*)::int AS n FROM pg_stat_activity
    WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()`);
  return row?.n;
}

describe('a claim on several dimensions', () => {
  let project: string;
  beforeAll(async () => {
    ({ id: project } = await createProject());
    await setLimits(project, { vcpus: 8, ram_gb: 4, instances: 10 });
  });

  test('takes all of them or none, and names the first one exceeded in the order of the quota record', async () => {
    await createWidget(widgetCall(project), { amounts: { vcpus: 4, ram_gb: 4, instances: 1 } });
    const tooMuch = createWidget(widgetCall(project), { amounts: { instances: 1, ram_gb: '0.5', vcpus: 4 } });
    await expect(tooMuch).rejects.toThrow(
      new QuotaBreach('Quota exceeded for ram_gb: limit 4, in use 4. Ask an administrator to raise ram_gb_limit.'),
    );
    const both = createWidget(widgetCall(project), { amounts: { ram_gb: 1, vcpus: 5 } });
    await expect(both).rejects.toThrow(
      new QuotaBreach('Quota exceeded for vcpus: limit 8, in use 4. Ask an administrator to raise vcpus_limit.'),
    );
    expect(await usedOf(project, 'vcpus')).toBe('4');
    expect(await miscounted(project)).toEqual([]);
  });

  test('blocks only growth when a limit was set below current use', async () => {
    const id = await createWidget(widgetCall(project), { amounts: { vcpus: 2 } });
    await setLimits(project, { vcpus: 1 });
    await expect(createWidget(widgetCall(project), { amounts: { vcpus: 1 } })).rejects.toThrow(QuotaBreach);
    await createWidget(widgetCall(project), { amounts: { vcpus: 0, instances: 1 } });
    await resizeWidget(widgetCall(project), id, 'vcpus', 1);
    expect(await usedOf(project, 'vcpus')).toBe('5');
    expect(await miscounted(project)).toEqual([]);
  });
});

test('on a deleted project takes nothing', async () => {
  const gone = createWidget(widgetCall(newId()), { amounts: { vcpus: 1 } });
  await expect(gone).rejects.toMatchObject({ status: 404, code: 'RESOURCE_NOT_FOUND' });
});

test('a row that came into use meanwhile cannot be deleted', async () => {
  const { id: project } = await createProject();
  const id = await createWidget(widgetCall(project), { amounts: { vcpus: 1 } });
  await execute(sql`CREATE TABLE shelves (widget_id uuid REFERENCES widgets (id) ON DELETE RESTRICT)`);
  await execute(sql`INSERT INTO shelves VALUES (${id}::uuid)`);
  const remove = (in_use?: string) =>
    commit(widgetCall(project), {
      resource: { type: 'widget', id },
      rows: { gone: sql`DELETE FROM widgets USING verdict WHERE verdict.ok AND widgets.id = ${id}::uuid` },
      release: true,
      ...(in_use === undefined ? {} : { in_use }),
    });
  await expect(remove('A shelf needs it.')).rejects.toMatchObject({ status: 409, message: 'A shelf needs it.' });
  await expect(remove()).rejects.toThrow();
  expect(await usedOf(project, 'vcpus')).toBe('1');
  await execute(sql`DROP TABLE shelves`);
});

test('a change without an action is recorded under its operation', async () => {
  const { id: project } = await createProject();
  const call = widgetCall(project);
  const id = newId();
  await commit(
    { ...call, endpoint: { ...call.endpoint, audit: undefined } },
    { resource: { type: 'widget', id }, rows: {} },
  );
  const entry = await queryOne(sql`SELECT action FROM audit_entries WHERE resource_id = ${id}::text`);
  expect(entry).toEqual({ action: 'widget.create' });
});

describe('decimal amounts', () => {
  test('stay exact through many claims: the limit is reached to the last hundredth', async () => {
    const { id: project } = await createProject();
    const claims = runs(200, 2000);
    await setLimits(project, { storage_tb: `${claims / 100}.00`, ram_gb: 2000 });
    const claim = () => createWidget(widgetCall(project), { amounts: { storage_tb: '0.01', ram_gb: '0.5' } });
    const results = await Promise.allSettled(Array.from({ length: claims + 1 }, claim));
    const refused = results.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(1);
    expect(refused[0]).toMatchObject({
      reason: {
        message: `Quota exceeded for storage_tb: limit ${claims / 100}, in use ${claims / 100}. Ask an administrator to raise storage_tb_limit.`,
      },
    });
    expect(await usedOf(project, 'storage_tb')).toBe(String(claims / 100));
    expect(await usedOf(project, 'ram_gb')).toBe(String(claims / 2));
    expect(await miscounted(project)).toEqual([]);
  }, 60_000);

  test('appear in a breach without trailing zeros', async () => {
    const { id: project } = await createProject();
    await setLimits(project, { ram_gb: '4.50' });
    await createWidget(widgetCall(project), { amounts: { ram_gb: '4.25' } });
    await expect(createWidget(widgetCall(project), { amounts: { ram_gb: '0.5' } })).rejects.toThrow(
      'Quota exceeded for ram_gb: limit 4.5, in use 4.25. Ask an administrator to raise ram_gb_limit.',
    );
  });
});

describe('a release', () => {
  test('gives back once, however often and however concurrently it is requested', async () => {
    const { id: project } = await createProject();
    const id = await createWidget(widgetCall(project), { amounts: { vcpus: 3, instances: 1 } });
    await createWidget(widgetCall(project), { amounts: { vcpus: 5, instances: 1 } });
    const deletes = await Promise.allSettled(Array.from({ length: 20 }, () => deleteWidget(widgetCall(project), id)));
    expect(deletes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await usedOf(project, 'vcpus')).toBe('5');
    expect(await miscounted(project)).toEqual([]);
  });

  test('includes a dimension that a resize claimed while the release waited for the project', async () => {
    for (let round = 0; round < runs(5, 20); round++) {
      const { id: project } = await createProject();
      const id = await createWidget(widgetCall(project), { amounts: { instances: 1 } });
      const hold = await holdAccount(project);
      const both = Promise.allSettled([
        resizeWidget(widgetCall(project), id, 'storage_tb', '0.5'),
        deleteWidget(widgetCall(project), id),
      ]);
      await vi.waitFor(async () => expect(await waiting()).toBe(2), { interval: 1, timeout: 15_000 });
      await hold.release();
      const [, deleted] = await both;
      expect(deleted.status).toBe('fulfilled');
      expect(await miscounted(project)).toEqual([]);
      expect(await usedOf(project, 'storage_tb')).toBe('0');
    }
  });

  test('and resizes of the same and other resources run in parallel without a deadlock', async () => {
    const { id: project } = await createProject();
    const deadlocksBefore = await deadlocks();
    const ids = await Promise.all(
      Array.from({ length: 8 }, () => createWidget(widgetCall(project), { amounts: { instances: 1, vcpus: 1 } })),
    );
    const changes = ids.flatMap((id) => [
      resizeWidget(widgetCall(project), id, 'vcpus', 2),
      resizeWidget(widgetCall(project), id, 'ram_gb', 1),
      deleteWidget(widgetCall(project), id),
      createWidget(widgetCall(project), { amounts: { vcpus: 1 } }),
    ]);
    await Promise.allSettled(changes);
    expect(await deadlocks()).toBe(deadlocksBefore);
    expect(await miscounted(project)).toEqual([]);
    expect(await usedOf(project, 'vcpus')).toBe('8');
  });
});

/** Locks the project's account until released. */
async function holdAccount(project: string) {
  const client = await pool().connect();
  await client.query('BEGIN');
  await client.query('SELECT 1 FROM project_accounts WHERE project_id = $1 FOR UPDATE', [project]);
  return {
    async release() {
      await client.query('COMMIT');
      client.release();
    },
  };
}

async function waiting(): Promise<number | undefined> {
  const row = await queryOne<{ n: number }>(
    sql`SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return row?.n;
}

async function deadlocks(): Promise<number | undefined> {
  await execute(sql`SELECT pg_stat_force_next_flush()`);
  const row = await queryOne<{ n: number }>(
    sql`SELECT deadlocks::int AS n FROM pg_stat_database WHERE datname = current_database()`,
  );
  return row?.n;
}

describe('a refusal over HTTP', () => {
  const call = api(widgetEndpoints);
  let acme: TestProject;
  beforeAll(async () => {
    acme = await createProject();
    await setLimits(acme.id, { instances: 1 });
  });
  const create = (body: object, headers = {}) =>
    call('POST', '/test/widgets', { token: acme.users.member.token, body, headers });

  test('by quota is 403 with the detail alone, and frees its Idempotency-Key', async () => {
    expect((await create({ name: 'first', instances: 1 })).status).toBe(201);
    const headers = { 'Idempotency-Key': 'retry-1' };
    const refused = await create({ name: 'second', instances: 1 }, headers);
    expect(refused.status).toBe(403);
    expect(refused.body).toEqual({
      detail: 'Quota exceeded for instances: limit 1, in use 1. Ask an administrator to raise instances_limit.',
    });
    await setLimits(acme.id, { instances: 2 });
    expect((await create({ name: 'second', instances: 1 }, headers)).status).toBe(201);
    const again = await create({ name: 'second', instances: 1 }, headers);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
  });

  test('comes in the order 404, 409, 403', async () => {
    expect((await create({ name: 'first', instances: 1 })).body).toMatchObject({ error: { code: 'CONFLICT' } });
    expect((await create({ name: 'third', instances: 1 })).status).toBe(403);
    const gone = await call('DELETE', `/test/widgets/${acme.id}`, { token: acme.users.member.token });
    expect(gone.body).toMatchObject({ error: { code: 'RESOURCE_NOT_FOUND' } });
  });

  test('leaves one audit entry and nothing else', async () => {
    await create({ name: 'fourth', instances: 1 });
    const row = await queryOne<{ widgets: number; entries: number; code: string }>(sql`SELECT
      (SELECT count(*)::int FROM widgets WHERE name = 'fourth') AS widgets,
      count(*)::int AS entries, min(code) AS code FROM audit_entries
      WHERE result = 'refused' AND at = (SELECT max(at) FROM audit_entries WHERE project_id = ${acme.id}::uuid)`);
    expect(row).toEqual({ widgets: 0, entries: 1, code: 'FORBIDDEN' });
  });
});
