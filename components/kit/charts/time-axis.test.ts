import { expect, test } from 'vitest';
import { roundTimes, timeLabels } from './time-axis';

const to = Date.parse('2026-11-21T12:10:30Z');
const HOUR_MS = 3_600_000;

test('times on the axis are round', () => {
  const minutes = roundTimes(to - HOUR_MS, to, 6).map((at) => new Date(at).getMinutes() % 10);
  expect(minutes).toEqual([0, 0, 0, 0, 0, 0]);
  const hours = roundTimes(to - 7 * 24 * HOUR_MS, to, 6).map((at) => new Date(at).getHours());
  expect(new Set(hours)).toEqual(new Set([0]));
  expect(hours.length).toBeLessThanOrEqual(6);
});

test.each([60_000, HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS, 7 * 24 * HOUR_MS, 30 * 24 * HOUR_MS])(
  'over %s ms no label is repeated, and there are a few',
  (range) => {
    for (const most of [3, 6, 10]) {
      const times = roundTimes(to - range, to, most);
      const labels = timeLabels(times);
      expect(times.length).toBeLessThanOrEqual(most + 1);
      expect(times.length).toBeGreaterThanOrEqual(1);
      expect(new Set(labels).size).toBe(labels.length);
    }
  },
);

test('the first label of a day has its date', () => {
  const midnight = new Date(2026, 10, 21).getTime();
  expect(timeLabels([midnight - HOUR_MS, midnight, midnight + HOUR_MS])).toEqual(['23:00', '21 Nov', '01:00']);
});
