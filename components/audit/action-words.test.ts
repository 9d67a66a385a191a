import { expect, test } from 'vitest';
import { endpoints } from '@/lib/platform/endpoints';
import { actionWords } from './action-words';

test.each([
  ['secret.read_payload', 'read the value of secret'],
  ['floating_ip.allocate', 'allocated floating IP'],
  ['auth.login', 'signed in'],
])('%s reads as people say it', (action, words) => {
  expect(actionWords(action)).toBe(words);
});

test('every action that the API puts on record has words', () => {
  const actions = endpoints.flatMap(({ audit }) => (audit === undefined ? [] : [audit]));
  expect(actions.length).toBeGreaterThan(50);
  const past = /^(\w+(ed|en|an|ew|ook|ave)|paid|read|set|reset) /;
  expect(actions.filter((action) => !past.test(actionWords(action)) || actionWords(action).includes('_'))).toEqual([]);
});
