import { beforeAll, beforeEach, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { prisma } from '@/lib/core/db/prisma';
import { countPortEgress } from '@/lib/domains/network/egress';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { idOf, launch } from '@/lib/testing/machines';
import { useMemoryEngines } from '@/lib/testing/memory-engines';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { countEgress, type EgressReading } from './egress';

testDatabase();
const call = api();
let acme: TestProject;
let device_id: string;
let port_id: string;
beforeAll(() => createCell());
beforeEach(async () => {
  useMemoryEngines();
  acme = await createProject('acme');
  device_id = idOf(await launch(call, acme));
  port_id = (await prisma().port.findFirstOrThrow({ where: { device_id } })).id;
});

const at = (second: number) => new Date(Date.UTC(2026, 2, 1, 12, 0, second));
type Told = Partial<EgressReading> & Pick<EgressReading, 'counter'>;
const tell = (second: number, bytes: number, change: Told) =>
  countEgress([
    { project_id: acme.id, device_id, resource: { type: 'instance', name: 'web' }, at: at(second), bytes, ...change },
  ]);
const events = (of = device_id) =>
  prisma().usageEvent.findMany({ where: { resource_id: of }, orderBy: { occurred_at: 'asc' } });
const grown = async (of?: string) => (await events(of)).map(({ quantity }) => quantity.toNumber());
const gateway = (run: string) => ({ counter: { name: 'gateway', run } });

test('a counter read by an earlier release continues from there', async () => {
  const run = { device_id, name: 'port', run: port_id, port_id, project_id: acme.id };
  await prisma().egressCounter.create({ data: { ...run, bytes: 700, at: at(0) } });
  await tell(0, 700, { counter: { port_id } });
  await tell(15, 1000, { counter: { port_id } });
  expect(await grown()).toEqual([300]);
});

test('a port counter that restarted is counted from zero', async () => {
  await tell(0, 700, { counter: { port_id } });
  await tell(15, 40, { counter: { port_id } });
  expect(await grown()).toEqual([700, 40]);
});

test('a named counter that restarts loses nothing, and an outdated reading bills nothing', async () => {
  await tell(0, 500, gateway('first'));
  await tell(10, 450, gateway('first'));
  // More than the first run counted, although it started at zero.
  await tell(20, 800, gateway('second'));
  await tell(20, 800, gateway('second'));
  await tell(30, 900, gateway('second'));
  expect(await grown()).toEqual([500, 800, 100]);
});

test('two overlapping runs are counted separately', async () => {
  await tell(0, 500, gateway('draining'));
  await tell(5, 10, gateway('new'));
  await tell(10, 520, gateway('draining'));
  await tell(15, 30, gateway('new'));
  expect(await grown()).toEqual([500, 10, 20, 20]);
});

test('usage is billed to the device, its project and its kind', async () => {
  await tell(0, 500, { ...gateway('one'), resource: { type: 'balancer', name: 'front' } });
  expect(await events()).toMatchObject([
    {
      project_id: acme.id,
      resource_type: 'balancer',
      resource_id: device_id,
      resource_name: 'front',
      metric: 'network_egress',
    },
  ]);
});

test('nothing is counted for another project’s device, or for a deleted device or port', async () => {
  const globex = await createProject('globex');
  await tell(0, 500, { ...gateway('one'), project_id: globex.id });
  await tell(0, 500, { ...gateway('one'), device_id: newId() });
  await tell(0, 500, { counter: { port_id: newId() } });
  const other = idOf(await launch(call, acme));
  await tell(0, 500, { counter: { port_id }, device_id: other });
  expect(await prisma().usageEvent.count({ where: { project_id: { in: [acme.id, globex.id] } } })).toBe(0);
});

test('each port of a device has its own counter; a port that was never wired is skipped', async () => {
  const engines = useMemoryEngines();
  const { id: _, own_rules: __, ...row } = await prisma().port.findFirstOrThrow({ where: { id: port_id } });
  const second = await prisma().port.create({
    data: { ...row, id: newId(), ip: '10.0.0.50', mac: '02:00:00:00:00:50' },
  });
  const device = { id: device_id, project_id: acme.id, resource: { type: 'instance', name: 'web' } };
  await countPortEgress('test-host', device);
  expect(await grown()).toEqual([]);
  engines.network.egressBytes = async ([port]) => (port?.id === second.id ? 30 : 700);
  await countPortEgress('test-host', device);
  await countPortEgress('test-host', device);
  expect((await grown()).toSorted((a, b) => a - b)).toEqual([30, 700]);
});

test('two concurrent first readings of a counter each count their part', async () => {
  for (let round = 0; round < 9; round += 1) {
    const run = { counter: { name: 'gateway', run: String(round) } };
    await Promise.all([1, 2, 3, 4].map((n) => tell(10 * round + n, 100 * n, run)));
  }
  const { _sum } = await prisma().usageEvent.aggregate({ where: { resource_id: device_id }, _sum: { quantity: true } });
  expect(_sum.quantity?.toNumber()).toBe(9 * 400);
});
