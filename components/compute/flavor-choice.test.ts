import { expect, test } from 'vitest';
import type { Pricing } from '@/lib/money/billing/schema';
import type { Spend } from '@/lib/money/pricing/quote';
import { byFamily, exceeded, type Flavor } from './flavor-choice';

const flavor: Flavor = { id: 'a', name: 'large', vcpus: 2, ram_gb: 4, disk_gb: 40, gpu_slices: 0 };

const available = (instances: number, vcpus: number, ram_gb: number) => ({
  instances: { available: instances },
  vcpus: { available: vcpus },
  ram_gb: { available: ram_gb },
});

const item = {
  category: 'compute',
  basis: 'hour',
  per: 'h',
  unit: 'h',
  effective_from: '2025-01',
  next: null,
} as const;
const pricing: Pricing = {
  month: '2026-11',
  currency: 'USD',
  items: [
    { ...item, metric: 'compute_vcpu', name: 'vCPU', unit_price_usd: '0.01' },
    { ...item, metric: 'compute_memory', name: 'Memory', unit_price_usd: null },
    { ...item, metric: 'gpu_slice', name: 'GPU', unit_price_usd: null },
    { ...item, metric: 'block_storage', name: 'Block storage', unit_price_usd: null },
  ],
};

/** In the middle of November with nothing spent: two vCPUs would cost $7.20 until its end. */
function budget(monthly_limit_usd: number | null, enable_quota_freeze: boolean): Spend {
  return {
    month: '2026-11',
    as_of: '2026-11-16T00:00:00.000Z',
    month_to_date_usd: 0,
    forecast_usd: 0,
    budget: { monthly_limit_usd, enable_quota_freeze, status: { lift_usd: 0 } },
  };
}

test('flavors are grouped by family, in the order of the catalogue', () => {
  const names = ['nano', 'compute-large', 'micro', 'memory-large', 'gpu-small', 'compute-xlarge'];
  const families = [...byFamily(names.map((name) => ({ name })))];
  expect(families.map(([family, members]) => [family, members.map(({ name }) => name)])).toEqual([
    ['General purpose', ['nano', 'micro']],
    ['Compute-optimized', ['compute-large', 'compute-xlarge']],
    ['Memory-optimized', ['memory-large']],
    ['GPU', ['gpu-small']],
  ]);
});

test.each([
  ['fits a quota that it uses up', available(1, 2, 4), undefined],
  ['exceeds the instances', available(0, 9, 9), 'Exceeds the quota: no more instances.'],
  ['exceeds the vCPUs', available(1, 1, 9), 'Exceeds the quota: 1 vCPU left.'],
  ['exceeds a limit set below the current use', available(1, -3, 9), 'Exceeds the quota: 0 vCPUs left.'],
  ['exceeds the memory', available(1, 9, 3), 'Exceeds the quota: 3 GB of memory left.'],
])('a flavor %s', (_, quota, reason) => {
  expect(exceeded(flavor, { quota, pricing: undefined, overview: undefined })).toBe(reason);
});

test.each([
  ['no budget', budget(null, true), undefined],
  ['a budget that lasts', budget(7.3, true), undefined],
  ['a budget that it would use up', budget(7.1, true), 'Exceeds this month’s budget.'],
  ['a budget that only warns', budget(7.1, false), undefined],
])('beside %s', (_, overview, reason) => {
  expect(exceeded(flavor, { quota: available(1, 2, 4), pricing, overview })).toBe(reason);
});
