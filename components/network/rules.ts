import type { Row } from '@/lib/client/list';
import { type AddressRange, holds, rangeOf } from '@/lib/domains/network/ipv4';

export type SecurityGroup = Row<'/api/v1/network/security-groups'>;
export type Rule = SecurityGroup['rules'][number];

/** The fields of a rule that a user sets. */
export type RuleFacts = Pick<Rule, 'direction' | 'protocol' | 'port_range_min' | 'port_range_max' | 'cidr'>;

export const ANYWHERE = '0.0.0.0/0';

/** What usually listens on a port. */
const services = new Map([
  [22, 'SSH'],
  [25, 'SMTP'],
  [53, 'DNS'],
  [80, 'HTTP'],
  [443, 'HTTPS'],
  [3306, 'MySQL'],
  [3389, 'Remote Desktop'],
  [5432, 'PostgreSQL'],
  [6379, 'Valkey'],
  [27017, 'MongoDB'],
]);

/** Services that are attacked within minutes of being open to the internet. */
const sensitive = [22, 3389, 5432, 3306, 6379, 27017];

/** Common rules by their names, for a start. */
export const presets = [
  { value: 'ssh', label: 'SSH', direction: 'ingress', protocol: 'tcp', ports: '22' },
  { value: 'http', label: 'HTTP', direction: 'ingress', protocol: 'tcp', ports: '80' },
  { value: 'https', label: 'HTTPS', direction: 'ingress', protocol: 'tcp', ports: '443' },
  { value: 'ping', label: 'Ping', direction: 'ingress', protocol: 'icmp', ports: '' },
  { value: 'postgresql', label: 'PostgreSQL', direction: 'ingress', protocol: 'tcp', ports: '5432' },
  { value: 'mysql', label: 'MySQL', direction: 'ingress', protocol: 'tcp', ports: '3306' },
  { value: 'all-tcp', label: 'All TCP', direction: 'ingress', protocol: 'tcp', ports: '' },
  { value: 'all-in', label: 'All inbound', direction: 'ingress', protocol: 'any', ports: '' },
  { value: 'https-out', label: 'HTTPS outbound', direction: 'egress', protocol: 'tcp', ports: '443' },
  { value: 'dns-out', label: 'DNS outbound', direction: 'egress', protocol: 'udp', ports: '53' },
  { value: 'all-out', label: 'All outbound', direction: 'egress', protocol: 'any', ports: '' },
] as const;

/** `22`, `8000-8100` or nothing for all ports, as a range; undefined when it is none of them. */
export function readPorts(text: string): Pick<Rule, 'port_range_min' | 'port_range_max'> | undefined {
  if (text.trim() === '') return { port_range_min: null, port_range_max: null };
  const [, from, to = from] = /^\s*(\d{1,5})(?:\s*[-–:]\s*(\d{1,5}))?\s*$/.exec(text) ?? [];
  const [first, last] = [Number(from), Number(to)];
  return first >= 1 && first <= last && last <= 65_535 ? { port_range_min: first, port_range_max: last } : undefined;
}

/** `TCP 22 (SSH)`, `TCP 8000–8100`, `all UDP ports`, `ICMP (ping)`, `all traffic`. */
function trafficOf({ protocol, port_range_min: first, port_range_max: last }: RuleFacts): string {
  if (protocol === 'any') return 'all traffic';
  const name = protocol.toUpperCase();
  if (protocol === 'icmp') return 'ICMP (ping)';
  if (first === null) return `all ${name} ports`;
  if (last !== null && last !== first) return `${name} ${first}–${last}`;
  const service = services.get(first);
  return `${name} ${first}${service ? ` (${service})` : ''}`;
}

/** The other side of a rule: `anywhere`, an address, or a range with the name of its network. */
function otherSide({ cidr }: Pick<RuleFacts, 'cidr'>, networks: ReadonlyMap<string, string>): string {
  if (cidr === ANYWHERE) return 'anywhere';
  const name = networks.get(cidr);
  if (name !== undefined) return `network ${name} (${cidr})`;
  return cidr.endsWith('/32') ? cidr.slice(0, -3) : cidr;
}

/** A rule as a sentence: `Allow TCP 22 (SSH) from anywhere`. `networks`: names by range. */
export function sayRule(rule: RuleFacts, networks: ReadonlyMap<string, string> = new Map()): string {
  const preposition = rule.direction === 'ingress' ? 'from' : 'to';
  return `Allow ${trafficOf(rule)} ${preposition} ${otherSide(rule, networks)}`;
}

const portsOf = (rule: RuleFacts): AddressRange => ({
  first: rule.port_range_min ?? 1,
  last: rule.port_range_max ?? rule.port_range_min ?? 65_535,
});

/** Whether one rule allows everything that the other one allows. */
function covers(one: RuleFacts, other: RuleFacts): boolean {
  if (one.direction !== other.direction || !holds(rangeOf(one.cidr), rangeOf(other.cidr))) return false;
  if (one.protocol === 'any') return true;
  return one.protocol === other.protocol && (one.protocol === 'icmp' || holds(portsOf(one), portsOf(other)));
}

/** An equal rule, if there is one. */
export function sameRule<R extends RuleFacts>(rule: RuleFacts, rules: readonly R[]): R | undefined {
  return rules.find((other) => covers(other, rule) && covers(rule, other) && other.protocol === rule.protocol);
}

/** A rule that already allows all of it, and more. */
export function widerRule<R extends RuleFacts>(rule: RuleFacts, rules: readonly R[]): R | undefined {
  return rules.find((other) => covers(other, rule) && !covers(rule, other));
}

/** Sensitive services that a rule opens to the internet: `SSH`, `PostgreSQL`. */
export function exposedBy(rule: RuleFacts): string[] {
  if (rule.direction !== 'ingress' || rule.cidr !== ANYWHERE) return [];
  return sensitive
    .filter((port) => covers(rule, { ...rule, protocol: 'tcp', port_range_min: port, port_range_max: port }))
    .map((port) => services.get(port) ?? String(port));
}

/** `SSH`, `SSH and MySQL`, `SSH, MySQL and 2 more`. */
export function listed(names: readonly string[]): string {
  if (names.length <= 2) return names.join(' and ');
  return `${names.slice(0, 2).join(', ')} and ${names.length - 2} more`;
}
