import { expect, test } from 'vitest';
import { daysOf, momentAt, placeOf } from './backup-look';

const now = Date.parse('2026-11-24T12:00:00.000Z');
const at = (text: string) => Date.parse(text);

test('the line ends now and begins seven days ago', () => {
  expect(placeOf(now, now)).toBe(1);
  expect(placeOf('2026-11-17T12:00:00.000Z', now)).toBe(0);
  expect(placeOf('2026-11-21T00:00:00.000Z', now)).toBeCloseTo(0.5);
  expect(placeOf('2026-11-17T11:59:59.000Z', now)).toBeUndefined();
});

test('a place leads to its moment, and never out of what can be restored', () => {
  const window = { from: '2026-11-20T00:00:00.000Z', until: '2026-11-24T11:59:50.000Z' };
  expect(momentAt(0.5, now, window)).toEqual(new Date('2026-11-21T00:00:00.000Z'));
  expect(momentAt(0, now, window)).toEqual(new Date(window.from));
  expect(momentAt(1, now, window)).toEqual(new Date(window.until));
});

test('each day of the line has its midnight', () => {
  expect(daysOf(now).map((day) => day.at)).toHaveLength(7);
  expect(daysOf(now).every((day) => day.at <= now && day.at > at('2026-11-17T11:00:00.000Z'))).toBe(true);
});
