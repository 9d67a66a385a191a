import { expect, test } from 'vitest';
import { kindOf, kindsOf, promqlOf, shortName } from './promql-builder';
import { formatOf, unitOf } from './units';

const cpu = { name: 'nephele_instance_cpu_seconds', type: 'counter', unit: 'seconds', help: '' };
const memory = { name: 'nephele_instance_memory_bytes', type: 'gauge', unit: 'bytes', help: '' };
const sent = { name: 'nephele_instance_network_transmit_bytes', type: 'counter', unit: 'bytes', help: '' };
const metrics = [cpu, memory, sent];

test.each([
  [cpu, [], 'none', 15, 'rate(nephele_instance_cpu_seconds[60s])'],
  [cpu, ['a', 'b'], 'avg', 300, 'avg(rate(nephele_instance_cpu_seconds{resource_id=~"a|b"}[600s]))'],
  [memory, ['a'], 'sum', 15, 'sum(nephele_instance_memory_bytes{resource_id="a"})'],
] as const)('a choice becomes PromQL (%#)', (metric, resources, aggregate, step, query) => {
  expect(promqlOf({ metric, resources, aggregate }, step)).toBe(query);
});

test.each([
  ['rate(nephele_instance_cpu_seconds[1m])', 'cores'],
  ['nephele_instance_memory_bytes', 'bytes'],
  ['sum by (resource_name) (rate(nephele_instance_network_transmit_bytes[5m]))', 'bytes_per_second'],
  ['nephele_instance_memory_bytes / 1024', undefined],
  ['count(nephele_instance_memory_bytes)', undefined],
  ['nephele_instance_memory_bytes + nephele_instance_cpu_seconds', undefined],
  ['1', undefined],
])('the unit of %s', (query, unit) => {
  expect(unitOf(query, metrics)).toBe(unit);
});

test('a small value is never written as 0', () => {
  expect(formatOf('cores').format(0.00123)).toBe('0.00123 cores');
  expect(formatOf('bytes_per_second').format(2048)).toBe('2 KB/s');
  expect(formatOf('unknown').format(1234.5)).toBe('1,234.5');
});

test('a metric belongs to the type of resource with the longest matching name', () => {
  expect(kindOf('nephele_security_group_rules')).toBe('security_group');
  expect(kindOf('nephele_gateway_requests')).toBe('gateway');
  expect(kindsOf(metrics)).toEqual(['instance']);
  expect(shortName('nephele_instance_cpu_seconds', 'instance')).toBe('cpu seconds');
});
