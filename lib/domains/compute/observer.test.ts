import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { newId } from '@/lib/core/db/id';
import { execute, query, queryOne } from '@/lib/core/db/pool';
import { prisma } from '@/lib/core/db/prisma';
import { sql } from '@/lib/core/db/sql';
import { keepSamples } from '@/lib/core/devices/samples';
import { startWorker, type Worker } from '@/lib/core/operations/worker';
import { prepareSteps } from '@/lib/domains/images/steps';
import { ForeignMachines, reportHost } from '@/lib/hosts/agent/host-report';
import { powerDown } from '@/lib/hosts/agent/power-down';
import { reservationDifferences } from '@/lib/hosts/engine-reports/reservations';
import { watchesOf } from '@/lib/platform/work';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { idOf, launch } from '@/lib/testing/machines';
import { type MemoryEngines, useMemoryEngines } from '@/lib/testing/memory-engines';
import { api, createProject, createUser, type TestProject } from '@/lib/testing/world';
import { instanceRoom } from './admission';
import { instanceSeries } from './instance-metrics';
import { Observer } from './observer';
import { instanceSteps } from './steps';

testDatabase();
const call = api();
let acme: TestProject;
let engines: MemoryEngines;
let observer: Observer;
let worker: Worker;

beforeAll(() => {
  worker = startWorker({ steps: [...instanceSteps, prepareSteps], jobs: [] });
});
afterAll(() => worker.stop());
afterEach(() => setTestClock(0));
beforeEach(async () => {
  engines = useMemoryEngines();
  observer = new Observer('test-host');
  await execute(sql`UPDATE images SET status = 'queued'`);
  await execute(sql`TRUNCATE cells CASCADE`);
  await reportHost('test-host');
  acme = await createProject('acme');
});

const read = async (id: string) =>
  (await call('GET', `/compute/instances/${id}`, { token: acme.users.reader.token })).body;
const becomes = (id: string, state: object) =>
  expect.poll(() => read(id), { timeout: 10_000, interval: 20 }).toMatchObject(state);

async function running(): Promise<string> {
  const id = idOf(await launch(call, acme));
  await becomes(id, { status: 'active', task: null });
  return id;
}

test('a machine that was lost is brought back, with a word to its owner', async () => {
  const id = await running();
  engines.befall(id, 'crashed');
  await observer.look();
  expect(await read(id)).toMatchObject({
    status: 'rebooting',
    status_reason: expect.stringContaining('after a crash'),
  });
  await becomes(id, { status: 'active', task: null, status_reason: null });
  expect(engines.machines.get(id)?.fault).toBeNull();
});

test('the back office shows the machine inside a cell that has an instance, as the engine last reported it', async () => {
  const id = await running();
  const { token } = await createUser('root@example.test', 'backoffice');
  const nodes = async () => {
    const { body } = await call('GET', `/admin/api/v1/operations?resource_id=${id}`, { token });
    return z.array(z.object({ node: z.string().nullable() })).parse(body);
  };
  await observer.look();
  expect(await nodes()).toEqual([{ node: null }]);
  for (const node of ['blade-7', 'blade-8', null]) {
    engines.node = node;
    await observer.look();
    expect(await nodes()).toEqual([{ node }]);
  }
});

const HOUR_MS = 3_600_000;
const spansOf = (id: string, metric: string) =>
  query<{ from: Date; to: Date | null }>(sql`SELECT started_at AS from, ended_at AS to FROM spans
    WHERE resource_id = ${id}::uuid AND metric = ${metric}::text ORDER BY id`);

test('a machine that was lost while nobody looked is billed until it was last seen, and its disk on', async () => {
  const id = await running();
  const before = Date.now();
  await observer.look();
  const after = Date.now();
  await setTestClock(6 * HOUR_MS);
  engines.befall(id, 'crashed');
  await observer.look();
  const [billed, again] = await spansOf(id, 'compute_vcpu');
  expect(billed?.to?.getTime()).toBeGreaterThanOrEqual(before);
  expect(billed?.to?.getTime()).toBeLessThanOrEqual(after);
  // It is being brought back, which is billed.
  expect(again?.from.getTime()).toBeGreaterThanOrEqual(after + 6 * HOUR_MS);
  expect(await spansOf(id, 'block_storage')).toMatchObject([{ to: null }]);
  await becomes(id, { status: 'active', task: null });
});

