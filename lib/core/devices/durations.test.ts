import { expect, test } from 'vitest';
import { bucketEnd, bucketOf, Durations } from './durations';

test('a bucket ends at most a tenth above its durations', () => {
  for (const ms of [0, 1, 2, 7, 99, 1_000, 59_999]) {
    const end = bucketEnd(bucketOf(ms));
    expect(end).toBeGreaterThanOrEqual(ms);
    expect(end).toBeLessThanOrEqual(Math.max(1, Math.ceil(ms * 1.1)));
  }
});

test('quantiles are those of all durations', () => {
  const durations = new Durations();
  expect(durations.quantile(0.5)).toBe(0);
  for (let ms = 1; ms <= 1_000; ms += 1) durations.add(ms);
  for (const [share, exact] of [
    [0.5, 500],
    [0.99, 990],
    [1, 1_000],
  ] as const) {
    expect(durations.quantile(share)).toBeGreaterThanOrEqual(exact);
    expect(durations.quantile(share)).toBeLessThanOrEqual(exact * 1.1);
  }
  expect(durations.quantile(0)).toBe(1);
});
