import type { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Overview, Pricing } from '@/lib/money/billing/schema';
import { type Metric, metrics } from '@/lib/money/metering/metrics';
import { costOf, Money, total } from '@/lib/money/rating/cost';
import { crossingAt, forecast, type Meter, spendAt } from '@/lib/money/rating/meter';
import { hoursOf, type Month, monthOf, secondsOf } from '@/lib/money/rating/month';
import { fixed, quotient } from './decimal';
import { budgetImpact, type Claim, quote } from './quote';

const prices: Partial<Record<Metric, string>> = {
  compute_vcpu: '0.024',
  compute_memory: '0.004',
  gpu_slice: '0.85',
  block_storage: '0.08',
};

type Next = Pricing['items'][number]['next'];

function rateCard(month: Month, next: Partial<Record<Metric, Next>> = {}, card = prices): Pricing {
  const all: Metric[] = ['compute_vcpu', 'compute_memory', 'gpu_slice', 'block_storage', 'image_storage'];
  const items = all.map((metric) => {
    const { label: name, category, basis, unit: per } = metrics[metric];
    const unit_price_usd = card[metric] ?? null;
    const effective_from = unit_price_usd === null ? null : '2025-01';
    const facts = { metric, name, category, basis, per, unit: per.replace(/-.*/, '') };
    return { ...facts, unit_price_usd, effective_from, next: next[metric] ?? null };
  });
  return { month, currency: 'USD', items };
}

const small: Claim[] = [
  { metric: 'compute_vcpu', quantity: 2 },
  { metric: 'compute_memory', quantity: 4 },
  { metric: 'block_storage', quantity: 20, label: 'Boot disk' },
];

describe('a quote', () => {
  test('is per hour and per month of this month’s length, exact to six decimals', () => {
    // 2 × 0.024 + 4 × 0.004 + 20 × 0.08 ÷ 720 = 0.064 + 0.002222… per hour; 720 × 0.064 + 1.60 = 47.68 in November
    expect(quote(rateCard('2026-11'), small)).toMatchObject({
      hours: 720,
      usd_per_hour: '0.066222',
      usd_per_month: '47.68',
      next: null,
      lines: [
        { label: 'vCPU', quantity: 2, unit: 'vCPU', usd_per_hour: '0.048', usd_per_month: '34.56' },
        { label: 'Memory', quantity: 4, unit: 'GB', usd_per_hour: '0.016', usd_per_month: '11.52' },
        { label: 'Boot disk', quantity: 20, usd_per_hour: '0.002222', usd_per_month: '1.6' },
      ],
    });
    // 672 × 0.064 + 1.60: February has 672 hours, and a GB-month costs the same in every month
    expect(quote(rateCard('2026-02'), small).usd_per_month).toBe('44.608');
  });

  test('includes the cost after the next rate change', () => {
    const changes = {
      compute_vcpu: { unit_price_usd: '0.03', effective_from: '2026-12' },
      block_storage: { unit_price_usd: '0.1', effective_from: '2027-01' },
    };
    // 2 × 0.03 + 4 × 0.004 + 20 × 0.08 ÷ 744: December has 744 hours, and disks keep their price until January
    expect(quote(rateCard('2026-11', changes), small).next).toEqual({ month: '2026-12', usd_per_hour: '0.078151' });
  });

  test('shows unpriced items, and omits zero amounts', () => {
    const { lines, usd_per_month } = quote(rateCard('2026-11'), [
      { metric: 'image_storage', quantity: 2 },
      { metric: 'gpu_slice', quantity: 0 },
    ]);
    expect(lines).toEqual([
      {
        label: 'Image storage',
        quantity: 2,
        unit: 'GB',
        per: 'GB-month',
        unit_price_usd: null,
        usd_per_hour: '0',
        usd_per_month: '0',
      },
    ]);
    expect(usd_per_month).toBe('0');
  });
});

const wire = (amount: Decimal.Value) => Number(new Money(amount).toDecimalPlaces(6).toFixed());

function overviewOf(meter: Meter, budget: { limit: string | null; freezes: boolean; lift: string }): Overview {
  return {
    month: meter.month,
    as_of: meter.at.toISOString(),
    month_to_date_usd: wire(spendAt(meter)),
    last_month_usd: 0,
    forecast_usd: wire(forecast(meter)),
    burn_usd_per_hour: 0,
    credit_usd: 0,
    owed_usd: 0,
    budget: {
      monthly_limit_usd: budget.limit === null ? null : wire(budget.limit),
      enable_quota_freeze: budget.freezes,
      status: {
        month: meter.month,
        month_to_date_usd: wire(spendAt(meter)),
        used_percent: null,
        frozen: false,
        frozen_reason: null,
        lift_usd: wire(budget.lift),
        freezes_at: null,
        reached_at: null,
        thresholds: [],
      },
    },
    by_category: [],
    by_day: [],
  };
}

const at = new Date('2026-11-16T00:00:00Z');
const meterOf = (vcpus: string, spent_vcpu_hours: string): Meter => ({
  at,
  month: '2026-11',
  lines: [
    {
      metric: 'compute_vcpu',
      held: vcpus,
      quantity: new Money(spent_vcpu_hours).times(3600).toFixed(),
      price_usd: '0.024',
      as_of: at,
    },
  ],
});

