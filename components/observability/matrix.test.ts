import { expect, test } from 'vitest';
import { labelsOf, linesOf, nameWithin, summaryOf } from './matrix';

test('missing and infinite values are gaps, never 0', () => {
  const { times, lines } = linesOf({
    step_s: 15,
    shown: { from: 30_000, to: 90_000 },
    result: [
      {
        metric: { resource_name: 'web-1' },
        values: [
          [30, '1'],
          [60, '3.5'],
          [75, '+Inf'],
        ],
      },
    ],
  });
  expect(times).toEqual([30_000, 45_000, 60_000, 75_000, 90_000]);
  expect(lines).toEqual([{ label: 'web-1', metric: { resource_name: 'web-1' }, values: [1, null, 3.5, null, null] }]);
});

test('series are named by the labels that tell them apart', () => {
  const metric = { __name__: 'nephele_volume_read_bytes', project: 'p', service: 'storage' };
  const one = { ...metric, resource_id: 'a', resource_name: 'data' };
  const other = { ...metric, resource_id: 'b', resource_name: 'logs' };
  expect(labelsOf([one, other])).toEqual(['data', 'logs']);
  expect(labelsOf([one, { ...other, resource_name: 'data' }])).toEqual(['{resource_id="a"}', '{resource_id="b"}']);
  expect(labelsOf([{ level: 'info' }, { level: 'warn' }])).toEqual(['{level="info"}', '{level="warn"}']);
  expect(labelsOf([{ service: 'compute', resource_id: 'a', resource_name: 'web-1' }])).toEqual(['web-1']);
  expect(labelsOf([{}])).toEqual(['Value']);
});

test('series of one resource are named by their values, and those of the resource itself by its name', () => {
  const endpoint = { __name__: 'cpu', resource_name: 'shop' };
  const members = ['shop-1', 'shop-2'].map((member) => ({ ...endpoint, member }));
  expect([endpoint, ...members].map((metric) => nameWithin(metric, [endpoint, ...members]))).toEqual([
    'shop',
    'shop-1',
    'shop-2',
  ]);
});

test('a summary leaves gaps out', () => {
  expect(summaryOf({ values: [null, 2, null, 4, null] })).toEqual({ last: 4, min: 2, max: 4, avg: 3 });
  expect(summaryOf({ values: [null] })).toEqual({ last: null, min: null, max: null, avg: null });
});
