import { expect, test } from 'vitest';
import { loneValues, valueAt } from './series';

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
