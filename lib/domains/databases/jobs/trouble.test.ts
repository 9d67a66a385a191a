import { expect, test } from 'vitest';
import { MemberError } from '../cluster/member-error';
import { reasonOfUpgrade, UpgradeTrouble } from './trouble';

test.each([
  Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }),
  Object.assign(new Error('connect ECONNREFUSED /run/x'), { code: 'ECONNREFUSED' }),
  new Error('Connection terminated unexpectedly'),
  Object.assign(new Error('the database system is starting up'), { code: '57P03' }),
  new MemberError('silent', undefined),
])('an upgrade that cannot reach a member says so in a sentence: $message', (error) => {
  expect(reasonOfUpgrade(error)).toMatch(/^A member of the cluster ended, .* Start the upgrade again/);
});

test('any other reason stays as it is', () => {
  expect(reasonOfUpgrade(new UpgradeTrouble('The table orders has no key.'))).toBe('The table orders has no key.');
});
