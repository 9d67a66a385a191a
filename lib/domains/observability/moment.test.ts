import { expect, test } from 'vitest';
import { parseMoment } from './moment';

test.each([
  ['1772366400', 1_772_366_400_000_000_000n],
  ['1772366400.25', 1_772_366_400_250_000_000n],
  ['1772366400.1234567891', 1_772_366_400_123_456_789n],
  ['1772366400000000001', 1_772_366_400_000_000_001n],
  ['0', 0n],
  ['2026-03-01T12:00:00Z', 1_772_366_400_000_000_000n],
  ['2026-03-01T13:00:00.000000001+01:00', 1_772_366_400_000_000_001n],
  ['1969-12-31T23:59:59.5Z', -500_000_000n],
])('%s is a time, exact to the nanosecond', (text, nanoseconds) => {
  expect(parseMoment(text, 10)).toBe(nanoseconds);
});

test.each([
  '',
  'now',
  '-1',
  '1e9',
  '1772366400000.5',
  '2026-03-01',
  '2026-03-01T12:00:00',
  '2026-13-01T12:00:00Z',
  '99999999999999999999',
])('"%s" is no time', (text) => {
  expect(parseMoment(text, 10)).toBeUndefined();
});

test('how many digits seconds may have is the caller’s choice', () => {
  expect([parseMoment('10000000000', 11), parseMoment('10000000000', 10)]).toEqual([10n ** 19n, 10n ** 10n]);
});
