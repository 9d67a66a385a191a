import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { none } from '@/lib/core/domains/portal';
import { startWorker, type Worker } from '@/lib/core/operations/worker';
import { type Engines, engineOf, replaceEngines } from '@/lib/engines/engines';
import { reportEngines, reportHost } from '@/lib/hosts/agent/host-report';
import { powerDown } from '@/lib/hosts/agent/power-down';
import { cookieOf, startConsoles, ticketOf } from '@/lib/testing/consoles';
import { testDatabase } from '@/lib/testing/database';
import { createCell, TINY_IMAGE } from '@/lib/testing/hosts';
import { idOf, launch } from '@/lib/testing/machines';
import { MemoryEngines } from '@/lib/testing/memory-engines';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { operationSteps, periodicJobs, watchesOf } from './work';

/** Two cells served by one process, each with its own engines and a project whose machines are there. */
const cells = ['test-host', 'cell-b'] as const;
type CellName = (typeof cells)[number];

testDatabase();
const call = api();
let engines: Record<CellName, MemoryEngines>;
let projects: Record<CellName, TestProject>;
/** Calls of each cell's engines, such as `compute.ensureInstance`. */
let calls: Record<CellName, string[]>;
const workers: Worker[] = [];
const running = new AbortController().signal;
let consoles: Awaited<ReturnType<typeof startConsoles>>;

beforeAll(async () => {
  consoles = await startConsoles((socket) => socket.on('data', (bytes) => socket.write(bytes)));
});
afterAll(async () => {
  consoles.close();
  await Promise.all(workers.map((worker) => worker.stop()));
});

beforeEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  await execute(sql`TRUNCATE cells CASCADE`);
  await execute(sql`UPDATE images SET status = 'active' WHERE id = ${TINY_IMAGE}::uuid`);
  calls = { 'test-host': [], 'cell-b': [] };
  engines = { 'test-host': new MemoryEngines(), 'cell-b': new MemoryEngines() };
  for (const cell of cells) {
    engines[cell].builtImages.add(TINY_IMAGE);
    engines[cell].sockets = consoles.sockets;
    replaceEngines(noting(engines[cell], calls[cell]), cell);
    await createCell(cell);
  }
  projects = { 'test-host': await createProject('acme'), 'cell-b': await createProject('globex') };
});

/** Wraps engines to record their calls. */
function noting(real: MemoryEngines, noted: string[]): Engines {
  const part = <Part extends object>(name: string, engine: Part): Part =>
    new Proxy(engine, {
      get(target, method) {
        noted.push(`${name}.${String(method)}`);
        return Reflect.get(target, method);
      },
    });
  return {
    compute: part('compute', real.compute),
    network: part('network', real.network),
    storage: part('storage', real.storage),
    images: part('images', real.images),
    services: part('services', real.services),
    functions: part('functions', real.functions),
    programs: part('programs', real.programs),
    probe: () => real.probe(),
  };
}

const work = (cell: CellName) => workers.push(startWorker({ cell, steps: operationSteps, jobs: [] }));

/** A new instance of the cell's project. The first one determines the project's cell, so only that cell has room. */
async function launchIn(cell: CellName): Promise<string> {
  for (const other of cells) await createCell(other, { memory_mb: other === cell ? 1_000_000 : 0 });
  return idOf(await launch(call, projects[cell]));
}

const statusOf = async (cell: CellName, id: string) =>
  (await call('GET', `/compute/instances/${id}`, { token: projects[cell].users.reader.token })).body;
const isActive = (cell: CellName, id: string) =>
  expect.poll(() => statusOf(cell, id), { timeout: 10_000, interval: 20 }).toMatchObject({ status: 'active' });

