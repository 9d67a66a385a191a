import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { execute, queryRow } from '@/lib/core/db/pool';
import { Sql, sql } from '@/lib/core/db/sql';
import { reservationDifferences } from '@/lib/hosts/engine-reports/reservations';
import { ownCell } from '@/lib/settings';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { type MemoryEngines, useMemoryEngines } from '@/lib/testing/memory-engines';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { FunctionHost } from './pool/host';
import { functionsWork } from './work';

testDatabase();
const call = api();
const [MEMORY_MB, ROOM_MB] = [128, 300];
/** For a machine with much else to do. */
const PATIENCE = { timeout: 30_000, interval: 50 };
let acme: TestProject;
let engines: MemoryEngines;
let host: FunctionHost;
let release = () => {};

beforeEach(async () => {
  await createCell(ownCell(), { memory_mb: ROOM_MB });
  acme = await createProject('acme');
  engines = useMemoryEngines();
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  engines.functions.handler = async () => {
    await held;
    return { kind: 'result', result: 1 };
  };
  host = new FunctionHost(ownCell());
  await host.look();
});
afterEach(() => host.end());

const as = () => ({ token: acme.users.member.token });
async function deploy(name: string): Promise<string> {
  const body = { name, template_id: 'python3.11', code: 'x = 1', memory_mb: MEMORY_MB };
  const { id } = (await call('POST', '/functions', { ...as(), body })).body as { id: string };
  await vi.waitFor(async () => {
    await host.look();
    expect((await call('GET', `/functions/${id}`, as())).body).toMatchObject({ status: 'active' });
  }, PATIENCE);
  return id;
}
const invoke = (id: string) => call('POST', `/functions/${id}/invoke`, { ...as(), body: {} });
const reserved = async () =>
  (await queryRow<{ mb: number }>(sql`SELECT memory_mb_reserved AS mb FROM cells WHERE id = ${ownCell()}::text`)).mb;
const differences = () => reservationDifferences(functionsWork.room instanceof Sql ? [functionsWork.room] : []);

test('an instance holds its memory in the cell before it starts, and one that does not fit is refused and not billed', async () => {
  const id = await deploy('one');
  expect(await reserved()).toBe(MEMORY_MB);
  const running = [invoke(id), invoke(id)];
  await vi.waitFor(() => expect(host.pool.busyOf(id)).toBe(2), PATIENCE);
  await vi.waitFor(async () => expect(await reserved()).toBe(2 * MEMORY_MB), PATIENCE);
  const refused = await invoke(id);
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([503, expect.stringContaining('no memory')]);
  expect(await differences()).toEqual([]);
  release();
  expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200]);
  await host.pool.ledger.written();
  const { n } = await queryRow<{ n: number }>(sql`SELECT sum(attempts)::int AS n FROM function_invocations`);
  expect(n).toBe(2);
});

test('idle instances end for those of another function, and their memory is released', async () => {
  release();
  const [one, two] = [await deploy('one'), await deploy('two')];
  expect(await reserved()).toBe(2 * MEMORY_MB);
  const three = await deploy('three');
  expect((await invoke(three)).status).toBe(200);
  expect((await invoke(one)).status).toBe(200);
  expect(await reserved()).toBeLessThanOrEqual(ROOM_MB);
  for (const id of [one, two, three]) expect((await call('DELETE', `/functions/${id}`, as())).status).toBeLessThan(300);
  await host.tidy();
  await vi.waitFor(async () => {
    await host.tidy();
    expect(await reserved()).toBe(0);
  }, PATIENCE);
  expect(await differences()).toEqual([]);
});

test('a pool releases what a killed one had reserved', async () => {
  release();
  await deploy('one');
  // A killed pool gives nothing back.
  host.pool.instances.room.trim = async () => {};
  await host.end();
  expect(await reserved()).toBe(MEMORY_MB);
  host = new FunctionHost(ownCell());
  await host.look();
  expect(await reserved()).toBe(0);
  expect(await differences()).toEqual([]);
});

test('memory that machines hold is not given to functions', async () => {
  await execute(sql`UPDATE cells SET memory_mb_reserved = ${ROOM_MB - MEMORY_MB}::int WHERE id = ${ownCell()}::text`);
  const id = await deploy('one');
  const running = invoke(id);
  await vi.waitFor(() => expect(host.pool.busyOf(id)).toBe(1), PATIENCE);
  expect((await invoke(id)).status).toBe(503);
  release();
  expect((await running).status).toBe(200);
});
