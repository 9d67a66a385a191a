import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { DatabaseAway } from '@/lib/core/db/away';
import { newId } from '@/lib/core/db/id';
import { execute, query, queryRow } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { ownCell, settings } from '@/lib/settings';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { useMemoryEngines } from '@/lib/testing/memory-engines';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import type { Invocation, InvocationResult } from '../schema';
import { History } from './history';
import { FunctionHost } from './host';
import { Journal } from './journal';

testDatabase();
const call = api();
const journals = join(settings().dataDir, 'functions', 'journal', ownCell());
let acme: TestProject;
let host: FunctionHost;
let engines: ReturnType<typeof useMemoryEngines>;

beforeEach(async () => {
  await createCell();
  engines = useMemoryEngines();
  acme = await createProject('acme');
  host = new FunctionHost(ownCell());
  return () => {
    vi.restoreAllMocks();
    return host.end();
  };
});

const as = () => ({ token: acme.users.member.token });
const invoke = (id: string, payload: unknown = 1) =>
  call('POST', `/functions/${id}/invoke`, { ...as(), body: { payload } });
const read = async (id: string, of: string) =>
  (await call('GET', `/functions/${id}/invocations/${of}`, as())).body as Invocation;

async function deploy(name = 'hello'): Promise<string> {
  const body = { name, template_id: 'python3.11', code: 'x = 1' };
  const { id } = (await call('POST', '/functions', { ...as(), body })).body as { id: string };
  await vi.waitFor(async () => {
    await host.look();
    expect((await call('GET', `/functions/${id}`, as())).body).toMatchObject({ status: 'active' });
  }, 15_000);
  return id;
}

/** From now on the pool writes nothing to the database, as if it had been killed. @param more further methods that do nothing */
function kill(...more: 'end'[]): void {
  for (const method of ['written', 'close', ...more] as const) vi.spyOn(History.prototype, method).mockResolvedValue();
}
const files = () => readdir(journals).catch(() => []);
const otherPools = async () =>
  (await queryRow<{ n: number }>(sql`SELECT count(*)::int AS n FROM function_pools WHERE id <> ${host.pool.id}::uuid`))
    .n;
const history = () =>
  query<{ function_id: string; status: string }>(
    sql`SELECT function_id, status FROM function_invocations WHERE project_id = ${acme.id}::uuid`,
  );

const billed = async () =>
  (
    await queryRow<{ n: number }>(
      sql`SELECT coalesce(sum(quantity), 0)::int AS n FROM usage_events WHERE project_id = ${acme.id}::uuid`,
    )
  ).n;

/** Another pool takes over, as after a kill of the worker. */
async function restart(): Promise<void> {
  await host.end();
  vi.restoreAllMocks();
  host = new FunctionHost(ownCell());
  await host.look();
}

test('whoever was answered finds the outcome in the history at once', async () => {
  const id = await deploy();
  for (let n = 0; n < 5; n += 1) {
    const answer = (await invoke(id, n)).body as InvocationResult;
    expect(await read(id, answer.invocation_id)).toMatchObject({ status: 'succeeded', result: n, attempts: 1 });
  }
  const list = (await call('GET', `/functions/${id}/invocations`, as())).body as Invocation[];
  expect(list.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'succeeded'));
  await host.end();
  expect(await files()).toEqual([]);
  host = new FunctionHost(ownCell());
});

