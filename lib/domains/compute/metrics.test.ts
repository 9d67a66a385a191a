import { beforeAll, beforeEach, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute } from '@/lib/core/db/pool';
import { prisma } from '@/lib/core/db/prisma';
import { sql } from '@/lib/core/db/sql';
import { keepSamples } from '@/lib/core/devices/samples';
import { sampleVolumes } from '@/lib/domains/storage/telemetry';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { idOf, launch } from '@/lib/testing/machines';
import { type MemoryEngines, useMemoryEngines } from '@/lib/testing/memory-engines';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import type { InstanceStats } from './engine';
import { instanceSeries } from './instance-metrics';
import type { InstanceMetrics } from './schema';
import { sampleInstances } from './telemetry';

testDatabase();
const call = api();
let acme: TestProject;
let id: string;
let engines: MemoryEngines;
beforeAll(() => createCell());
beforeEach(async () => {
  engines = useMemoryEngines();
  acme = await createProject('acme');
  id = idOf(await launch(call, acme));
  await execute(sql`UPDATE instances SET status = 'active', task = NULL WHERE id = ${id}::uuid`);
});

const metrics = async (range = '1h') => {
  const { status, body } = await call('GET', `/compute/instances/${id}/metrics?range=${range}`, {
    token: acme.users.reader.token,
  });
  expect(status).toBe(200);
  return body as InstanceMetrics;
};

/** Samples at so many seconds before now, each with one number in all counters. */
async function sampled(...samples: [secondsAgo: number, counter: number][]): Promise<void> {
  // The middle of an interval of any range, so that samples side by side fall into one.
  const base = Math.floor(Date.now() / 30_000) * 30_000;
  for (const [secondsAgo, counter] of samples.toSorted(([one], [other]) => other - one)) {
    const values = instanceSeries.map(({ type }) => (type === 'gauge' ? 64 * 1024 ** 2 : counter));
    const at = new Date(base - secondsAgo * 1000);
    await keepSamples(instanceSeries, [{ device_id: id, project_id: acme.id, at, values }]);
  }
}

test('rates are what the counters grew by, per second', async () => {
  await sampled([60, 100], [45, 103], [31, 109]);
  const { points, interval_s, memory_total_bytes } = await metrics();
  expect([interval_s, memory_total_bytes]).toEqual([30, 256 * 1024 ** 2]);
  expect(points).toHaveLength(1);
  expect(points[0]).toMatchObject({ memory_bytes: 64 * 1024 ** 2 });
  expect(points[0]?.cpu_percent).toBeCloseTo((100 * 9) / 29);
  expect(points[0]?.network_rx_bytes_per_s).toBeCloseTo(9 / 29, 1);
});

test('a counter that begins anew loses nothing and is never below zero', async () => {
  await sampled([60, 1000], [45, 3], [31, 6]);
  const [point] = (await metrics()).points;
  expect(point?.egress_bytes_per_s).toBeCloseTo(6 / 29);
});

test('nothing is made up for the time in which the machine was off', async () => {
  await sampled([1200, 0], [60, 9000], [45, 9000]);
  const { points } = await metrics();
  expect(points).toHaveLength(1);
  expect(points[0]?.cpu_percent).toBe(0);
});

test.each(['1h', '6h', '24h', '7d'])('the range %s has a handful of points, oldest first', async (range) => {
  await sampled(...Array.from({ length: 100 }, (_, index): [number, number] => [index * 15, 1000 - index]));
  const { points } = await metrics(range);
  expect(points.length).toBeGreaterThan(0);
  expect(points.length).toBeLessThanOrEqual(60);
  expect(points.map(({ at }) => at)).toEqual(points.map(({ at }) => at).toSorted());
});

test('an unknown range is refused', async () => {
  const answer = await call('GET', `/compute/instances/${id}/metrics?range=1y`, { token: acme.users.reader.token });
  expect(answer.status).toBe(400);
});

const idle: InstanceStats = {
  sampledAt: new Date(),
  cpuSeconds: 1.5,
  memoryBytes: 1024,
  disk: { readBytes: 1, writtenBytes: 2, readOperations: 3, writeOperations: 4 },
  volumes: [],
  network: { receivedBytes: 5, sentBytes: 6 },
  egressBytes: 7,
  portEgress: [],
};

test('running machines are sampled; one that fails or is gone holds up no other', async () => {
  const others = [idOf(await launch(call, acme)), idOf(await launch(call, acme))];
  await execute(sql`UPDATE instances SET status = 'active'`);
  engines.compute.sampleInstance = async (asked) => {
    if (asked === others[0]) throw new Error('it does not answer');
    if (asked === others[1]) await prisma().instance.update({ where: { id: asked }, data: { status: 'stopped' } });
    return asked === others[1] ? null : idle;
  };
  await sampleInstances('test-host');
  const rows = await prisma().deviceSample.findMany({ where: { device_id: { in: [id, ...others] } } });
  expect(rows).toMatchObject([{ device_id: id, project_id: acme.id, values: [1.5, 1024, 1, 2, 3, 4, 5, 6, 7] }]);
});

test('a volume has the reads and writes of its own device, and nothing while its machine is off', async () => {
  const token = acme.users.member.token;
  const volume = idOf(await call('POST', '/storage/volumes', { token, body: { name: 'data', size_gb: 1 } }));
  const disk = { readBytes: 10, writtenBytes: 20, readOperations: 30, writeOperations: 40 };
  engines.compute.sampleInstance = async () => ({ ...idle, volumes: [{ id: volume, disk }] });
  await sampleInstances('test-host');
  engines.compute.sampleInstance = async () => null;
  await sampleInstances('test-host');
  expect(await prisma().deviceSample.findMany({ where: { device_id: volume } })).toMatchObject([
    { project_id: acme.id, values: [10, 20, 30, 40] },
  ]);
});

test('a volume has its size and the space that it takes, attached or not', async () => {
  const token = acme.users.member.token;
  const volume = idOf(await call('POST', '/storage/volumes', { token, body: { name: 'data', size_gb: 3 } }));
  const seen = { id: volume, sizeGb: 3, attachedTo: null, allocatedBytes: 4096 };
  const stray = { ...seen, id: newId() };
  engines.storage.observeStorage = async () => ({ volumes: [seen, stray], snapshots: [] });
  await sampleVolumes('test-host');
  expect(await prisma().deviceSample.findMany({ where: { device_id: { in: [volume, stray.id] } } })).toMatchObject([
    { device_id: volume, project_id: acme.id, values: [3 * 1024 ** 3, 4096] },
  ]);
});

test('what left the platform is usage once: its growth, from nothing again where the counter began anew', async () => {
  const port = await prisma().port.findFirstOrThrow({ where: { device_id: id } });
  const told = async (second: number, bytes: number) => {
    const sampledAt = new Date(Date.UTC(2026, 2, 1, 12, 0, second));
    engines.compute.sampleInstance = async (asked) =>
      asked === id ? { ...idle, sampledAt, portEgress: [{ id: port.id, bytes }] } : null;
    await sampleInstances('test-host');
  };
  await told(0, 700);
  await told(15, 1000);
  await told(15, 1000);
  await told(30, 1000);
  // Another host agent's late word of an earlier moment.
  await told(20, 900);
  await told(45, 40);
  const events = await prisma().usageEvent.findMany({ where: { resource_id: id }, orderBy: { occurred_at: 'asc' } });
  expect(events.map(({ metric, quantity }) => [metric, quantity.toNumber()])).toEqual([
    ['network_egress', 700],
    ['network_egress', 300],
    ['network_egress', 40],
  ]);
});
