import type { Network, Port, Router } from '@/lib/domains/network/engine';
import { SERVICE_ADDRESS } from '@/lib/service-address';
import { run } from '../exec';
import { guestUser, type Host } from '../host';
import { type AddressPlan, gatewayOf, innerAddress } from './address-plan';
import { prefixLengthOf } from './addresses';
import { ensureDnsmasq } from './dhcp';
import { readCounters } from './egress';
import { changeLinks, changeSettings, type Links, readLinks } from './links';
import {
  bridgeMac,
  bridgeName,
  cableName,
  EDGE_BRIDGE,
  edgeNamespace,
  routerNamespace,
  tapName,
  UPLINK,
} from './names';
import { createNamespace, namespaceCommand, removeNamespace } from './namespaces';
import { ensureServiceRelay } from './relay';
import { egressCounter, rulesetOf, trafficCounters } from './ruleset';

/**
 * Makes one router, its switches, taps, addresses and rules what they should be. The rules come first: nothing is open before.
 * @returns whether every port is connected; the cable of a service may come later
 */
export async function ensureRouter(host: Host, plan: AddressPlan, router: Router, exists: boolean): Promise<boolean> {
  const name = routerNamespace(host, router.id);
  if (!exists) await createNamespace(host, name);
  const inside = await namespaceCommand(host, name);
  if (!exists) await changeSettings(inside, ROUTER_SETTINGS);
  await run([...inside, 'nft', '-f', '-'], {
    input: rulesetOf(host, plan, router) + (await staleCounters(inside, router)),
  });
  await ensureCable(host, plan, router, inside);
  const links = await readLinks(inside);
  await changeLinks(inside, [
    ...surplusLinks(links, router),
    ...router.networks.flatMap((network) => networkCommands(host, links, network)),
    ...floatingCommands(host, plan, links, router),
  ]);
  const connected = await connectCables(inside, router);
  await ensureServiceRelay(host, router.id, inside);
  await announce(host, plan, links, router, inside);
  for (const network of router.networks) await ensureDnsmasq(host, plan, network, inside);
  return connected;
}

/** Takes a router away. Its namespace takes with it whatever is inside, once no guest lives there any more. */
export async function removeRouter(host: Host, name: string): Promise<void> {
  const inside = await namespaceCommand(host, name);
  const links = await readLinks(inside);
  const ours = [...links.keys()].filter((link) => link !== 'lo');
  // Deleting one end of the cable deletes the other.
  await changeLinks(
    inside,
    ours.map((link) => `link delete ${link}`),
  );
  await removeNamespace(host, name);
}

const ROUTER_SETTINGS = {
  'ipv4/ip_forward': '1',
  'bridge/bridge-nf-call-iptables': '1',
  'bridge/bridge-nf-call-ip6tables': '1',
  'bridge/bridge-nf-call-arptables': '0',
  'ipv6/conf/all/disable_ipv6': '1',
  'ipv6/conf/default/disable_ipv6': '1',
  'ipv4/conf/all/send_redirects': '0',
  'ipv4/conf/default/send_redirects': '0',
  'ipv4/conf/all/arp_ignore': '1',
};

async function ensureCable(host: Host, plan: AddressPlan, router: Router, inside: string[]): Promise<void> {
  const name = routerNamespace(host, router.id);
  const edge = await namespaceCommand(host, edgeNamespace(host));
  const cable = cableName(router.id);
  const outer = (await readLinks(edge)).get(cable);
  if (!(await readLinks(inside)).has(UPLINK)) {
    await changeLinks(edge, [
      ...(outer ? [`link delete ${cable}`] : []),
      `link add ${cable} type veth peer name ${UPLINK} netns ${name}`,
      `link set ${cable} master ${EDGE_BRIDGE} up`,
    ]);
    await changeLinks(inside, ['link set lo up']);
  }
  await changeLinks(inside, [
    // Not on the bridges: each of them has a dnsmasq of its own, which listens at all addresses there.
    `address replace ${SERVICE_ADDRESS}/32 dev lo scope link`,
    `address replace ${plan.routers[router.id]}/${prefixLengthOf(plan.segment)} dev ${UPLINK}`,
    `link set ${UPLINK} up`,
    `route replace default via ${gatewayOf(plan)} dev ${UPLINK}`,
  ]);
}

