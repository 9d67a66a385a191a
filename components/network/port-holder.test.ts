import { expect, test } from 'vitest';
import { holderOf } from './port-holder';

test('every port says what it is attached to, also where that is no instance', () => {
  const held = (kind: string) => holderOf({ attached_to: { kind, name: 'shop-1' } });
  expect(held('instance')).toBe('Instance shop-1');
  expect(held('load_balancer_node')).toBe('Load balancer node shop-1');
  expect(held('database_member')).toBe('Database member shop-1');
  expect(held('new_kind')).toBe('new kind shop-1');
});
