import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Router } from '@/lib/domains/network/engine';
import { describeHost, type Host, type Isolation } from '../host';
import { openLocalEngine } from '../local-engine';
import { probeHost } from '../probe';
import { findProcesses } from '../processes';
import { addressPlan } from './address-plan';
import { readLinks } from './links';
import { routerNamespace } from './names';
import { existingNamespaces, namespaceCommand } from './namespaces';
import { routerOfNetwork } from './router-record';

const id = (kind: string, index: number) => `0199aaaa-0000-7000-8000-${kind}0000000000${index}`;

function router(index: number, floatingIp: string | null): Router {
  const port = {
    id: id('c', index),
    mac: '02:4e:00:00:00:01',
    ip: '10.0.0.11',
    hostname: 'web',
    securityGroupIds: [id('d', index)],
    holderId: id('e', index),
    attachment: 'tap' as const,
    sharedAddresses: [],
  };
  const network = {
    id: id('b', index),
    cidr: '10.0.0.0/24',
    gatewayIp: '10.0.0.1',
    dhcpEnabled: true,
    dnsServers: [],
    names: [],
    ports: [port],
  };
  const rule = { direction: 'ingress' as const, protocol: 'tcp' as const, portRangeMin: 80, portRangeMax: 80 };
  return {
    id: id('a', index),
    networks: [network],
    securityGroups: [{ id: id('d', index), rules: [{ ...rule, cidr: '0.0.0.0/0' }] }],
    floatingIps: floatingIp === null ? [] : [{ id: id('f', index), address: floatingIp, portId: port.id }],
  };
}

/** network/topology.json as the version before wrote it for these two routers, but for the addresses, which each host chooses. */
const written = (forwards: { floatingIp: string }[]) => `{
 "networks": {
  "0199aaaa-0000-7000-8000-b00000000000": "0199aaaa-0000-7000-8000-a00000000000",
  "0199aaaa-0000-7000-8000-b00000000001": "0199aaaa-0000-7000-8000-a00000000001"
 },
 "forwards": ${JSON.stringify(forwards.map(({ floatingIp }) => ({ floatingIp, protocol: 'tcp', port: 80, hostPort: 8080 })))},
 "warnings": []
}`;

/** What an interruption would change: the namespaces and interfaces themselves, and the daemons that serve them. */
async function identities(host: Host) {
  const namespaces = [0, 1].map((index) => routerNamespace(host, id('a', index)));
  const interfaces = await Promise.all(
    namespaces.map(async (name) => [...(await readLinks(await namespaceCommand(host, name))).keys()].toSorted()),
  );
  const daemons = findProcesses(host)
    .map(({ role, pid, startTime }) => `${role} ${pid} ${startTime}`)
    .toSorted();
  return { interfaces, daemons };
}

const isForwarded = (address: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ host: address, port: 8080 }, () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

const isRoot = process.getuid?.() === 0;
for (const isolation of isRoot ? (['root', 'user'] as const) : (['user'] as const)) {
  test(`the record of an earlier version is taken over, and its networks run on: ${isolation}`, (context) =>
    takenOver(isolation, context.skip));
}

async function takenOver(isolation: Isolation, skip: (note: string) => never): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'neph-former-'));
  const options = { dataDir, isolation };
  const host = describeHost(options);
  const trouble = (await probeHost(host)).find(({ engine, ok }) => engine === 'network' && !ok);
  if (trouble && process.env.CI) throw new Error(trouble.message);
  if (trouble) skip(trouble.message);
  const before = openLocalEngine(options).network;
  const { pool } = await addressPlan(host);
  const address = (index: number) => pool.replace(/\d+\/\d+$/, String(index + 1));
  const both = [router(0, address(0)), router(1, address(1))];
  try {
    for (const wanted of both) await before.ensureRouter(wanted);
    const running = await identities(host);
    const folder = join(host.directory, 'network');
    for (const name of ['routers', 'networks']) await rm(join(folder, name), { recursive: true });
    const forwards = isolation === 'user' ? [0, 1].map((index) => ({ floatingIp: address(index) })) : [];
    await writeFile(join(folder, 'topology.json'), written(forwards));

    expect(await routerOfNetwork(host, id('b', 1))).toBe(id('a', 1));
    const after = openLocalEngine(options).network;
    expect((await after.observeRouters()).toSorted((a, b) => a.id.localeCompare(b.id))).toMatchObject(
      both.map((wanted) => ({ id: wanted.id, networkIds: [wanted.networks[0]?.id], portIds: [expect.any(String)] })),
    );
    expect(readdirSync(folder)).not.toContain('topology.json');
    await after.ensureRouter(router(0, address(0)));
    if (isolation === 'user')
      expect(await Promise.all([isForwarded(address(0)), isForwarded(address(1))])).toEqual([true, true]);
    await after.ensureRouter(router(1, null));
    expect(await identities(host)).toEqual(running);
    if (isolation === 'user')
      expect(await Promise.all([isForwarded(address(0)), isForwarded(address(1))])).toEqual([true, false]);

    await after.removeRouter(id('a', 0));
    await after.removeRouter(id('a', 1));
    expect([...findProcesses(host), ...(await existingNamespaces(host))]).toEqual([]);
  } finally {
    for (const { id } of await before.observeRouters()) await before.removeRouter(id);
    await rm(dataDir, { recursive: true });
    await rm(host.sockets, { recursive: true, force: true });
  }
}