test('operations of two cells run in one process, each with its own cell’s engines', async () => {
  for (const cell of cells) work(cell);
  const ids = { 'test-host': await launchIn('test-host'), 'cell-b': await launchIn('cell-b') };
  for (const cell of cells) {
    await isActive(cell, ids[cell]);
    expect([...engines[cell].machines.keys()]).toEqual([ids[cell]]);
    expect(engines[cell].routers.size).toBe(1);
  }
});

test('operations, observers, reports and a power-down of a cell never call another cell’s engines', async () => {
  work('cell-b');
  const waiting = await launchIn('test-host');
  const id = await launchIn('cell-b');
  await isActive('cell-b', id);
  await reportHost('cell-b');
  await reportEngines('cell-b', () => []);
  const watches = watchesOf('cell-b');
  for (const { join, looks, changed, troubles } of watches) {
    if (join !== none) await join();
    // A folder of uploads is the only thing that in-memory engines lack.
    for (const { begin } of looks) await begin().look(running).catch(expectNoUploads);
    if (changed !== none) await changed();
    if (troubles !== none) troubles.list();
  }
  await powerDown('cell-b', watches);
  expect(engines['cell-b'].machines.get(id)?.off).toBe(true);
  expect(calls['cell-b']).toEqual(
    expect.arrayContaining(['compute.ensureInstance', 'network.ensureRouter', 'services.observeServices']),
  );
  expect(calls['test-host']).toEqual([]);
  expect(await statusOf('test-host', waiting)).toMatchObject({ status: 'provisioning' });
});

test('recurring jobs, which a worker of any cell runs, use the engines of none', async () => {
  work('cell-b');
  await isActive('cell-b', await launchIn('cell-b'));
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  for (const cell of cells) calls[cell].length = 0;
  expect(periodicJobs.length).toBeGreaterThan(20);
  for (const job of periodicJobs) await job.run(running);
  expect(calls).toEqual({ 'test-host': [], 'cell-b': [] });
});

function expectNoUploads(error: unknown): void {
  expect(error).toMatchObject({ code: 'ENGINE_UNAVAILABLE', message: 'Nothing is kept here.' });
}

test('a power-down stops everything in a cell, and leaves rows of other cells unchanged', async () => {
  for (const cell of cells) work(cell);
  const id = await launchIn('cell-b');
  await isActive('cell-b', id);
  const [machine] = engines['cell-b'].machines.values();
  if (machine) engines['test-host'].machines.set(id, { ...machine });
  for (const router of engines['cell-b'].routers.values()) engines['test-host'].routers.set(router.id, router);
  await powerDown('test-host', watchesOf('test-host'));
  expect(engines['test-host'].machines.get(id)?.off).toBe(true);
  expect(engines['cell-b'].machines.get(id)?.off).toBe(false);
  expect(await statusOf('cell-b', id)).toMatchObject({ status: 'active' });
});

test.each(cells)('a console and a boot log of %s come from its own engines', async (cell) => {
  for (const one of cells) work(one);
  const id = await launchIn(cell);
  await isActive(cell, id);
  const { token } = projects[cell].users.member;
  const cookie = await cookieOf(id, ticketOf(await call('GET', `/compute/instances/${id}/console`, { token })));
  for (const other of cells) calls[other].length = 0;
  const screen = await consoles.connect(id, 'vnc', { Cookie: cookie, Origin: consoles.origin });
  screen.socket.send('RFB 003.008');
  await expect.poll(screen.seen).toBe('RFB 003.008');
  screen.socket.close();
  const log = await call('GET', `/compute/instances/${id}/console-log?lines=1`, { token });
  expect(log.body).toMatchObject({ output: `${id} line 3` });
  expect(calls[cell]).toEqual(expect.arrayContaining(['compute.openConsole', 'compute.consoleLog']));
  expect(calls[cell === 'cell-b' ? 'test-host' : 'cell-b']).toEqual([]);
});

test('asking for the engines of a cell that this process does not serve is an error', async () => {
  expect(() => engineOf('cell-c')).toThrow('This process does not serve host cell-c.');
});
