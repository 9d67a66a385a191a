import type { Port, Router, SecurityGroup, SecurityRule } from '@/lib/domains/network/engine';
import { SERVICE_ADDRESS, servicePorts } from '@/lib/service-address';
import { type Host, shortHash } from '../host';
import { type AddressPlan, innerAddress } from './address-plan';
import { isIpv4 } from './addresses';
import { type ClosedRanges, closedRanges } from './closed-ranges';
import { bridgeName, tapName, UPLINK } from './names';

/** The mark of connections that were led to another address (`redirects.ts`). */
export const REDIRECTED = 0x6e65;
/** The mark of packets that tell their clients of their end. */
export const WAKING = 0x6e66;

/**
 * The whole packet filter of one router as one nft script, which replaces the one before in a single step. Rules are
 * asked for every packet that goes the way its connection was opened, and only answers pass unasked: so a rule that is
 * taken away cuts established connections too.
 */
export function rulesetOf(host: Host, plan: AddressPlan, router: Router): string {
  const ports = router.networks.flatMap((network) => network.ports);
  return [
    ...['table inet nephele', 'delete table inet nephele', 'table bridge nephele', 'delete table bridge nephele'],
    'table inet nephele {',
    ...rangeSets(closedRanges(host, plan)),
    ...router.securityGroups.flatMap(groupChains),
    ...ports.flatMap(portChains),
    ...inputChain(router),
    ...forwardChains(host, plan, router, ports),
    ...addressTranslation(host, plan, router),
    '}',
    'table bridge nephele {',
    ...antiSpoofing(ports),
    '}',
    ...egressMeter(ports),
    ...trafficMeter(router, pairs(host, plan, router)),
    '',
  ].join('\n');
}

const groupChain = (id: string, direction: string) => `group_${direction}_${shortHash(id, 12)}`;
const portChain = (id: string, direction: string) => `port_${direction}_${shortHash(id, 12)}`;

/** An nft set with its elements; nft knows no empty list of elements. */
function set(name: string, type: string, elements: string[], flags = ''): string[] {
  const list = elements.length > 0 ? [`elements = { ${elements.join(', ')} }`] : [];
  return [`set ${name} { type ${type}; ${flags}`, ...list, '}'];
}

function map(name: string, type: string, elements: string[]): string[] {
  const list = elements.length > 0 ? [`elements = { ${elements.join(', ')} }`] : [];
  return [`map ${name} { type ${type}`, ...list, '}'];
}

function rangeSets({ never, open, closed }: ClosedRanges): string[] {
  const flags = 'flags interval; auto-merge;';
  const sets = { never, open, closed };
  return Object.entries(sets).flatMap(([name, cidrs]) => set(name, 'ipv4_addr', cidrs, flags));
}

function groupChains({ id, rules }: SecurityGroup): string[] {
  return ['ingress', 'egress'].flatMap((direction) => [
    `chain ${groupChain(id, direction)} {`,
    ...rules.filter((rule) => rule.direction === direction && isIpv4(rule.cidr)).flatMap(ruleLines),
    '}',
  ]);
}

function ruleLines(rule: SecurityRule): string[] {
  const { direction, cidr } = rule;
  const allowed = allowedBy(rule);
  if (cidr.endsWith('/0')) return [allowed];
  if (direction === 'ingress') return [`ip saddr ${cidr} ${allowed}`];
  // Redirected connections are checked against the address that the client used.
  return [`ip daddr ${cidr} ${allowed}`, `ct mark ${REDIRECTED} ct original ip daddr ${cidr} ${allowed}`];
}

function allowedBy({ protocol, portRangeMin, portRangeMax }: SecurityRule): string {
  if (protocol === 'any') return 'accept';
  if (protocol === 'icmp') return 'meta l4proto icmp accept';
  const from = portRangeMin ?? 0;
  const to = portRangeMax ?? portRangeMin ?? 65_535;
  return `${protocol} dport ${from}-${to} accept`;
}

function portChains({ id, securityGroupIds }: Port): string[] {
  return ['ingress', 'egress'].flatMap((direction) => [
    `chain ${portChain(id, direction)} {`,
    ...securityGroupIds.map((group) => `jump ${groupChain(group, direction)}`),
    'drop',
    '}',
  ]);
}

