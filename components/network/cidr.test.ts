import { describe, expect, test } from 'vitest';
import { createNetwork } from '@/lib/domains/network/schema';
import { freeRange, overlapping, rangeProblem, readCidr } from './cidr';

describe('a range for a network', () => {
  test('is read as its addresses, those of ports, of the gateway and of nobody', () => {
    expect(readCidr('10.20.0.0/24')).toEqual({
      cidr: '10.20.0.0/24',
      gateway: '10.20.0.1',
      first: '10.20.0.2',
      last: '10.20.0.254',
      addresses: 253,
      broadcast: '10.20.0.255',
    });
    expect(readCidr('192.168.7.8/29', '192.168.7.14')).toMatchObject({
      gateway: '192.168.7.14',
      first: '192.168.7.9',
      last: '192.168.7.13',
      addresses: 5,
    });
  });

  test.each([
    '',
    '10.20.0.0',
    '10.20.0.0/24',
    '10.20.0.9/24',
    '8.8.8.0/24',
    '10.0.0.0/8',
    '10.0.0.0/30',
    '300.0.0.0/24',
    'x',
  ])('"%s" is refused here if and only if the API refuses it', (cidr) => {
    const refusedHere = 'problem' in readCidr(cidr);
    expect(refusedHere).toBe(!createNetwork.safeParse({ name: 'net', cidr }).success);
  });

  test('names the networks that it overlaps, wider and narrower ones', () => {
    const networks = [{ cidr: '10.20.0.0/16' }, { cidr: '10.21.5.0/24' }, { cidr: '192.168.0.0/24' }];
    expect(overlapping('10.20.3.0/24', networks)).toEqual([networks[0]]);
    expect(overlapping('10.21.0.0/16', networks)).toEqual([networks[1]]);
    expect(overlapping('10.22.0.0/16', networks)).toEqual([]);
  });

  test('is suggested where nothing is yet', () => {
    expect(freeRange([])).toBe('10.1.0.0/24');
    expect(freeRange([{ cidr: '10.1.0.0/16' }, { cidr: '10.2.0.128/25' }])).toBe('10.3.0.0/24');
  });
});

test('a range of a rule may be any, also one address, but has no bits of a host', () => {
  expect(rangeProblem('0.0.0.0/0')).toBeUndefined();
  expect(rangeProblem('203.0.113.7')).toBeUndefined();
  expect(rangeProblem('203.0.113.7/24')).toMatch(/Did you mean 203\.0\.113\.0\/24\?/);
  expect(rangeProblem('203.0.113.0/33')).toMatch(/IPv4 address or range/);
});
