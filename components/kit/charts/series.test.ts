import { expect, test } from 'vitest';
import { loneValues, stacked, toneAt, totalOf, valueAt } from './series';

test('a value between two gaps is found, a line is not', () => {
  expect(loneValues([1, null, 2, null, 3, 4])).toEqual([0, 2]);
  expect(loneValues([null, undefined])).toEqual([]);
  expect(loneValues([5])).toEqual([0]);
});

test('without a cursor the latest value is shown, and none in a gap', () => {
  const line = { label: 'CPU', tone: 'accent' as const, values: [1, null, 3] };
  expect(valueAt(line, undefined)).toBe(3);
  expect(valueAt(line, 1)).toBeNull();
  expect(valueAt(line, 7)).toBeNull();
});

test('stacked series add up, and unknown values add nothing', () => {
  const series = [{ values: [1, null, 3] }, { values: [2, 2, null] }];
  expect(stacked(series)).toEqual([
    [1, 0, 3],
    [3, 2, 3],
  ]);
  expect(series.map(totalOf)).toEqual([4, 4]);
});

test('more lines than colours begin with the first colour again', () => {
  expect(toneAt(8)).toBe(toneAt(0));
  expect(new Set([0, 1, 2, 3, 4, 5, 6, 7].map(toneAt)).size).toBe(8);
});