/** Guests reach their gateway for addresses, names and a ping, the service address, and nothing else of this host. */
function inputChain(router: Router): string[] {
  const gateways = router.networks.map(({ id, gatewayIp }) => `"${bridgeName(id)}" . ${gatewayIp}`);
  return [
    ...set('gateways', 'ifname . ipv4_addr', gateways),
    'chain input { type filter hook input priority 0; policy drop',
    'iifname "lo" accept',
    'ct state established,related accept',
    `iifname != "${UPLINK}" udp sport 68 udp dport 67 accept`,
    'iifname . ip daddr @gateways meta l4proto icmp accept',
    'iifname . ip daddr @gateways meta l4proto { tcp, udp } th dport 53 accept',
    `iifname != "${UPLINK}" ip daddr ${SERVICE_ADDRESS} tcp dport { ${servicePorts.join(', ')} } accept`,
    `iifname "${UPLINK}" icmp type echo-request accept`,
    '}',
  ];
}

function forwardChains(host: Host, plan: AddressPlan, router: Router, ports: Port[]): string[] {
  const verdicts = (direction: string) => ports.map(({ id, ip }) => `${ip} : goto ${portChain(id, direction)}`);
  const sameNetwork = router.networks.map(({ id }) => `"${bridgeName(id)}" . "${bridgeName(id)}"`);
  const floating = pairs(host, plan, router);
  const own = [plan.routers[router.id] ?? '', ...floating.map(({ outer }) => outer)];
  const answers = [
    'ct state invalid drop',
    'ct state established ct direction reply accept',
    'ct state related accept',
  ];
  return [
    ...map('egress', 'ipv4_addr : verdict', verdicts('egress')),
    ...map('ingress', 'ipv4_addr : verdict', verdicts('ingress')),
    ...set('same_network', 'ifname . ifname', sameNetwork),
    ...set(
      'floating',
      'ipv4_addr . ipv4_addr',
      floating.map(({ outer, inner }) => `${outer} . ${inner}`),
    ),
    ...set('own', 'ipv4_addr', own),
    'chain from_guest { type filter hook forward priority -10; policy drop',
    ...answers,
    `iifname "${UPLINK}" accept`,
    'ip saddr vmap @egress',
    '}',
    'chain to_guest { type filter hook forward priority 0; policy drop',
    ...answers,
    `oifname "${UPLINK}" ip daddr @never drop`,
    // A connection that began under a floating IP ends with it.
    `oifname "${UPLINK}" ct state established ct reply ip daddr != @own drop`,
    `oifname "${UPLINK}" ip daddr @open accept`,
    `oifname "${UPLINK}" ip daddr @closed drop`,
    `oifname "${UPLINK}" accept`,
    `iifname . oifname @same_network ct mark ${REDIRECTED} ct original ip daddr vmap @ingress`,
    'iifname . oifname @same_network ip daddr vmap @ingress',
    'ct status dnat ct original ip daddr . ip daddr @floating ip daddr vmap @ingress',
    '}',
    // What enters from here (`entries.ts`) passes by the rules of the port that it goes to.
    'chain entering { type filter hook output priority 0; policy accept',
    `meta mark ${WAKING} accept`,
    ...answers,
    'meta l4proto tcp ip daddr vmap @ingress',
    '}',
  ];
}

type Pair = { id: string; outer: string; inner: string };

/** Floating IPs with the addresses behind them, for those whose port is here. */
function pairs(host: Host, plan: AddressPlan, router: Router): Pair[] {
  const ips = new Map(router.networks.flatMap((network) => network.ports.map(({ id, ip }) => [id, ip] as const)));
  return router.floatingIps.flatMap(({ id, address, portId }) => {
    const inner = ips.get(portId);
    return inner === undefined ? [] : [{ id, outer: innerAddress(host, plan, address), inner }];
  });
}

function addressTranslation(host: Host, plan: AddressPlan, router: Router): string[] {
  const floating = pairs(host, plan, router);
  const external = plan.routers[router.id];
  return [
    ...map(
      'to_inner',
      'ipv4_addr : ipv4_addr',
      floating.map(({ outer, inner }) => `${outer} : ${inner}`),
    ),
    ...map(
      'to_outer',
      'ipv4_addr : ipv4_addr',
      floating.map(({ outer, inner }) => `${inner} : ${outer}`),
    ),
    'chain prerouting { type nat hook prerouting priority dstnat',
    'dnat ip to ip daddr map @to_inner',
    '}',
    'chain postrouting { type nat hook postrouting priority srcnat',
    `oifname "${UPLINK}" snat ip to ip saddr map @to_outer`,
    `oifname "${UPLINK}" snat ip to ${external}`,
    // A guest that calls a neighbour by its floating IP must get the answer through the router.
    ...router.networks.map(({ id, cidr }) => `oifname "${bridgeName(id)}" ip saddr ${cidr} ct status dnat masquerade`),
    '}',
  ];
}

