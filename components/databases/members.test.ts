import { expect, test } from 'vitest';
import { membersUp, servingFirst } from './members';
import type { Member } from './types';

const member = (name: string, version: string, more: Partial<Member> = {}): Member => ({
  name,
  role: 'standby',
  status: 'running',
  status_reason: null,
  version,
  lag_bytes: 0,
  ...more,
});
const former = [member('orders-1', '16', { role: 'primary' }), member('orders-2', '16')];
const next = [member('orders-3', '18', { role: 'primary' }), member('orders-4', '18', { status: 'starting' })];

test('members that are kept for the way back are not counted, and come after those that serve', () => {
  const cluster = { version: '18', instances: 2, members: [...former, ...next] };
  expect(membersUp(cluster)).toBe('1 of 2 up');
  expect(servingFirst(cluster).map(({ name }) => name)).toEqual(['orders-3', 'orders-4', 'orders-1', 'orders-2']);
});

test('members that only answer Sentinel clients are not counted', () => {
  const members = [member('cache-1', '9.1'), member('cache-s1', '9.1', { role: 'sentinel' })];
  expect(membersUp({ version: '9.1', instances: 2, members })).toBe('1 of 2 up');
});
