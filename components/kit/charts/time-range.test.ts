import { expect, test } from 'vitest';
import { localTime, parseLocalTime, parseWindow, shownWindow } from './time-range';

test.each([
  [null, null],
  ['1000', null],
  ['2000', '1000'],
  ['1000', '1000'],
  ['now', '1000'],
  ['', '1e400'],
])('from %s to %s is no window', (from, to) => expect(parseWindow(from, to)).toBeUndefined());

test('a window is read from the address', () => {
  expect(parseWindow('1000', '2000')).toEqual({ from: 1000, to: 2000 });
});

test('a window is clipped to the range, and one outside of it shows the whole range', () => {
  const whole = { from: 100, to: 200 };
  expect(shownWindow(whole, undefined)).toEqual(whole);
  expect(shownWindow(whole, { from: 120, to: 150 })).toEqual({ from: 120, to: 150 });
  expect(shownWindow(whole, { from: 50, to: 150 })).toEqual({ from: 100, to: 150 });
  expect(shownWindow(whole, { from: 10, to: 90 })).toEqual(whole);
});

test('a moment goes through a field of local time and back, to the second', () => {
  const moment = Date.UTC(2026, 2, 1, 9, 5, 7);
  expect(localTime(moment)).toMatch(/^2026-0[23]-\d\dT\d\d:\d5:07$/);
  expect(parseLocalTime(localTime(moment))).toBe(moment);
  expect(parseLocalTime(localTime(moment + 999))).toBe(moment);
});

test.each(['', '2026-03-01', '2026-02-30T', '1960-01-01T00:00'])('%j is no complete moment since 1970', (text) => {
  // A date alone would be read as UTC.
  expect(parseLocalTime(text)).toBeUndefined();
});
