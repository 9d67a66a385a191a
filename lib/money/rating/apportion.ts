import { Decimal } from 'decimal.js';
import { Money, total } from './cost';

/**
 * Divides an amount in proportion to weights so that the parts add up to it: each part is rounded down to `decimals`,
 * and the remaining last digits go to the parts that lost most (largest remainder).
 * @param amount with at most `decimals` decimals
 * @param weights not negative; if all are zero, so are the parts
 */
export function apportion(amount: Decimal, weights: readonly Decimal[], decimals = 6): Decimal[] {
  const whole = total(weights);
  if (whole.isZero()) return weights.map(() => new Money(0));
  const shares = weights.map((weight) => {
    const exact = new Money(amount).times(weight).div(whole);
    const part = exact.toDecimalPlaces(decimals, Decimal.ROUND_DOWN);
    return { part, lost: exact.minus(part) };
  });
  const digit = new Money(10).pow(-decimals);
  const missing = new Money(amount).minus(total(shares.map(({ part }) => part))).div(digit);
  const chosen = new Set([...shares].sort((a, b) => b.lost.cmp(a.lost)).slice(0, missing.round().toNumber()));
  return shares.map((share) => (chosen.has(share) ? share.part.plus(digit) : share.part));
}