function networkCommands(host: Host, links: Links, network: Network): string[] {
  const bridge = bridgeName(network.id);
  const gateway = `${network.gatewayIp}/${prefixLengthOf(network.cidr)}`;
  const found = links.get(bridge);
  const create = [
    `link add ${bridge} address ${bridgeMac(network.id)} type bridge stp_state 0 forward_delay 0 mcast_snooping 0`,
    `link set ${bridge} alias ${network.id}`,
  ];
  const surplus = found?.addresses.filter((address) => address !== gateway) ?? [];
  return [
    ...(found ? [] : create),
    ...surplus.map((address) => `address delete ${address} dev ${bridge}`),
    ...(found?.addresses.includes(gateway) ? [] : [`address add ${gateway} dev ${bridge}`, `link set ${bridge} up`]),
    ...network.ports.flatMap((port) => tapCommands(host, links, bridge, port)),
  ];
}

function tapCommands(host: Host, links: Links, bridge: string, { id, attachment, holderId }: Port): string[] {
  const name = tapName(id);
  const found = links.get(name);
  if (attachment !== 'tap' || found?.master === bridge) return [];
  const owner = (holderId && guestUser(host, holderId)) ?? 0;
  const create = [`tuntap add dev ${name} mode tap user ${owner}`, `link set ${name} alias ${id}`];
  return [...(found ? [] : create), `link set ${name} master ${bridge} up`];
}

/**
 * Connects the cables that services have made for their ports to their networks. The links are read once the bridges are
 * there, and services look for the bridge once the cable is there: in either order, one of the two sees both.
 * @returns whether all cables are there
 */
async function connectCables(inside: string[], router: Router): Promise<boolean> {
  const cables = router.networks.flatMap((network) =>
    network.ports
      .filter(({ attachment }) => attachment === 'veth')
      .map(({ id }) => ({ id, name: tapName(id), bridge: bridgeName(network.id) })),
  );
  if (cables.length === 0) return true;
  const links = await readLinks(inside);
  const present = cables.filter(({ name }) => links.has(name));
  const loose = present.filter(({ name, bridge }) => links.get(name)?.master !== bridge);
  await changeLinks(
    inside,
    loose.flatMap(({ id, name, bridge }) => [`link set ${name} alias ${id}`, `link set ${name} master ${bridge} up`]),
  );
  return present.length === cables.length;
}

/** Deletes what belongs to no network or port. A cable is its service's: it is only disconnected. */
function surplusLinks(links: Links, router: Router): string[] {
  const ports = router.networks.flatMap((network) => network.ports.filter(({ attachment }) => attachment !== 'none'));
  const wanted = new Set([
    ...['lo', UPLINK],
    ...router.networks.map(({ id }) => bridgeName(id)),
    ...ports.map(({ id }) => tapName(id)),
  ]);
  return [...links]
    .filter(([name]) => !wanted.has(name))
    .flatMap(([name, { kind, master }]) => {
      if (kind !== 'veth') return [`link delete ${name}`];
      return master === undefined ? [] : [`link set ${name} nomaster down`];
    });
}

/** Floating IPs as addresses of the uplink, so that the router answers for them on the segment. */
const wantedFloating = (host: Host, plan: AddressPlan, router: Router) =>
  router.floatingIps.map(({ address }) => `${innerAddress(host, plan, address)}/32`);

function floatingCommands(host: Host, plan: AddressPlan, links: Links, router: Router): string[] {
  const wanted = new Set(wantedFloating(host, plan, router));
  const present = links.get(UPLINK)?.addresses.filter((address) => address.endsWith('/32')) ?? [];
  return [
    ...present.filter((address) => !wanted.has(address)).map((address) => `address delete ${address} dev ${UPLINK}`),
    ...[...wanted]
      .filter((address) => !present.includes(address))
      .map((address) => `address add ${address} dev ${UPLINK}`),
  ];
}

/** Tells the segment who has a floating IP now; it may have been another router a moment ago. */
async function announce(host: Host, plan: AddressPlan, links: Links, router: Router, inside: string[]): Promise<void> {
  const before = links.get(UPLINK)?.addresses ?? [];
  const fresh = wantedFloating(host, plan, router).filter((address) => !before.includes(address));
  for (const address of fresh) {
    const ip = address.slice(0, -'/32'.length);
    await run([...inside, 'arping', '-q', '-c', '1', '-U', '-I', UPLINK, '-s', ip, ip]).catch(() => {});
  }
}

/** Commands that delete the counters of what is no longer behind the router. */
async function staleCounters(inside: string[], router: Router): Promise<string> {
  const ports = router.networks.flatMap((network) => network.ports);
  const counted = [router, ...router.networks, ...router.floatingIps].map(({ id }) => trafficCounters(id));
  const wanted = new Set([
    ...ports.map(({ id }) => egressCounter(id)),
    ...counted.flatMap(({ received, sent }) => [received, sent]),
  ]);
  const present = [...(await readCounters(inside)).keys()];
  return present
    .filter((name) => !wanted.has(name))
    .map((name) => `delete counter inet nephele_meter ${name}\n`)
    .join('');
}
