import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { newId } from '@/lib/core/db/id';
import type { Network, Port } from '@/lib/domains/network/engine';
import { run } from '../exec';
import { describeHost } from '../host';
import { openLocalEngine } from '../local-engine';
import { probeHost } from '../probe';
import { removePath } from '../record';
import { changeLinks, readLinks } from './links';
import { bridgeName, routerNamespace, tapName } from './names';
import { createNamespace, namespaceCommand, removeNamespace } from './namespaces';

const dataDir = mkdtempSync(join(tmpdir(), 'neph-service-ports-'));
const host = describeHost({ dataDir });
const { network: engine } = openLocalEngine({ dataDir });
const troubles = (await probeHost(host)).filter(({ engine: name, ok }) => name === 'network' && !ok);
if (troubles.length > 0 && process.env.CI) throw new Error(troubles.map(({ message }) => message).join(' '));
const test = it.skipIf(troubles.length > 0);

const routerId = newId();
const holder = `${routerNamespace(host, newId())}-holder`;
const open = {
  direction: 'egress',
  protocol: 'any',
  portRangeMin: null,
  portRangeMax: null,
  cidr: '0.0.0.0/0',
} as const;

function network(octet: number, ports: Port[], names: Network['names'] = []): Network {
  const [cidr, gatewayIp] = [`10.77.${octet}.0/24`, `10.77.${octet}.1`];
  return { id: ids[octet] ?? '', cidr, gatewayIp, dhcpEnabled: true, dnsServers: [], names, ports };
}
const ids = [newId(), newId()];

function port(attachment: Port['attachment'], ip: string): Port {
  const id = newId();
  const mac = `02:${ip
    .split('.')
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join(':')}:01`;
  return {
    id,
    mac,
    ip,
    hostname: `port-${id.slice(-12)}`,
    securityGroupIds: ['all'],
    holderId: null,
    attachment,
    sharedAddresses: [],
  };
}

const apply = (...networks: Network[]) =>
  engine.ensureRouter({ id: routerId, networks, securityGroups: [{ id: 'all', rules: [open] }], floatingIps: [] });
const inside = () => namespaceCommand(host, routerNamespace(host, routerId));
const link = async ({ id }: Port) => (await readLinks(await inside())).get(tapName(id));

/** What a service does about its port: it makes both ends of the cable, and connects neither. */
async function plug({ id, mac }: Port): Promise<void> {
  await changeLinks(await inside(), [
    `link add ${tapName(id)} type veth peer name ${tapName(id)} address ${mac} netns ${holder}`,
  ]);
}

const machine = port('tap', '10.77.0.9');

beforeEach(async () => {
  await apply(network(0, [machine]));
  await createNamespace(host, holder);
  return async () => {
    await removeNamespace(host, holder);
    await engine.removeRouter(routerId);
  };
});
afterAll(async () => {
  await removePath(dataDir);
  await removePath(host.sockets);
});

test('the cable of a service is connected when its network comes after it', async () => {
  const node = port('veth', '10.77.1.10');
  await plug(node);
  // A change of something else behind the router leaves it alone.
  await apply(network(0, [machine, port('none', '10.77.0.10')]));
  expect(await link(node)).toMatchObject({ kind: 'veth', master: undefined });
  await apply(network(0, [machine]), network(1, [node]));
  expect(await link(node)).toMatchObject({ kind: 'veth', master: bridgeName(ids[1] ?? ''), alias: node.id });
});

test('the cable of a service is connected when it comes after its network, though nothing else has changed', async () => {
  const node = port('veth', '10.77.0.10');
  await apply(network(0, [machine, node]));
  expect(await link(node)).toBeUndefined();
  expect(await link(machine)).toMatchObject({ kind: 'tun', master: bridgeName(ids[0] ?? '') });
  await plug(node);
  await apply(network(0, [machine, node]));
  expect(await link(node)).toMatchObject({ kind: 'veth', master: bridgeName(ids[0] ?? '') });
});

test('the cable of a port that is gone is disconnected and left to its service; the tap of a machine is removed', async () => {
  const node = port('veth', '10.77.0.10');
  await plug(node);
  await apply(network(0, [machine, node]));
  await apply(network(0, [port('none', '10.77.0.11')]));
  expect(await link(node)).toMatchObject({ kind: 'veth', master: undefined });
  expect(await link(machine)).toBeUndefined();
});

test('a name is answered as soon as the network is applied, moves at once, and is gone with its row', async () => {
  const named = (...addresses: string[]) =>
    network(
      0,
      [machine],
      addresses.map((address) => ({ name: 'primary.db', address })),
    );
  const script = `const { Resolver } = require('node:dns').promises; const resolver = new Resolver({ timeout: 900, tries: 1 });
    resolver.setServers(['10.77.0.1']); resolver.resolve4(process.argv[1]).then((found) => console.log(found.sort().join(' ')), () => console.log('none'))`;
  const ask = async (name: string) => (await run([...(await inside()), process.execPath, '-e', script, name])).trim();
  await apply(named('10.77.0.9', '10.77.0.10'));
  await expect.poll(() => ask('primary.db'), { timeout: 1_000 }).toBe('10.77.0.10 10.77.0.9');
  expect(await ask('primary.db.internal')).toBe('10.77.0.10 10.77.0.9');
  await apply(named('10.77.0.10'));
  await expect.poll(() => ask('primary.db'), { timeout: 1_000 }).toBe('10.77.0.10');
  await apply(network(0, [machine]));
  await expect.poll(() => ask('primary.db.internal'), { timeout: 1_000 }).toBe('none');
});
