import { expect, test } from 'vitest';
import { costOf, priceableUnits, toCents } from './cost';
import { usdInput } from './usd';

test('units are those of the rate card: hours, GB-months of that month, millions of tokens', () => {
  expect(priceableUnits('compute_vcpu', 9000, '2027-02').toFixed()).toBe('2.5');
  // 10 GB for fourteen of the 28 days of a February, and of the 31 of a January.
  const fortnight = 10 * 14 * 86_400;
  expect(priceableUnits('block_storage', fortnight, '2027-02').toFixed()).toBe('5');
  expect(priceableUnits('block_storage', fortnight, '2027-01').toFixed(6)).toBe('4.516129');
  expect(priceableUnits('ai_prompt_tokens', 1_500_000, '2027-02').toFixed()).toBe('1.5');
  expect(priceableUnits('network_egress', 2 ** 31, '2027-02').toFixed()).toBe('2');
});

test('usage costs its units times the price, or nothing without a price', () => {
  for (const metric of ['compute_vcpu', 'block_storage', 'ai_prompt_tokens'] as const) {
    const units = priceableUnits(metric, 1_234_567, '2028-02');
    expect(costOf(metric, 1_234_567, '2028-02', '0.08').minus(units.times('0.08')).abs().lt('1e-60')).toBe(true);
  }
  expect(costOf('mysql_database', 3600, '2027-02', null).toFixed()).toBe('0');
});

test('an amount is rounded to cents half to even', () => {
  const rounded = ['0.005', '0.015', '0.025', '0.025001', '1'].map((cost) => toCents(cost).toFixed(2));
  expect(rounded).toEqual(['0.00', '0.02', '0.02', '0.03', '1.00']);
});

test('an amount in a request has at most six decimals and inclusive bounds', () => {
  const amount = usdInput(0.01);
  for (const given of [0.01, 0.123456, 100_000_000]) expect(amount.safeParse(given).data).toBe(given);
  for (const given of [0.009999, 0.1234567, 100_000_000.01]) expect(amount.safeParse(given).success).toBe(false);
});
