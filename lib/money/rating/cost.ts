import { Decimal } from 'decimal.js';
import { type Metric, metrics } from '@/lib/money/metering/metrics';
import { hoursOf, type Month, secondsOf } from './month';

/**
 * Decimals of money: far more digits than any sum has, so that only a division could round, and half-even. Everything in
 * the product that multiplies or divides money does it with these; a test keeps binary floats out.
 */
export const Money = Decimal.clone({ precision: 120, rounding: Decimal.ROUND_HALF_EVEN });
export type Money = Decimal;

const ZERO = new Money(0);

/**
 * How many priced units a metered quantity is: 3,600 vCPU-seconds are one vCPU-hour; a GB-month is GB × hours ÷ hours of
 * that month.
 * @param quantity quantity-seconds of what lasts, the count of what happens; exact decimal text
 */
export function priceableUnits(metric: Metric, quantity: Decimal.Value, month: Month): Decimal {
  const { basis, unit_share } = metrics[metric];
  const units = new Money(quantity).times(unit_share);
  if (basis === 'hour') return units.div(3600);
  return basis === 'month' ? units.div(secondsOf(month)) : units;
}

/**
 * What a metered quantity of a month costs, times the seconds of that month: products only, so that sums and comparisons
 * are exact. The function `dollar_seconds` says the same in SQL.
 * @param price_usd of one unit in that month; null: it has none and costs nothing
 */
export function dollarSeconds(
  metric: Metric,
  quantity: Decimal.Value,
  month: Month,
  price_usd: Decimal.Value | null,
): Decimal {
  if (price_usd === null) return ZERO;
  const { basis, unit_share } = metrics[metric];
  const weight = { month: 1, hour: hoursOf(month), count: secondsOf(month) }[basis];
  return new Money(quantity).times(unit_share).times(price_usd).times(weight);
}

/** What a metered quantity of a month costs in USD, not rounded: quantity × time × rate (spec 2.5). */
export function costOf(
  metric: Metric,
  quantity: Decimal.Value,
  month: Month,
  price_usd: Decimal.Value | null,
): Decimal {
  return dollarSeconds(metric, quantity, month, price_usd).div(secondsOf(month));
}

/** USD to cents, half to even: the one rounding of money, once per invoice line. */
export function toCents(amount: Decimal.Value): Decimal {
  return new Money(amount).toDecimalPlaces(2, Decimal.ROUND_HALF_EVEN);
}

/** The exact sum. */
export function total(amounts: readonly Decimal[]): Decimal {
  return amounts.reduce<Decimal>((sum, amount) => sum.plus(amount), ZERO);
}
