import { describe, expect, test } from 'vitest';
import { formatMoney } from '@/lib/format/money';
import { formatNumber } from '@/lib/format/number';
import { formatBytes } from '@/lib/format/size';
import { ticks, ticksBetween } from './axes';

describe('an axis', () => {
  test.each([
    [100, false, [0, 25, 50, 75, 100]],
    [256, true, [0, 64, 128, 192, 256]],
    [0, true, [0, 1]],
    [3, false, [0, 1, 2, 3]],
  ])('with ticks up to %s has round numbers', (most, binary, expected) => {
    expect(ticks(most, binary)).toEqual(expected);
  });
  test('ends at or above the maximum', () => {
    for (const most of [0.3, 7, 99, 1025, 123_456_789]) {
      for (const binary of [true, false]) expect(ticks(most, binary).at(-1)).toBeGreaterThanOrEqual(most);
    }
  });
  test('has no duplicate labels, and no label for a missing value', () => {
    const whole = (value: number) => value.toFixed(0);
    expect(ticks(1, false, whole)).toEqual([0, 1]);
    expect(ticks(3, false, whole)).toEqual([0, 1, 2, 3]);
    for (const most of [0.004, 0.4, 1, 2, 5, 7, 1000]) {
      for (const format of [formatMoney, formatBytes, formatNumber]) {
        const labels = ticks(most, format === formatBytes, format).map((value) => format(value));
        expect(new Set(labels).size).toBe(labels.length);
      }
    }
  });
  test('with negative values has the same steps below zero', () => {
    expect(ticksBetween(-30, 100, false)).toEqual([-50, -25, 0, 25, 50, 75, 100]);
    expect(ticksBetween(-4, 0, false)).toEqual([-4, -3, -2, -1, 0]);
    expect(ticksBetween(0, 100, false)).toEqual(ticks(100, false));
  });
});
