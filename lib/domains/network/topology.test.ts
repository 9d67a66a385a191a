import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { execute } from '@/lib/core/db/pool';
import { prisma } from '@/lib/core/db/prisma';
import { sql } from '@/lib/core/db/sql';
import { EngineError } from '@/lib/engines/error';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { idOf, launch } from '@/lib/testing/machines';
import { type MemoryEngines, useMemoryEngines } from '@/lib/testing/memory-engines';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { applyChanges, applyRouter, applyRouters, ensureWired, networkTroubles, removeRouters } from './topology';

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
const routerOf = ({ id }: TestProject) => prisma().router.findFirstOrThrow({ where: { project_id: id } });
const router = () => routerOf(acme);
const mine = async () => engines.routers.get((await router()).id);
const status = async () =>
  (await call('GET', '/network/routers', { token: acme.users.reader.token })).body as { status: string }[];

test('what has no port takes no room on a host', async () => {
  await status();
  await applyRouters('test-host');
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
  await applyRouters('test-host');
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

/** Ids of the routers that the engine is given from now on. */
function given(): string[] {
  const ids: string[] = [];
  const { ensureRouter } = engines.network;
  engines.network.ensureRouter = (router) => {
    ids.push(router.id);
    return ensureRouter(router);
  };
  return ids;
}

test('a hundred calls at once need two runs, and each sees what was written before it', async () => {
  const runs = given();
  await launch(call, acme);
  const { id } = await router();
  await Promise.all(Array.from({ length: 100 }, () => applyRouter('test-host', id)));
  expect(runs).toEqual([id, id]);
  expect(await mine()).toBeDefined();
});

test('with fifty tenants on a host, a change of one gives the engine one router', async () => {
  const tenants = await Promise.all(Array.from({ length: 49 }, (_, index) => createProject(`tenant-${index}`)));
  for (const tenant of [acme, ...tenants]) await launch(call, tenant);
  await applyRouters('test-host');
  expect(engines.routers.size).toBeGreaterThanOrEqual(50);
  const runs = given();
  const group = await prisma().securityGroup.findFirstOrThrow({ where: { project_id: acme.id, is_default: true } });
  const rule = { direction: 'ingress', protocol: 'tcp', port_range_min: 80, cidr: '10.0.0.0/8' };
  await post(`/network/security-groups/${group.id}/rules`, rule);
  await applyChanges('test-host');
  expect(runs).toEqual([(await router()).id]);
});

test('what is in force already needs no run; what a failed run has left undone does', async () => {
  await launch(call, acme);
  engines.failure = new EngineError('ENGINE_ERROR', 'nft is not there');
  await expect(ensureWired('test-host', acme.id)).rejects.toThrow('nft is not there');
  expect(networkTroubles('test-host')).toEqual(['nft is not there']);
  expect((await router()).applied_revision).toBe(0);
  engines.failure = undefined;
  await ensureWired('test-host', acme.id);
  expect(networkTroubles('test-host')).toEqual([]);
  engines.failure = new EngineError('ENGINE_ERROR', 'nobody should have asked');
  await ensureWired('test-host', acme.id);
  engines.failure = undefined;
  await removeRouters('test-host');
  expect(engines.routers.size).toBe(0);
  await ensureWired('test-host', acme.id);
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
  const { ensureRouter } = engines.network;
  engines.network.ensureRouter = async (router) => ({
    ...(await ensureRouter(router)),
    forwards: [{ floatingIp, protocol: 'tcp', port: 80, hostPort: 8080 }],
  });
  await applyRouters('test-host');
  expect(await shown()).toEqual([{ protocol: 'tcp', port: 80, host_port: 8080 }]);
  engines.network.ensureRouter = ensureRouter;
  await applyRouters('test-host');
  expect(await shown()).toEqual([]);
});

test('another host’s routers are left to it', async () => {
  await launch(call, acme);
  await createCell('other-host', { memory_mb: 0 });
  await execute(sql`UPDATE routers SET cell_id = 'other-host' WHERE project_id = ${acme.id}::uuid`);
  await applyRouters('test-host');
  expect(await mine()).toBeUndefined();
  expect((await router()).applied_revision).toBe(0);
});

test('one router’s trouble is not the others’, and their changes go through', async () => {
  const other = await createProject('other');
  await Promise.all([launch(call, acme), launch(call, other)]);
  const { id } = await router();
  const { ensureRouter } = engines.network;
  engines.network.ensureRouter = async (wanted) => {
    if (wanted.id === id) throw new EngineError('ENGINE_ERROR', 'nft is not there');
    return ensureRouter(wanted);
  };
  await expect(applyChanges('test-host')).rejects.toThrow('nft is not there');
  expect(engines.routers.has(id)).toBe(false);
  expect(engines.routers.has((await routerOf(other)).id)).toBe(true);
  expect(networkTroubles('test-host')).toEqual(['nft is not there']);
});

describe('a router that no row of this host knows', () => {
  const stray = '0199aaaa-0000-7000-8000-a00000000000';
  let known: string[];
  const present = () => [...engines.routers.keys()].toSorted();
  beforeEach(async () => {
    await launch(call, acme);
    await applyRouters('test-host');
    known = present();
    engines.routers.set(stray, { id: stray, networks: [], securityGroups: [], floatingIps: [] });
  });

  test('is removed, and no other is', async () => {
    await applyRouters('test-host');
    expect(present()).toEqual(known);
    expect(await mine()).toBeDefined();
  });

  test('stays while the database can’t be read, and so do all others', async () => {
    await execute(sql`ALTER TABLE routers RENAME TO routers_away`);
    try {
      await expect(applyRouters('test-host')).rejects.toThrow();
    } finally {
      await execute(sql`ALTER TABLE routers_away RENAME TO routers`);
    }
    expect(present()).toEqual([stray, ...known].toSorted());
  });

  test('stays when the database knows nothing, not even this host, and so do all others', async () => {
    await execute(sql`TRUNCATE cells CASCADE`);
    await applyRouters('test-host');
    expect(present()).toEqual([stray, ...known].toSorted());
    await createCell();
  });
});

test('an engine that fails to say what it has loses none of it', async () => {
  await launch(call, acme);
  await applyRouters('test-host');
  const known = [...engines.routers.keys()];
  engines.network.observeRouters = async () => [];
  await applyRouters('test-host');
  expect([...engines.routers.keys()]).toEqual(known);
});
