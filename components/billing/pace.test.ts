import { expect, test } from 'vitest';
import { crossingOf, paceOf, shareOfBudget, spentAt } from './pace';

const pace = paceOf({
  month: '2028-02',
  as_of: '2028-02-20T12:00:00.000Z',
  month_to_date_usd: 40,
  burn_usd_per_hour: 0.5,
});

test('what is reached, when what comes is reached, and what the month is too short for', () => {
  expect(crossingOf(pace, 40)).toBe('reached');
  expect(crossingOf(pace, 46)).toBe(Date.parse('2028-02-21T00:00:00Z'));
  // 9.5 days are left of a February of 29: 114 dollars more.
  expect(crossingOf(pace, 153.99)).toBeLessThan(Date.parse('2028-03-01T00:00:00Z'));
  expect(crossingOf(pace, 154)).toBe('not_this_month');
  expect(crossingOf({ ...pace, usd_per_hour: 0 }, 40.01)).toBe('not_this_month');
});

test('spend grows with what runs, and ends with the month', () => {
  expect(spentAt(pace, Date.parse('2028-02-20T14:00:00Z'))).toBe(41);
  expect(spentAt(pace, Date.parse('2028-02-20T11:00:00Z'))).toBe(40);
  expect(spentAt(pace, Date.parse('2028-04-01T00:00:00Z'))).toBe(154);
});

test('a budget reads as used up only once it is, although spend is told to six decimals', () => {
  // 9.9999999 of 10 dollars.
  const said = { used_percent: 99.99, month_to_date_usd: 10, limit_usd: 10 };
  expect(shareOfBudget(said, 10)).toBeCloseTo(0.9999, 9);
  expect(shareOfBudget({ ...said, used_percent: 100 }, 10)).toBe(1);
  expect(shareOfBudget({ used_percent: 40, month_to_date_usd: 4, limit_usd: 10 }, 4.5)).toBeCloseTo(0.45, 9);
});
