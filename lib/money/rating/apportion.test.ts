import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { apportion } from './apportion';
import { Money, total } from './cost';

const parts = (amount: string, weights: (string | number)[], decimals?: number) =>
  apportion(
    new Money(amount),
    weights.map((weight) => new Money(weight)),
    decimals,
  ).map((part) => part.toFixed());

describe('parts of an amount', () => {
  test('are in proportion, and the last digits go to those that lost most by rounding', () => {
    expect(parts('10', [1, 3], 2)).toEqual(['2.5', '7.5']);
    // Thirds: 3.333… each, and one cent is left for the first.
    expect(parts('10', [1, 1, 1], 2)).toEqual(['3.34', '3.33', '3.33']);
    // 0.005 and 0.995: both lost the same; 0.002, 0.998: the second lost more.
    expect(parts('1', [2, 998], 2)).toEqual(['0', '1']);
    expect(parts('0.000001', [1, 2])).toEqual(['0', '0.000001']);
    expect(parts('5', [0, 0])).toEqual(['0', '0']);
  });

  test('add up to it, and none is further than one last digit from its share, whatever the weights', () => {
    const weight = fc.bigInt({ min: 0n, max: 10n ** 30n }).map((digits) => new Money(digits.toString()).div('1e12'));
    const micro = fc.bigInt({ min: 0n, max: 10n ** 14n }).map((digits) => new Money(digits.toString()).div('1e6'));
    fc.assert(
      fc.property(micro, fc.array(weight, { minLength: 1, maxLength: 40 }), (amount, weights) => {
        const whole = total(weights);
        fc.pre(!whole.isZero());
        const divided = apportion(amount, weights);
        expect(total(divided).eq(amount)).toBe(true);
        divided.forEach((part, index) => {
          const share = amount.times(weights[index] ?? 0).div(whole);
          expect(part.minus(share).abs().lt('0.000001')).toBe(true);
        });
      }),
    );
  });
});