test('a pool that is killed after its answer has left the outcome, and the next one writes it once', async () => {
  const id = await deploy();
  kill();
  engines.functions.handler = async (event, _, say) => {
    say(`said ${event}\u0000`);
    return { kind: 'result', result: { event, half: '\ud800' } };
  };
  const answers = (await Promise.all([1, 2, 3].map((n) => invoke(id, n)))).map(({ body }) => body as InvocationResult);
  expect(answers.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
  expect(await history()).toEqual([]);
  const [left = ''] = await files();
  // Its process was in the middle of a line when it ended.
  await writeFile(join(journals, left), '{"id":"019a', { flag: 'a' });
  await restart();
  for (const [index, { invocation_id }] of answers.entries()) {
    const found = await read(id, invocation_id);
    expect(found).toMatchObject({ status: 'succeeded', attempts: 1, result: { event: index + 1 } });
    expect(found.log.map(({ message }) => message)).toContain(`said ${index + 1}\ufffd`);
  }
  expect([await otherPools(), (await history()).length, await files()]).toEqual([0, 3, []]);
  expect(await billed()).toBe(3);
});

test('a journal line that the database already has is neither written nor billed twice', async () => {
  const id = await deploy();
  kill();
  const { invocation_id } = (await invoke(id)).body as InvocationResult;
  const [name = ''] = await files();
  const journal = await readFile(join(journals, name), 'utf8');
  expect(journal).toContain('succeeded');
  vi.restoreAllMocks();
  expect((await read(id, invocation_id)).status).toBe('succeeded');
  kill();
  await writeFile(join(journals, name.replace('.a', '.c')), journal.replaceAll('succeeded', 'failed'));
  await execute(sql`DELETE FROM function_invocations WHERE id = ${invocation_id}::uuid`);
  await restart();
  expect([await history(), await billed(), await files()]).toEqual([[], 1, []]);
});

test('an event whose start alone is in the journal was interrupted, and is billed', async () => {
  const id = await deploy();
  kill('end');
  engines.functions.handler = () => new Promise(() => {});
  const running = invoke(id);
  await vi.waitFor(async () => expect(await files()).toHaveLength(2), 15_000);
  await restart();
  await running;
  const list = (await call('GET', `/functions/${id}/invocations`, as())).body as Invocation[];
  expect(list).toMatchObject([{ status: 'failed', attempts: 1, error: { type: 'Platform.Interrupted' } }]);
  expect(await billed()).toBe(1);
});

test('a write whose answer was lost is repeated without effect', async () => {
  const id = await deploy();
  kill();
  await invoke(id);
  vi.restoreAllMocks();
  const writes: { insert(...args: unknown[]): Promise<void> } = Object.getPrototypeOf(
    Reflect.get(host.pool.ledger, 'history'),
  );
  const insert = writes.insert;
  vi.spyOn(writes, 'insert').mockImplementationOnce(async function (this: unknown, ...args) {
    await insert.apply(this, args);
    throw new DatabaseAway('The connection was lost after the commit.');
  });
  await expect(host.pool.ledger.written()).rejects.toThrow(DatabaseAway);
  await invoke(id);
  await host.pool.ledger.written();
  expect([(await history()).map(({ status }) => status), await billed()]).toEqual([['succeeded', 'succeeded'], 2]);
});

test('whoever reads waits for what there was, however much comes meanwhile', async () => {
  const id = await deploy();
  kill();
  await invoke(id);
  vi.restoreAllMocks();
  const history: History = Reflect.get(host.pool.ledger, 'history');
  const writes: { insert(...args: unknown[]): Promise<void> } = Object.getPrototypeOf(history);
  const insert = writes.insert;
  const start = {
    project_id: acme.id,
    function_id: id,
    name: 'hello',
    version: 1,
    trigger: 'api',
    caller: null,
    payload: null,
  } as const;
  const inserts = vi.spyOn(writes, 'insert').mockImplementation(async function (this: unknown, ...args) {
    if (inserts.mock.calls.length < 20) await history.start({ ...start, id: newId() });
    await insert.apply(this, args);
  });
  await host.pool.ledger.written();
  expect(inserts).toHaveBeenCalledTimes(1);
});

test('what runs is in the history after a moment, and its outcome takes the place', async () => {
  const id = await deploy();
  let end = () => {};
  engines.functions.handler = () =>
    new Promise((resolve) => {
      end = () => resolve({ kind: 'result', result: 'late' });
    });
  const running = invoke(id);
  await vi.waitFor(async () => {
    await host.look();
    const list = (await call('GET', `/functions/${id}/invocations`, as())).body as Invocation[];
    expect(list).toMatchObject([{ status: 'running', attempts: 1 }]);
  }, 15_000);
  expect(await billed()).toBe(1);
  end();
  const { invocation_id } = (await running).body as InvocationResult;
  expect(await read(id, invocation_id)).toMatchObject({ status: 'succeeded', result: 'late', attempts: 1 });
  expect(await billed()).toBe(1);
});

test('a disk that takes no journal makes callers wait for the database', async () => {
  const id = await deploy();
  vi.spyOn(Journal.prototype, 'add').mockImplementation(() => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  });
  const { invocation_id } = (await invoke(id)).body as InvocationResult;
  expect(invocation_id).toBeTruthy();
  expect(await history()).toEqual([{ function_id: id, status: 'succeeded' }]);
});

test('an outcome of a function that was deleted meanwhile keeps no other from the history', async () => {
  const [one, other] = [await deploy('one'), await deploy('other')];
  kill();
  await Promise.all([invoke(one), invoke(other)]);
  vi.restoreAllMocks();
  await execute(sql`DELETE FROM functions WHERE id = ${one}::uuid`);
  await host.pool.ledger.written();
  expect(await history()).toEqual([{ function_id: other, status: 'succeeded' }]);
  expect(await billed()).toBe(2);
});
