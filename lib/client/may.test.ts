import { expect, test } from 'vitest';
import { decide } from '@/lib/core/api/policy';
import { endpoints } from '@/lib/platform/endpoints';
import { type OperationId, refusalOf } from './may';

const ids = new Set(endpoints.map(({ operation_id }) => operation_id));
const isOperation = (id: string): id is OperationId => ids.has(id);
const roles = ['reader', 'member', 'admin'] as const;
const statuses = ['active', 'suspended'] as const;

test.each(roles.flatMap((role) => statuses.map((status) => ({ role, status }))))(
  'pages offer a $role of a project that is $status exactly what the API allows',
  ({ role, status }) => {
    const subject = { kind: 'user', membership: { role, project_status: status } } as const;
    const tenants = endpoints.filter(({ realm }) => realm === 'tenant');
    const answers = tenants.map(({ operation_id: id, access }) => ({ id, allowed: decide(subject, access).allowed }));
    const offered = answers.map(({ id }) => ({
      id,
      allowed: isOperation(id) && refusalOf(id, { role, status }) === undefined,
    }));
    expect(offered).toEqual(answers);
  },
);

test('a freeze refuses creating and enlarging, to those who could otherwise do it', () => {
  const admin = { role: 'admin', status: 'active' } as const;
  const frozen = 'The budget is used up.';
  const refused = [...ids].filter(isOperation).filter((id) => refusalOf(id, admin, frozen) !== undefined);
  expect(refused).toEqual(endpoints.filter(({ freezable }) => freezable).map(({ operation_id }) => operation_id));
  expect(refusalOf('createVolume', { role: 'reader', status: 'active' }, frozen)).toBe('Requires the member role.');
});
