import type { ServicePort } from '@/lib/hosts/services/engine';
import { EngineError } from '../../error';
import { run } from '../exec';
import type { Host } from '../host';
import { changeLinks, changeSettings, type Links, readLinks } from '../network/links';
import { bridgeName, routerNamespace, tapName } from '../network/names';
import {
  createNamespace,
  identityOf,
  namedNamespaces,
  namespaceCommand,
  namespaceExists,
  removeNamespace,
} from '../network/namespaces';
import { routerOfNetwork } from '../network/router-record';
import { serviceNamespace, serviceNamespacePrefix } from './service-record';

/** The service's end of its cable. */
export const INTERFACE = 'eth0';

/** Command prefix that runs in a service's network namespace. */
export const serviceNetwork = (host: Host, id: string) => namespaceCommand(host, serviceNamespace(host, id));

/**
 * Creates the network namespace of a service, and the cable from it to its network.
 * @throws EngineError `NOT_FOUND` while this host does not have the network
 */
export const ensureCable = (host: Host, id: string, port: ServicePort): Promise<void> =>
  ensureCableOf(host, serviceNamespace(host, id), port);

/** The same for a network namespace of any name. @throws EngineError `NOT_FOUND` */
export async function ensureCableOf(host: Host, name: string, port: ServicePort): Promise<void> {
  const routerId = await routerOfNetwork(host, port.networkId);
  if (!routerId) throw new EngineError('NOT_FOUND', `This host has no network ${port.networkId}.`);
  const isNew = !(await namespaceExists(host, name));
  if (isNew) await createNamespace(host, name);
  const inside = await namespaceCommand(host, name);
  // Services have no capabilities, and serve ports such as 80.
  if (isNew) await changeSettings(inside, { 'ipv4/ip_unprivileged_port_start': '0' });
  const router = await namespaceCommand(host, routerNamespace(host, routerId));
  const outer = tapName(port.id);
  const present = await readLinks(inside);
  if (!present.has(INTERFACE)) {
    const bridge = bridgeName(port.networkId);
    await changeLinks(router, [
      ...((await readLinks(router)).has(outer) ? [`link delete ${outer}`] : []),
      `link add ${outer} type veth peer name ${INTERFACE} address ${port.mac} netns ${name}`,
      `link set ${outer} alias ${port.id}`,
    ]);
    // Otherwise the network engine connects it, once it has made the network.
    if ((await readLinks(router)).has(bridge)) await changeLinks(router, [`link set ${outer} master ${bridge} up`]);
  }
  await setAddresses(host, name, port, present);
}

/** Sets the addresses of a service whose cable exists. */
export async function changeAddresses(host: Host, id: string, port: ServicePort): Promise<void> {
  await setAddresses(host, serviceNamespace(host, id), port, await readLinks(await serviceNetwork(host, id)));
}

/** What this process has set in a namespace last; of another one by the same name nothing is known. */
const lastSet = new Map<string, string>();

async function setAddresses(host: Host, name: string, port: ServicePort, links: Links): Promise<void> {
  const present = links.get(INTERFACE)?.addresses ?? [];
  const wanted = [`${port.ip}/${port.prefixLength}`, ...port.sharedAddresses.map((address) => `${address}/32`)];
  const fresh = wanted.filter((address) => !present.includes(address));
  const key = `${host.tag} ${name}`;
  const setting = JSON.stringify([await identityOf(host, name), wanted, port.gatewayIp]);
  const isUp = ['lo', INTERFACE].every((link) => links.get(link)?.isUp);
  if (lastSet.get(key) === setting && isUp && fresh.length === 0 && present.length === wanted.length) return;
  lastSet.delete(key);
  const inside = await namespaceCommand(host, name);
  await changeLinks(inside, [
    'link set lo up',
    ...present
      .filter((address) => !wanted.includes(address))
      .map((address) => `address delete ${address} dev ${INTERFACE}`),
    ...fresh.map((address) => `address add ${address} dev ${INTERFACE}`),
    `link set ${INTERFACE} up`,
    `route replace default via ${port.gatewayIp} dev ${INTERFACE} src ${port.ip}`,
  ]);
  lastSet.set(key, setting);
  for (const address of fresh) announce(inside, address.split('/')[0] ?? '');
}

/** Neighbours may still know the address by its last holder. `arping` sends its packet at once, and ends a second later. */
function announce(inside: readonly string[], ip: string): void {
  run([...inside, 'arping', '-q', '-c', '1', '-U', '-I', INTERFACE, '-s', ip, ip]).catch(() => {});
}

/** Takes a service's network away; its end of the cable takes the other with it. */
export const removeCable = (host: Host, id: string): Promise<void> => removeCableOf(host, serviceNamespace(host, id));

/** The same for a network namespace of any name. */
export async function removeCableOf(host: Host, name: string): Promise<void> {
  if (!(await namespaceExists(host, name))) return;
  const inside = await namespaceCommand(host, name);
  lastSet.delete(`${host.tag} ${name}`);
  if ((await readLinks(inside)).has(INTERFACE)) await changeLinks(inside, [`link delete ${INTERFACE}`]);
  await removeNamespace(host, name);
}

/** Names of the network namespaces of this engine's services. */
export const serviceNamespaces = (host: Host) =>
  namedNamespaces(host, (name) => name.startsWith(serviceNamespacePrefix(host)));
