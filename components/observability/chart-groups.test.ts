import { expect, test } from 'vitest';
import { instanceMetrics } from '@/lib/domains/compute/instance-metrics';
import { chartGroups } from './chart-groups';

const metrics = instanceMetrics.map(({ name, type, unit, help }) => ({ name, type, unit, help }));

test('metrics of one kind that differ in direction share a chart, with words that people read', () => {
  expect(
    chartGroups(metrics, 'instance').map(({ title, metrics: of }) => [title, of.map(({ label }) => label)]),
  ).toEqual([
    ['CPU', ['CPU']],
    ['Memory', ['Memory']],
    ['Disk', ['Read', 'Written']],
    ['Disk operations', ['Read', 'Written']],
    ['Network', ['Received', 'Sent', 'Egress']],
  ]);
  expect(chartGroups(metrics, 'router')).toEqual([]);
});

test('reads and writes without another name are the throughput', () => {
  const volume = ['read_bytes', 'write_bytes', 'read_operations', 'size_bytes'].map((name) => ({
    name: `nephele_volume_${name}`,
    type: 'counter',
    unit: name.split('_')[1] ?? '',
    help: '',
  }));
  expect(chartGroups(volume, 'volume').map(({ title }) => title)).toEqual(['Throughput', 'Operations', 'Size']);
});
