import { expect, test } from 'vitest';
import { auditAction } from '@/lib/core/audit/action';
import { endpoints } from '@/lib/platform/endpoints';
import { actionWords } from './action-words';

test.each([
  ['secret.read_payload', 'read the value of secret'],
  ['floating_ip.allocate', 'allocated floating IP'],
  ['auth.login', 'signed in'],
  ['security_group.list', 'listed security groups'],
  ['policy.list', 'listed policies'],
  ['listFloatingIps', 'listed floating IPs'],
  ['getInstance', 'read instance'],
  ['port.change', 'changed port'],
])('%s is shown in plain words', (action, words) => {
  expect(actionWords(action)).toBe(words);
});

test('every action has the form resource.verb', () => {
  expect(endpoints.map(auditAction).filter((action) => !/^[a-z0-9_]+\.[a-z0-9_]+$/.test(action))).toEqual([]);
});

test('every audited action has a readable form', () => {
  const actions = endpoints.map(auditAction);
  const past = /^(\w+(ed|en|an|ew|ook|ave)|paid|read|set|reset) /;
  expect(actions.filter((action) => !past.test(actionWords(action)) || actionWords(action).includes('_'))).toEqual([]);
});
