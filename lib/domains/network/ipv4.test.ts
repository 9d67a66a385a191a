import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holds, networkCidr, rangeOf, toAddress, toNumber } from './ipv4';

test('an address is the same after it was a number', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      expect(toAddress(toNumber(address))).toBe(address);
    }),
  );
});

test('a range goes from its network to its broadcast address', () => {
  expect(rangeOf('10.1.2.0/24')).toEqual({ first: toNumber('10.1.2.0'), last: toNumber('10.1.2.255'), prefix: 24 });
  expect(rangeOf('192.168.0.8/29').last).toBe(toNumber('192.168.0.15'));
  expect(networkCidr('172.16.5.9/16')).toBe('172.16.0.0/16');
});

test('a range holds itself and what lies inside, not what reaches out', () => {
  const outer = rangeOf('10.0.0.0/8');
  expect(holds(outer, rangeOf('10.255.255.0/24'))).toBe(true);
  expect(holds(outer, outer)).toBe(true);
  expect(holds(rangeOf('10.0.0.0/24'), rangeOf('10.0.0.0/23'))).toBe(false);
});
