import { expect, test } from 'vitest';
import { monthsUntil, spanOf, sumByDay } from './usage-series';

const now = Date.parse('2028-03-02T23:30:00Z');

test('a month is all of its days, and the one that runs is as many as it has had', () => {
  expect(spanOf('2028-02', now)).toEqual({ from: '2028-02-01', to: '2028-02-29' });
  expect(spanOf('2028-03', now)).toEqual({ from: '2028-03-01', to: '2028-03-02' });
});

test('months go back over the turn of the year', () => {
  expect(monthsUntil(now, 4)).toEqual(['2028-03', '2028-02', '2028-01', '2027-12']);
});

test('days are summed over resources, and a day without usage is nought', () => {
  const resource = { type: 'instance', id: '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f', name: 'web' };
  const row = (day: string, quantity: number, amount_usd: number | null) => ({
    day,
    quantity,
    amount_usd,
    metric: 'compute_vcpu' as const,
    resource,
    unit: 'vCPU-hour',
  });
  const rows = [row('2028-02-01', 2, 0.5), row('2028-02-01', 3, null), row('2028-02-03', 1, 0.25)];
  const values = (of: 'quantity' | 'amount_usd') =>
    sumByDay(rows, of, '2028-02-01', '2028-02-03').map(({ value }) => value);
  expect(values('quantity')).toEqual([5, 0, 1]);
  expect(values('amount_usd')).toEqual([0.5, 0, 0.25]);
});
