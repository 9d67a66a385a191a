import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RateLimiter } from './rate-limit';

test('a burst passes, and the next request passes after the announced wait', () => {
  const limiter = new RateLimiter(60, 3);
  const verdicts = [1, 2, 3, 4].map(() => limiter.take('caller', 1000));
  expect(verdicts.map(({ allowed }) => allowed)).toEqual([true, true, true, false]);
  const wait = verdicts[3]?.reset_s ?? 0;
  expect(wait).toBe(1);
  expect(limiter.take('caller', 1000 + wait * 1000).allowed).toBe(true);
  expect(limiter.take('another', 1000).allowed).toBe(true);
});

test('no pattern of requests gets more than burst + rate × time', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 200 }), (gaps) => {
      const limiter = new RateLimiter(120, 5);
      let at = 0;
      let passed = 0;
      for (const gap of gaps) {
        at += gap;
        if (limiter.take('caller', at).allowed) passed += 1;
      }
      expect(passed).toBeLessThanOrEqual(5 + (at / 60_000) * 120 + 1e-6);
    }),
  );
});