test('a machine that was lost while the worker was away is billed until its last sample', async () => {
  const id = await running();
  const sampled = new Date(Date.now() + HOUR_MS);
  const { project_id } = await prisma().instance.findFirstOrThrow({ where: { id } });
  await keepSamples(instanceSeries, [{ project_id, device_id: id, at: sampled, values: instanceSeries.map(() => 0) }]);
  await setTestClock(6 * HOUR_MS);
  engines.machines.delete(id);
  await new Observer('test-host').look();
  expect(await read(id)).toMatchObject({ status: 'error' });
  expect(await spansOf(id, 'compute_vcpu')).toMatchObject([{ to: sampled }]);
});

test('a guest that switched itself off is stopped, and says so until it is started', async () => {
  const id = await running();
  engines.befall(id, 'guest_shutdown');
  await observer.look();
  await becomes(id, { status: 'stopped', task: null, status_reason: 'The guest shut down.' });
  await call('POST', `/compute/instances/${id}/action`, { token: acme.users.member.token, body: { action: 'start' } });
  await becomes(id, { status: 'active', task: null, status_reason: null });
});

test('the machines of a suspended project stop, and can be started when it is resumed', async () => {
  const id = await running();
  const setStatus = (status: string) =>
    execute(sql`UPDATE projects SET status = ${status}::text WHERE id = ${acme.id}::uuid`);
  await setStatus('suspended');
  await observer.look();
  await expect.poll(() => engines.machines.get(id)?.spec.power, { timeout: 10_000, interval: 20 }).toBe('stopped');
  await setStatus('active');
  await becomes(id, { status: 'stopped', task: null, status_reason: 'The project was suspended.' });
  await call('POST', `/compute/instances/${id}/action`, { token: acme.users.member.token, body: { action: 'start' } });
  await becomes(id, { status: 'active', task: null, status_reason: null });
});

test('a machine that no row knows is stopped and reported, and keeps its data; one of another host’s row is not touched', async () => {
  const mine = await running();
  const theirs = await running();
  const spec = engines.machines.get(mine)?.spec;
  if (!spec) throw new Error('there is no machine');
  const stray = '0194d000-0000-7000-8000-000000000001';
  const machine = { spec: { ...spec, id: stray }, fault: null, off: false, startedAt: new Date() };
  engines.machines.set(stray, machine);
  await execute(sql`INSERT INTO cells SELECT (jsonb_populate_record(c, '{"id": "other-host"}')).* FROM cells c`);
  await execute(sql`UPDATE instances SET cell_id = 'other-host' WHERE id = ${theirs}::uuid`);
  const incidents = () => query(sql`SELECT resource_id, closed_at IS NULL AS open FROM incidents`);
  await observer.look();
  await observer.look();
  expect([stray, mine, theirs].map((id) => engines.machines.get(id)?.off)).toEqual([true, false, false]);
  expect(await incidents()).toEqual([{ resource_id: stray, open: true }]);
  engines.machines.delete(stray);
  await observer.look();
  expect(await incidents()).toEqual([{ resource_id: stray, open: false }]);
});

test('a machine whose instance was deleted is a leftover, and removed', async () => {
  const id = await running();
  const machine = engines.machines.get(id);
  if (!machine) throw new Error('there is no machine');
  await call('DELETE', `/compute/instances/${id}`, { token: acme.users.member.token });
  await vi.waitFor(() => expect(engines.machines.has(id)).toBe(false), { timeout: 5000 });
  await vi.waitFor(
    async () => expect(await queryOne(sql`SELECT FROM instances WHERE id = ${id}::uuid`)).toBeUndefined(),
    15_000,
  );
  engines.machines.set(id, machine);
  await observer.look();
  expect(engines.machines.has(id)).toBe(false);
});

