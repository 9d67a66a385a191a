import { Decimal } from 'decimal.js';
import { type Metric, metrics } from '@/lib/money/metering/metrics';
import { hoursOf, type Month, secondsOf } from './month';

/**
 * Decimals for money, half to even, with far more digits than any sum has, so that only divisions can round. All code
 * that multiplies or divides money uses them; a test keeps binary floats out.
 */
export const Money = Decimal.clone({ precision: 120, rounding: Decimal.ROUND_HALF_EVEN });
export type Money = Decimal;

const ZERO = new Money(0);

/**
 * Converts a metered quantity to priced units: 3,600 vCPU-seconds are one vCPU-hour; a GB-month is GB × hours ÷ hours
 * of that month.
 * @param quantity quantity-seconds, or the count of events; exact decimal text
 */
export function priceableUnits(metric: Metric, quantity: Decimal.Value, month: Month): Decimal {
  const { basis, unit_share } = metrics[metric];
  const units = new Money(quantity).times(unit_share);
  if (basis === 'hour') return units.div(3600);
  return basis === 'month' ? units.div(secondsOf(month)) : units;
}

/**
 * The cost of a month's metered quantity times the seconds of that month: products only, so that sums and comparisons
 * are exact. The SQL function `dollar_seconds` is the same.
 * @param price_usd of one unit in that month; null: no price and no cost
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

/** The unrounded cost of a month's metered quantity in USD: quantity × time × rate (spec 2.5). */
export function costOf(
  metric: Metric,
  quantity: Decimal.Value,
  month: Month,
  price_usd: Decimal.Value | null,
): Decimal {
  return dollarSeconds(metric, quantity, month, price_usd).div(secondsOf(month));
}

/** Rounds USD to cents, half to even: the only rounding of money, once per invoice line. */
export function toCents(amount: Decimal.Value): Decimal {
  return new Money(amount).toDecimalPlaces(2, Decimal.ROUND_HALF_EVEN);
}

/** The exact sum. */
export function total(amounts: readonly Decimal[]): Decimal {
  return amounts.reduce<Decimal>((sum, amount) => sum.plus(amount), ZERO);
}
