import { expect, test } from 'vitest';
import { clientAddress } from './client-address';

const proxies = ['10.0.0.0/8', '::1'];

test('X-Forwarded-For counts only when the socket belongs to a trusted proxy', () => {
  expect(clientAddress('203.0.113.9', '198.51.100.1', proxies)).toBe('203.0.113.9');
  expect(clientAddress('10.0.0.1', '198.51.100.1', proxies)).toBe('198.51.100.1');
  expect(clientAddress('10.0.0.1', '198.51.100.1', [])).toBe('10.0.0.1');
});

test('entries that a client adds to X-Forwarded-For are ignored', () => {
  expect(clientAddress('10.0.0.1', '1.1.1.1, 198.51.100.1, 10.0.0.2', proxies)).toBe('198.51.100.1');
  expect(clientAddress('10.0.0.1', 'garbage, 10.0.0.2', proxies)).toBe('10.0.0.2');
});

test('an IPv4-mapped IPv6 address is treated as the IPv4 address', () => {
  expect(clientAddress('::ffff:10.0.0.1', '198.51.100.1', proxies)).toBe('198.51.100.1');
  expect(clientAddress('::ffff:203.0.113.9', null, [])).toBe('203.0.113.9');
});