test('what is being done by an operation is left alone', async () => {
  const id = await running();
  await execute(sql`UPDATE instances SET task = 'stopping' WHERE id = ${id}::uuid`);
  await prisma().operation.updateMany({
    where: { resource_id: id },
    data: { status: 'pending', run_at: new Date('2999-01-01') },
  });
  engines.befall(id, 'crashed');
  await observer.look();
  expect(await read(id)).toMatchObject({ status: 'active', task: 'stopping' });
});

test('what the platform powers down with itself keeps its wanted state, and boots with the next start', async () => {
  const [on, off] = [await running(), await running()];
  await call('POST', `/compute/instances/${off}/action`, { token: acme.users.member.token, body: { action: 'stop' } });
  await becomes(off, { status: 'stopped', task: null });
  await powerDown('test-host', watchesOf('test-host'));
  expect(await read(on)).toMatchObject({ status: 'stopped', status_reason: expect.stringContaining('platform') });
  expect(engines.machines.get(on)?.off).toBe(true);
  expect(engines.routers.size).toBe(0);
  await new Observer('test-host').look();
  await becomes(on, { status: 'active', task: null, status_reason: null });
  expect(await read(off)).toMatchObject({ status: 'stopped', status_reason: null });
});

test('a platform that stops leaves no network, stops what no row knows, and touches nothing of another database', async () => {
  const id = await running();
  engines.routers.set(id, { id, networks: [], securityGroups: [], floatingIps: [] });
  await execute(sql`TRUNCATE cells CASCADE`);
  await powerDown('test-host', watchesOf('test-host'));
  expect([engines.machines.size, engines.routers.has(id)]).toEqual([1, true]);
  await createCell();
  await powerDown('test-host', watchesOf('test-host'));
  expect([engines.machines.get(id)?.off, engines.routers.size]).toEqual([true, 0]);
});

test('machines of another database are never touched: the host refuses to take part', async () => {
  await running();
  await execute(sql`TRUNCATE cells CASCADE`);
  await expect(reportHost('test-host')).rejects.toThrow(ForeignMachines);
  expect(await queryOne(sql`SELECT FROM cells`)).toBeUndefined();
  expect(engines.machines.size).toBe(1);
});

test('what a host has promised is counted anew with each report', async () => {
  await running();
  const promised = { vcpus_reserved: 1, memory_mb_reserved: 416, disk_gb_reserved: 2, gpu_slices_reserved: 0 };
  expect(await prisma().cell.findFirst()).toMatchObject(promised);
  await execute(
    sql`UPDATE cells SET vcpus_reserved = 9, memory_mb_reserved = 9, disk_gb_reserved = 9, gpu_slices_reserved = 9`,
  );
  await reportHost('test-host');
  expect(await prisma().cell.findFirst()).toMatchObject(promised);
});

test('what exists without its reservation is reported, and reservations of what does not exist', async () => {
  const id = await running();
  expect(await reservationDifferences([instanceRoom])).toEqual([]);
  const gone = newId();
  await execute(sql`INSERT INTO devices (project_id, id, kind) VALUES (${acme.id}::uuid, ${gone}::uuid, 'volume')`);
  await execute(sql`UPDATE reservations SET amount = 3 WHERE kind = 'vcpus'`);
  await execute(sql`UPDATE reservations SET device_id = ${gone}::uuid WHERE kind = 'disk_gb'`);
  const found = await reservationDifferences([instanceRoom]);
  expect(found).toHaveLength(3);
  expect(found).toEqual(
    expect.arrayContaining([
      { cell_id: 'test-host', device_id: id, kind: 'vcpus', expected: 1, reserved: 3 },
      { cell_id: 'test-host', device_id: id, kind: 'disk_gb', expected: 2, reserved: null },
      { cell_id: 'test-host', device_id: gone, kind: 'disk_gb', expected: null, reserved: 2 },
    ]),
  );
});

test('a host with a full disk takes on nothing more', async () => {
  engines.capacity = { ...engines.capacity, diskBytes: { total: 2 ** 40, free: 0, held: 2 ** 39 } };
  await reportHost('test-host');
  expect((await launch(call, acme)).body).toMatchObject({ error: { code: 'CAPACITY_EXHAUSTED' } });
});
