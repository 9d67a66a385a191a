import { describe, expect, test } from 'vitest';
import { exposedBy, presets, type RuleFacts, readPorts, sameRule, sayRule, widerRule } from './rules';

const rule = (change: Partial<RuleFacts> = {}): RuleFacts => ({
  direction: 'ingress',
  protocol: 'tcp',
  port_range_min: 22,
  port_range_max: 22,
  cidr: '0.0.0.0/0',
  ...change,
});
const allPorts = { port_range_min: null, port_range_max: null };

describe('a rule reads', () => {
  test.each<[string, Partial<RuleFacts>]>([
    ['Allow TCP 22 (SSH) from anywhere', {}],
    ['Allow TCP 22 (SSH) from 203.0.113.7', { cidr: '203.0.113.7/32' }],
    [
      'Allow TCP 5432 (PostgreSQL) from network backend (10.20.0.0/24)',
      { cidr: '10.20.0.0/24', port_range_min: 5432, port_range_max: 5432 },
    ],
    ['Allow TCP 8000–8100 from anywhere', { port_range_min: 8000, port_range_max: 8100 }],
    ['Allow all UDP ports from anywhere', { protocol: 'udp', ...allPorts }],
    ['Allow ICMP (ping) from anywhere', { protocol: 'icmp', ...allPorts }],
    ['Allow all traffic from anywhere', { protocol: 'any', ...allPorts }],
    ['Allow all traffic to anywhere', { direction: 'egress', protocol: 'any', ...allPorts }],
    [
      'Allow UDP 53 (DNS) to 9.9.9.9',
      { direction: 'egress', protocol: 'udp', port_range_min: 53, port_range_max: 53, cidr: '9.9.9.9/32' },
    ],
    ['Allow ICMP (ping) to anywhere', { direction: 'egress', protocol: 'icmp', ...allPorts }],
  ])('%s', (sentence, change) => {
    expect(sayRule(rule(change), new Map([['10.20.0.0/24', 'backend']]))).toBe(sentence);
  });
});

test.each([
  ['22', [22, 22]],
  [' 8000 - 8100 ', [8000, 8100]],
  ['8000–8100', [8000, 8100]],
  ['', [null, null]],
  ['0', undefined],
  ['65536', undefined],
  ['90-80', undefined],
  ['22,80', undefined],
  ['ssh', undefined],
])('ports "%s"', (text, expected) => {
  const ports = readPorts(text);
  expect(ports && [ports.port_range_min, ports.port_range_max]).toEqual(expected);
});

test('every preset is a rule that can be sent', () => {
  for (const { protocol, ports } of presets) {
    const range = readPorts(ports);
    expect(range).toBeDefined();
    if (protocol !== 'tcp' && protocol !== 'udp') expect(range).toEqual(allPorts);
  }
});

test('an equal rule and a wider rule are told apart', () => {
  const ssh = rule();
  const office = rule({ cidr: '203.0.113.0/24' });
  const everything = rule({ protocol: 'any', ...allPorts });
  expect(sameRule(ssh, [office, everything, ssh])).toBe(ssh);
  expect(sameRule(ssh, [office, everything])).toBeUndefined();
  expect(widerRule(office, [ssh])).toBe(ssh);
  expect(widerRule(ssh, [everything])).toBe(everything);
  expect(
    widerRule(ssh, [ssh, office, rule({ protocol: 'udp', ...allPorts }), rule({ direction: 'egress' })]),
  ).toBeUndefined();
});

test('a sensitive service that is open to the internet is named', () => {
  expect(exposedBy(rule())).toEqual(['SSH']);
  expect(exposedBy(rule({ port_range_min: 20, port_range_max: 4000 }))).toEqual(['SSH', 'Remote Desktop', 'MySQL']);
  expect(exposedBy(rule({ protocol: 'any', ...allPorts }))).toHaveLength(6);
  expect(exposedBy(rule({ cidr: '10.0.0.0/8' }))).toEqual([]);
  expect(exposedBy(rule({ port_range_min: 443, port_range_max: 443 }))).toEqual([]);
  expect(exposedBy(rule({ direction: 'egress' }))).toEqual([]);
  expect(exposedBy(rule({ protocol: 'udp' }))).toEqual([]);
});
