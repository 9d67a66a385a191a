import { beforeAll, beforeEach, expect, test } from 'vitest';
import { execute } from '@/lib/core/db/pool';
import { prisma } from '@/lib/core/db/prisma';
import { sql } from '@/lib/core/db/sql';
import { EngineError } from '@/lib/engines/error';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { idOf, launch } from '@/lib/testing/machines';
import { type MemoryEngines, useMemoryEngines } from '@/lib/testing/memory-engines';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { applyTopology, ensureWired, networkTroubles, removeTopology } from './topology';

testDatabase();
const call = api();
let acme: TestProject;
let engines: MemoryEngines;
beforeAll(() => createCell());
beforeEach(async () => {
  engines = useMemoryEngines();
  acme = await createProject('acme');
});

const post = (path: string, body: object) => call('POST', path, { token: acme.users.member.token, body });
const router = () => prisma().router.findFirstOrThrow({ where: { project_id: acme.id } });
const mine = async () => {
  const { id } = await router();
  return engines.topology.routers.find((candidate) => candidate.id === id);
};
const status = async () =>
  (await call('GET', '/network/routers', { token: acme.users.reader.token })).body as { status: string }[];

test('what has no port takes no room on a host', async () => {
  await status();
  await applyTopology();
  expect(await mine()).toBeUndefined();
});

test('ports, rules and floating IPs are applied as one, and then the router says so', async () => {
  const group = idOf(await post('/network/security-groups', { name: 'web' }));
  const rule = { direction: 'ingress', protocol: 'tcp', port_range_min: 80, cidr: '10.0.0.0/8' };
  await post(`/network/security-groups/${group}/rules`, rule);
  const instance = idOf(await launch(call, acme, { security_group_ids: [group] }));
  const address = await post('/network/floating-ips', {});
  await post(`/network/floating-ips/${idOf(address)}/associate`, { instance_id: instance });
  expect(await status()).toMatchObject([{ status: 'updating' }]);
  await applyTopology();
  const applied = await mine();
  const [port] = applied?.networks[0]?.ports ?? [];
  expect(port).toMatchObject({ holderId: instance, attachment: 'tap', securityGroupIds: [group] });
  expect(applied?.securityGroups).toMatchObject([
    { id: group, rules: [{}, { protocol: 'tcp', portRangeMin: 80, portRangeMax: 80 }] },
  ]);
  expect(applied?.floatingIps).toEqual([
    { id: idOf(address), address: (address.body as { address: string }).address, portId: port?.id },
  ]);
  expect(await status()).toMatchObject([{ status: 'active', external_ip: '198.19.0.16' }]);
});

test('a hundred calls at once need two runs, and each sees what was written before it', async () => {
  let runs = 0;
  const { ensureTopology } = engines.network;
  engines.network.ensureTopology = (topology) => {
    runs += 1;
    return ensureTopology(topology);
  };
  await launch(call, acme);
  await Promise.all(Array.from({ length: 100 }, () => applyTopology()));
  expect(runs).toBe(2);
  expect(await mine()).toBeDefined();
});

test('what is in force already needs no run; what a failed run has left undone does', async () => {
  await launch(call, acme);
  engines.failure = new EngineError('ENGINE_ERROR', 'nft is not there');
  await expect(ensureWired(acme.id)).rejects.toThrow('nft is not there');
  expect(networkTroubles()).toEqual(['nft is not there']);
  expect((await router()).applied_revision).toBe(0);
  engines.failure = undefined;
  await ensureWired(acme.id);
  expect(networkTroubles()).toEqual([]);
  engines.failure = new EngineError('ENGINE_ERROR', 'nobody should have asked');
  await ensureWired(acme.id);
  engines.failure = undefined;
  await removeTopology();
  expect(engines.topology).toEqual({ routers: [] });
  await ensureWired(acme.id);
  expect(await mine()).toBeDefined();
});

test('where a port is reached under another number on this host is shown at the address, while it is so', async () => {
  const instance = idOf(await launch(call, acme));
  const address = await post('/network/floating-ips', {});
  await post(`/network/floating-ips/${idOf(address)}/associate`, { instance_id: instance });
  const floatingIp = (address.body as { address: string }).address;
  const shown = async () =>
    (
      (await call('GET', '/network/floating-ips', { token: acme.users.reader.token })).body as { forwards: unknown }[]
    )[0]?.forwards;
  const { observeNetwork } = engines.network;
  engines.network.observeNetwork = async () => ({
    ...(await observeNetwork()),
    forwards: [{ floatingIp, protocol: 'tcp', port: 80, hostPort: 8080 }],
  });
  await applyTopology();
  expect(await shown()).toEqual([{ protocol: 'tcp', port: 80, host_port: 8080 }]);
  engines.network.observeNetwork = observeNetwork;
  await applyTopology();
  expect(await shown()).toEqual([]);
});

test('another host’s routers are left to it', async () => {
  await launch(call, acme);
  await createCell('other-host', { memory_mb: 0 });
  await execute(sql`UPDATE routers SET cell_id = 'other-host' WHERE project_id = ${acme.id}::uuid`);
  await applyTopology();
  expect(await mine()).toBeUndefined();
  expect((await router()).applied_revision).toBe(0);
});