/** What a tap sends must carry its port's own addresses, or those that its port shares. Networks are IPv4: everything else stops here. */
function antiSpoofing(ports: Port[]): string[] {
  const taps = ports.map(({ id, mac, ip, sharedAddresses }) => {
    return { tap: `"${tapName(id)}"`, mac, ips: [ip, ...sharedAddresses] };
  });
  return [
    ...set(
      'hardware',
      'ifname . ether_addr',
      taps.map(({ tap, mac }) => `${tap} . ${mac}`),
    ),
    ...set(
      'addresses',
      'ifname . ipv4_addr',
      taps.flatMap(({ tap, ips }) => ips.map((ip) => `${tap} . ${ip}`)),
    ),
    'chain prerouting { type filter hook prerouting priority -300; policy accept',
    'iifname "tap*" jump from_tap',
    '}',
    'chain from_tap {',
    'iifname . ether saddr != @hardware drop',
    'ether type arp iifname . arp saddr ether @hardware iifname . arp saddr ip @addresses return',
    // Asking whether an address is free: the sender's own is still empty.
    'ether type arp iifname . arp saddr ether @hardware arp saddr ip 0.0.0.0 return',
    'ether type ip udp sport 67 drop',
    'ether type ip iifname . ip saddr @addresses return',
    'ether type ip ip saddr 0.0.0.0 udp sport 68 udp dport 67 return',
    'drop',
    '}',
  ];
}

/** Counts what leaves through the uplink, in a table of its own that no new ruleset resets. */
function egressMeter(ports: Port[]): string[] {
  return [
    'add table inet nephele_meter',
    'add map inet nephele_meter by_source { type ipv4_addr : counter; }',
    'add chain inet nephele_meter forward { type filter hook forward priority 10; policy accept; }',
    'flush chain inet nephele_meter forward',
    'flush map inet nephele_meter by_source',
    ...ports.map(({ id }) => `add counter inet nephele_meter ${egressCounter(id)}`),
    ...ports.map(({ id, ip }) => `add element inet nephele_meter by_source { ${ip} : "${egressCounter(id)}" }`),
    `add rule inet nephele_meter forward oifname "${UPLINK}" counter name ip saddr map @by_source`,
  ];
}

/**
 * Counts both directions of the router, its networks and its floating IPs, in the same table. Packets have the addresses
 * of the inside here.
 */
function trafficMeter(router: Router, floating: readonly Pair[]): string[] {
  const table = 'inet nephele_meter';
  const counted = [router, ...router.networks, ...floating].map(({ id }) => trafficCounters(id));
  const map = (name: string, type: string, elements: [key: string, counter: string][]) => [
    `add map ${table} ${name} { type ${type} : counter; }`,
    `flush map ${table} ${name}`,
    ...elements.map(([key, counter]) => `add element ${table} ${name} { ${key} : "${counter}" }`),
  ];
  const bridges = router.networks.map(({ id }) => ({ bridge: `"${bridgeName(id)}"`, ...trafficCounters(id) }));
  const addresses = floating.map(({ id, inner }) => ({ inner, ...trafficCounters(id) }));
  const own = trafficCounters(router.id);
  return [
    ...counted.flatMap(({ received, sent }) => [received, sent]).map((name) => `add counter ${table} ${name}`),
    ...map(
      'from_network',
      'ifname',
      bridges.map(({ bridge, sent }) => [bridge, sent]),
    ),
    ...map(
      'to_network',
      'ifname',
      bridges.map(({ bridge, received }) => [bridge, received]),
    ),
    ...map(
      'from_floating_ip',
      'ipv4_addr',
      addresses.map(({ inner, sent }) => [inner, sent]),
    ),
    ...map(
      'to_floating_ip',
      'ipv4_addr',
      addresses.map(({ inner, received }) => [inner, received]),
    ),
    ...[
      'counter name iifname map @from_network',
      'counter name oifname map @to_network',
      `oifname "${UPLINK}" counter name "${own.sent}"`,
      `iifname "${UPLINK}" counter name "${own.received}"`,
      `oifname "${UPLINK}" counter name ip saddr map @from_floating_ip`,
      `iifname "${UPLINK}" counter name ip daddr map @to_floating_ip`,
    ].map((rule) => `add rule ${table} forward ${rule}`),
  ];
}

/** Names of the counters of what a router, a network or a floating IP has received and sent. */
export function trafficCounters(id: string): { received: string; sent: string } {
  const hash = shortHash(id, 12);
  return { received: `received_${hash}`, sent: `sent_${hash}` };
}

/** Name of the counter of one port's bytes to the outside. */
export const egressCounter = (portId: string) => `egress_${shortHash(portId, 12)}`;
