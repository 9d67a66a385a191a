import { expect, test } from 'vitest';
import { untilBudgetTurns } from './turns';

const now = Date.parse('2028-02-28T12:00:00Z');
const status = { month: '2028-02', frozen: false, freezes_at: null };

test('a budget is refetched when it freezes and when the month ends', () => {
  const at = (freezes_at: string | null, frozen = false) =>
    untilBudgetTurns({ monthly_limit_usd: 10, status: { ...status, frozen, freezes_at } }, now);
  expect(at('2028-02-28T12:00:30Z')).toBe(32_000);
  expect(at(null)).toBe(1.5 * 86_400_000 + 2000);
  expect(at('2028-02-28T11:00:00Z', true)).toBe(1.5 * 86_400_000 + 2000);
});

test('without a budget nothing is refetched; a fast clock does not cause requests without a pause', () => {
  expect(untilBudgetTurns({ monthly_limit_usd: null, status }, now)).toBe(false);
  const past = { ...status, freezes_at: '2028-02-28T11:00:00Z' };
  expect(untilBudgetTurns({ monthly_limit_usd: 10, status: past }, now)).toBe(2000);
});

test('a wait of 31 days fits into a timer', () => {
  const wait = untilBudgetTurns(
    { monthly_limit_usd: 10, status: { ...status, month: '2028-03' } },
    Date.parse('2028-03-01T00:00:00Z'),
  );
  expect(wait).toBeLessThan(2 ** 31);
});
