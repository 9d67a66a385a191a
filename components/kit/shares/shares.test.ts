import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withShare } from './shares';

const sum = (shares: readonly number[]) => shares.reduce((total, share) => total + share, 0);

test('the other shares keep their proportion', () => {
  expect(withShare([50, 50], 0, 80)).toEqual([80, 20]);
  expect(withShare([20, 60, 20], 0, 60)).toEqual([60, 30, 10]);
  expect(withShare([100, 0, 0], 0, 40)).toEqual([40, 30, 30]);
  expect(withShare([30, 70], 0, 250)).toEqual([100, 0]);
  expect(withShare([100], 0, 10)).toEqual([100]);
});

test('shares always add up to 100, as non-negative integers', () => {
  const change = fc.tuple(fc.nat(5), fc.integer({ min: -20, max: 140 }));
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 6 }), fc.array(change, { maxLength: 20 }), (count, changes) => {
      let shares: number[] = Array.from({ length: count }, (_, index) => (index === 0 ? 100 : 0));
      for (const [position, wanted] of changes) {
        const place = position % count;
        shares = withShare(shares, place, wanted);
        expect(sum(shares)).toBe(100);
        expect(shares.every((share) => Number.isInteger(share) && share >= 0)).toBe(true);
        expect(shares[place]).toBe(Math.min(100, Math.max(0, wanted)));
      }
    }),
  );
});
