import { beforeAll, beforeEach, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { prisma } from '@/lib/core/db/prisma';
import type { Sql } from '@/lib/core/db/sql';
import { deviceDelete, deviceInsert } from '@/lib/core/devices/device';
import { commit } from '@/lib/core/quota/commit';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { defaultNetwork, idOf, launch } from '@/lib/testing/machines';
import { type MemoryEngines, useMemoryEngines } from '@/lib/testing/memory-engines';
import { widgetCall } from '@/lib/testing/widgets';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { settleRouter } from './floating-ips';
import { networkNameInsert, networkNameMove, networkNameTaken } from './names';
import { carryGroups, type NewPort, portInsert, portsReleased } from './ports';
import { reviseRouter } from './service';
import { applyRouters } from './topology';

testDatabase();
const call = api();
let acme: TestProject;
let engines: MemoryEngines;
let network_id: string;
beforeAll(() => createCell());
beforeEach(async () => {
  engines = useMemoryEngines();
  acme = await createProject('acme');
  network_id = await defaultNetwork(acme);
});

const VIP = '10.0.0.100';
const write = (id: string, rows: Record<string, Sql>) =>
  commit(widgetCall(acme.id), { resource: { type: 'balancer', id, name: 'front' }, locks: true, rows });
const port = (device_id: string, n: number, change: Partial<NewPort> = {}): NewPort => ({
  id: newId(),
  project_id: acme.id,
  network_id,
  device_id,
  mac: `02:00:00:00:00:${n.toString(16).padStart(2, '0')}`,
  ip: `10.0.0.${n}`,
  attachment: 'veth',
  hostname: `front-${n}`,
  created_at: new Date(),
  updated_at: new Date(),
  ...change,
});

/** A resource that is no instance: two nodes, an address that moves between them, and a name. */
async function createBalancer() {
  const id = newId();
  const address = port(id, 100, { attachment: 'none', hostname: 'front' });
  const nodes = [port(id, 11, { shared_addresses: [VIP] }), port(id, 12, { shared_addresses: [VIP, '10.0.0.1'] })];
  const [one, two] = nodes.map(portInsert);
  const group = await prisma().securityGroup.findFirstOrThrow({ where: { project_id: acme.id } });
  await write(id, {
    device: deviceInsert(acme.id, id, 'balancer'),
    address: portInsert(address),
    ...(one && two ? { one, two } : {}),
    carried: carryGroups(acme.id, address.id, [group.id]),
    named: networkNameInsert({ network_id, project_id: acme.id, device_id: id, name: 'front.lb', addresses: [VIP] }),
    settled: settleRouter(acme.id, 'test-host'),
  });
  return { id, address, group: group.id };
}

const applied = async () => {
  await applyRouters('test-host');
  const router = await prisma().router.findFirstOrThrow({ where: { project_id: acme.id } });
  return engines.routers.get(router.id)?.networks.find(({ id }) => id === network_id);
};
const get = async (path: string) => (await call('GET', path, { token: acme.users.reader.token })).body;

test('the engine is given the ports of any device: how each is attached, its name, and the addresses that it shares', async () => {
  const { id, address, group } = await createBalancer();
  const { ports, names } = (await applied()) ?? {};
  expect(ports).toMatchObject([
    {
      id: address.id,
      holderId: id,
      attachment: 'none',
      hostname: 'front',
      sharedAddresses: [],
      securityGroupIds: [group],
    },
    { ip: '10.0.0.11', holderId: id, attachment: 'veth', hostname: 'front-11', sharedAddresses: [VIP] },
    // Not the gateway's: only the address of a port that nothing is attached to can be shared.
    { ip: '10.0.0.12', attachment: 'veth', sharedAddresses: [VIP] },
  ]);
  expect(names).toEqual([{ name: 'front.lb', address: VIP }]);
});

test('an address that was given to a machine meanwhile is shared by nobody', async () => {
  await createBalancer();
  await prisma().port.updateMany({ where: { ip: VIP }, data: { attachment: 'tap' } });
  expect((await applied())?.ports.map(({ sharedAddresses }) => sharedAddresses)).toEqual([[], [], []]);
});

test('a name belongs to one device of its network, moves to other addresses, and goes with its device', async () => {
  const { id } = await createBalancer();
  const name = { network_id, name: 'front.lb' };
  const second = newId();
  const taken = commit(widgetCall(acme.id), {
    resource: { type: 'balancer', id: second },
    taken: { when: networkNameTaken(name), message: 'name: taken.' },
    rows: { device: deviceInsert(acme.id, second, 'balancer') },
  });
  await expect(taken).rejects.toMatchObject({ status: 409 });
  await write(id, { moved: networkNameMove(name, ['10.0.0.11', '10.0.0.12']), revised: reviseRouter(acme.id) });
  expect((await applied())?.names).toEqual([
    { name: 'front.lb', address: '10.0.0.11' },
    { name: 'front.lb', address: '10.0.0.12' },
  ]);
  await write(id, { ...portsReleased(id, acme.id), device: deviceDelete(id) });
  const left = { where: { project_id: acme.id } };
  const device = { where: { project_id: acme.id, id } };
  expect(
    await Promise.all([prisma().port.count(left), prisma().networkName.count(left), prisma().device.count(device)]),
  ).toEqual([0, 0, 0]);
  expect(await applied()).toBeUndefined();
});

test('the database refuses a name of another tenant’s device, and one in another tenant’s network', async () => {
  const { id } = await createBalancer();
  const globex = await createProject('globex');
  const name = { name: 'theirs', addresses: [VIP] };
  const theirs = { ...name, project_id: globex.id };
  await expect(
    prisma().networkName.create({ data: { ...theirs, network_id: await defaultNetwork(globex), device_id: id } }),
  ).rejects.toThrow('network_names_project_id_device_id_fkey');
  await expect(
    prisma().networkName.create({
      data: { ...name, project_id: acme.id, network_id: await defaultNetwork(globex), device_id: id },
    }),
  ).rejects.toThrow('network_names_project_id_network_id_fkey');
});

test('ports, floating IPs and security groups of other devices are seen and changed by the API, without an instance', async () => {
  const { id, address, group } = await createBalancer();
  const { token } = acme.users.member;
  const floating = await call('POST', '/network/floating-ips', { token, body: {} });
  const path = `/network/floating-ips/${idOf(floating)}/associate`;
  const bound = await call('POST', path, { token, body: { port_id: address.id } });
  expect([bound.status, bound.body]).toMatchObject([200, { port_id: address.id, instance_id: null, fixed_ip: VIP }]);
  expect(await get(`/network/ports/${address.id}`)).toMatchObject({
    instance_id: null,
    instance_name: null,
    attached_to: { kind: 'balancer' },
    security_group_ids: [group],
    floating_ip: (floating.body as { address: string }).address,
  });
  expect(await get(`/network/ports?instance_id=${id}`)).toEqual([]);
  const changed = await call('PATCH', `/network/ports/${address.id}`, { token, body: { security_group_ids: [] } });
  expect(changed.status).toBe(200);
  expect((await applied())?.ports[0]).toMatchObject({ id: address.id, securityGroupIds: [] });
  await launch(call, acme);
  expect(await get('/network/ports')).toHaveLength(4);
});
