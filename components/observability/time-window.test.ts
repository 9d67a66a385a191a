import { expect, test } from 'vitest';
import { nanoseconds, stepOf, wholeSteps, windowOf } from './time-window';

test('a range ends now, and a zoomed window stays', () => {
  expect(windowOf('15m', undefined, 1_000_000)).toEqual({ from: 100_000, to: 1_000_000 });
  expect(windowOf('15m', { from: 5, to: 9 }, 1_000_000)).toEqual({ from: 5, to: 9 });
});

test.each([
  [3_600_000, 60, 60],
  [900_000, 60, 15],
  [500, 60, 1],
  [7 * 86_400_000, 60, 10_800],
  [400 * 86_400_000, 60, 7 * 86_400],
])('%s ms in at most %s parts have steps of %s s', (length, most, step) => {
  expect(stepOf({ from: 0, to: length }, most)).toBe(step);
});

test('steps begin at round times around the window', () => {
  expect(wholeSteps({ from: 61_000, to: 119_000 }, 60)).toEqual({ from: 60_000, to: 120_000 });
});

test('milliseconds become nanoseconds without rounding errors', () => {
  expect(nanoseconds(1_772_366_461_123)).toBe('1772366461123000000');
});
