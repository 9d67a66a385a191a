import { expect, test } from 'vitest';
import { limitsOf, newRule, ruleOf, valuesOf } from './lifecycle-values';

test('a lifecycle rule that is shown and saved stays as it was, with the parts that the form does not show', () => {
  const rule = {
    id: 'a',
    enabled: false,
    prefix: 'logs/',
    tags: { team: 'web' },
    larger: 0,
    days: 3,
    noncurrentKept: 2,
    noncurrentDays: 1,
    abortDays: 7,
    markers: true,
  };
  expect(ruleOf(valuesOf(rule))).toEqual(rule);
  expect(limitsOf(valuesOf(rule))).toBe('Set with the API: tags team=web; larger than 0 bytes.');
  const plain = { id: 'b', enabled: true, prefix: '', tags: {}, days: 1 };
  expect(ruleOf(valuesOf(plain))).toEqual(plain);
  expect(limitsOf(valuesOf(plain))).toBe('');
  expect(ruleOf(newRule(0))).toEqual({ id: 'rule-1', enabled: true, prefix: '', tags: {} });
});