describe('the budget impact of a quote', () => {
  const claims: Claim[] = [{ metric: 'compute_vcpu', quantity: 1 }];
  // One vCPU since the first: 360 hours so far are 8.64, and 17.28 by the end of the month.
  const meter = meterOf('1', '360');
  const impactOn = (limit: string | null, { freezes = true, lift = '0' } = {}) =>
    budgetImpact(quote(rateCard('2026-11'), claims), overviewOf(meter, { limit, freezes, lift }));

  test('forecasts from now on, not from the first of the month', () => {
    expect(impactOn(null)).toEqual({
      forecast_usd: { before: '17.28', after: '25.92' },
      limit_usd: null,
      freezes: true,
      reached: { before: null, after: null },
    });
  });

  test('states when the budget is used up, without the quote and with it', () => {
    // 20.00 − 8.64 = 11.36 at 0.048 per hour lasts 236 h 40 min; at 0.024 it lasts beyond the month
    expect(impactOn('20').reached).toEqual({ before: null, after: new Date('2026-11-25T20:40:00Z') });
    // 12.00 − 8.64 = 3.36: 140 h at 0.024, 70 h at 0.048
    expect(impactOn('12').reached).toEqual({
      before: new Date('2026-11-21T20:00:00Z'),
      after: new Date('2026-11-18T22:00:00Z'),
    });
  });

  test('counts credit that lifted a freeze only where the budget freezes', () => {
    // 11.00 + 1.00 of lift: as with 12.00
    expect(impactOn('11', { lift: '1' }).reached.after).toEqual(new Date('2026-11-18T22:00:00Z'));
    expect(impactOn('12', { lift: '1', freezes: false }).reached.after).toEqual(new Date('2026-11-18T22:00:00Z'));
  });

  test('is now when the budget is already used up', () => {
    expect(impactOn('8.64').reached).toEqual({ before: at, after: at });
  });
});

test('quotes and impacts agree with the server’s bill for any prices, sizes and moments', () => {
  const quantity = fc.integer({ min: 0, max: 1_000_000 }).map((thousandths) => thousandths / 1000);
  const price = fc.bigInt({ min: 0n, max: 10n ** 11n }).map((digits) => new Money(String(digits)).div(1e10).toFixed());
  const held = ['compute_vcpu', 'compute_memory', 'gpu_slice', 'block_storage'] as const;
  fc.assert(
    fc.property(
      fc.date({ min: new Date('2024-01-01'), max: new Date('2030-01-01'), noInvalidDate: true }),
      fc.array(fc.record({ price, has: quantity, accrued: fc.nat(10 ** 9), adds: quantity }), {
        minLength: held.length,
        maxLength: held.length,
      }),
      fc.integer({ min: 1, max: 10 ** 9 }),
      (moment, drawn, limitCents) => {
        const month = monthOf(moment);
        const of = (index: number) => {
          const one = drawn[index];
          if (!one) throw new Error('one for each metric');
          return one;
        };
        const meter = (more: boolean): Meter => ({
          at: moment,
          month,
          lines: held.map((metric, index) => {
            const { has, adds, accrued, price: price_usd } = of(index);
            const open = new Money(has).plus(more ? adds : 0).toFixed();
            return { metric, held: open, quantity: String(accrued), price_usd, as_of: moment };
          }),
        });
        const claims = held.map((metric, index) => ({ metric, quantity: of(index).adds }));
        const card = Object.fromEntries(held.map((metric, index) => [metric, of(index).price]));
        const quoted = quote(rateCard(month, {}, card), claims);

        const bill = total(
          claims.map(({ metric, quantity: adds }) =>
            costOf(metric, new Money(adds).times(secondsOf(month)), month, card[metric] ?? null),
          ),
        );
        expect(quoted.usd_per_month).toBe(new Money(bill).toDecimalPlaces(6).toFixed());
        expect(quoted.usd_per_hour).toBe(new Money(bill).div(hoursOf(month)).toDecimalPlaces(6).toFixed());

        const limit = new Money(limitCents).div(100).toFixed();
        const impact = budgetImpact(quoted, overviewOf(meter(false), { limit, freezes: true, lift: '0' }));
        const after = meter(true);
        // The API has six decimals, so the two can differ by that much.
        expect(new Money(impact.forecast_usd.after).minus(forecast(after)).abs().toNumber()).toBeLessThan(3e-6);
        const expected = crossingAt(after, limit);
        const burnPerMs = total(
          held.map((metric, index) => {
            const line = of(index);
            return costOf(metric, new Money(line.has).plus(line.adds), month, line.price).div(1000);
          }),
        ).toNumber();
        const slack = 2 + 3e-6 / burnPerMs;
        const { after: reached } = impact.reached;
        if (reached && expected) expect(Math.abs(reached.getTime() - expected.getTime())).toBeLessThanOrEqual(slack);
        else if (reached !== expected) {
          // If one finds no moment in this month, the other's must be at its very end.
          const short = new Money(limit).minus(forecast(after)).abs().toNumber();
          expect(short).toBeLessThan(5e-6);
        }
      },
    ),
    { numRuns: 150 },
  );
});

test('decimals are exact, and rounded half to even once', () => {
  expect(fixed('0.0000000001', 10)).toBe(1n);
  expect(fixed(1234.5, 6)).toBe(1_234_500_000n);
  expect(() => fixed('1e-7')).toThrow('not a decimal');
  expect(() => fixed(0.1234567, 6)).toThrow('more than 6 decimals');
  const half = fixed('0.0000005');
  expect(quotient(half, 1n)).toBe('0');
  expect(quotient(half * 3n, 1n)).toBe('0.000002');
  expect(quotient(-half * 3n, 1n)).toBe('-0.000002');
  expect(quotient(fixed('10'), 4n)).toBe('2.5');
});
