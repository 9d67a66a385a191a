import { expect, test } from 'vitest';
import { type Budget, budgetOf, budgetSchema, differences, inputsOf, limitOf, percentsOf } from './budget-values';

const budget: Budget = {
  monthly_limit_usd: 250.5,
  thresholds: [50, 80, 90],
  enable_quota_freeze: true,
  notify_emails: ['finance@acme.example', 'ops@acme.example'],
  webhook_url: null,
  updated_at: null,
  status: {
    month: '2028-02',
    month_to_date_usd: 0,
    used_percent: 0,
    frozen: false,
    frozen_reason: null,
    lift_usd: 0,
    freezes_at: null,
    reached_at: null,
    thresholds: [],
  },
};

test('a budget goes through the form unchanged', () => {
  const { status: _status, updated_at: _updated, ...settings } = budget;
  expect(budgetSchema.safeParse(inputsOf(budget)).success).toBe(true);
  expect(budgetOf(inputsOf(budget))).toEqual(settings);
  const none = { ...budget, monthly_limit_usd: null, enable_quota_freeze: false, thresholds: [], notify_emails: [] };
  expect(budgetOf(inputsOf(none)).monthly_limit_usd).toBe(null);
  expect(budgetSchema.safeParse(inputsOf(none)).success).toBe(true);
});

test('percents are read as people write them, once each and in order', () => {
  expect(percentsOf('90%, 50 80\n50')).toEqual([50, 80, 90]);
  expect(percentsOf('')).toEqual([]);
  for (const wrong of ['0', '101', '12.5', 'half']) expect(percentsOf(wrong)).toBe(undefined);
});

test('a limit is an amount of at least a cent, or none', () => {
  expect(limitOf(' 1,250.50 ')).toBe(1250.5);
  expect(limitOf('')).toBe(null);
  for (const wrong of ['0', '-5', '0.001', '1.1234567', 'much']) expect(limitOf(wrong)).toBe(undefined);
});

test('a freeze without a limit is refused where it is switched on', () => {
  const result = budgetSchema.safeParse({ ...inputsOf(budget), monthly_limit_usd: '' });
  expect(result.error?.issues.map(({ path }) => path)).toEqual([['enable_quota_freeze']]);
});

test('what someone else changed is named, and nothing else', () => {
  expect(differences(budget, { ...budget, monthly_limit_usd: 300, enable_quota_freeze: false })).toEqual([
    { name: 'Monthly limit', before: '$250.50', now: '$300.00' },
    { name: 'Freeze', before: 'on', now: 'off' },
  ]);
  expect(differences(budget, { ...budget, updated_at: '2028-02-01T00:00:00Z' })).toEqual([]);
});
