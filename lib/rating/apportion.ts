import { Decimal } from 'decimal.js';
import { Money, total } from './cost';

/**
 * Divides an amount in proportion to weights so that the parts always add up to it: each part is rounded down to so many
 * decimals, and what is left goes, one last digit each, to those that lost most (largest remainder).
 * @param amount with no more decimals than the parts have
 * @param weights none below zero; where all are zero, so are the parts
 */
export function apportion(amount: Decimal, weights: readonly Decimal[], decimals = 6): Decimal[] {
  const whole = total(weights);
  if (whole.isZero()) return weights.map(() => new Money(0));
  const exact = weights.map((weight) => new Money(amount).times(weight).div(whole));
  const parts = exact.map((part) => part.toDecimalPlaces(decimals, Decimal.ROUND_DOWN));
  const digit = new Money(10).pow(-decimals);
  const missing = new Money(amount).minus(total(parts)).div(digit).round().toNumber();
  const lost = (index: number) => (exact[index] ?? whole).minus(parts[index] ?? 0);
  const chosen = new Set(
    parts
      .map((_, index) => index)
      .sort((a, b) => lost(b).cmp(lost(a)))
      .slice(0, missing),
  );
  return parts.map((part, index) => (chosen.has(index) ? part.plus(digit) : part));
}
