import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchesPattern, unmetClaim } from './conditions';

describe('a pattern', () => {
  test.each([
    ['repo:acme/site:*', 'repo:acme/site:ref:refs/heads/main', true],
    ['repo:acme/site:*', 'repo:acme/site', false],
    ['repo:acme/*:environment:prod', 'repo:acme/site:environment:prod', true],
    ['repo:acme/*:environment:prod', 'repo:acme/site:environment:production', false],
    ['repo:acme/site', 'repo:acme/site-evil', false],
    ['repo:acme/site', 'xrepo:acme/site', false],
    ['repo:acme/site', 'REPO:ACME/SITE', false],
    ['*', '', true],
    ['*', 'line one\nline two', true],
    ['a.c', 'abc', false],
    ['[a-z]+', 'abc', false],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['', '', true],
    ['', 'a', false],
  ])('%s covers %s: %s', (pattern, text, covers) => {
    expect(matchesPattern(pattern, text)).toBe(covers);
  });

  test('means the same as a regular expression with `.*` for each star', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.'), maxLength: 12 });
    fc.assert(
      fc.property(text, text, (pattern, given) => {
        const parts = pattern.split('*').map((part) => part.replaceAll('.', '[.]'));
        return matchesPattern(pattern, given) === new RegExp(`^${parts.join('.*')}$`, 's').test(given);
      }),
      { numRuns: 2000 },
    );
  });

  test('with many stars is fast on a long text that does not match', () => {
    const started = performance.now();
    expect(matchesPattern(`${'*a'.repeat(250)}*b`, 'a'.repeat(10_000))).toBe(false);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});

describe('conditions', () => {
  const claims = { sub: 'repo:acme/site', groups: ['ops', 'dev'], run: 7, private: true, nested: { a: 1 } };

  test('must all be met, each by one of its patterns', () => {
    expect(
      unmetClaim({ sub: ['repo:other/*', 'repo:acme/*'], groups: ['d*'], run: ['7'], private: ['true'] }, claims),
    ).toBeUndefined();
    expect(unmetClaim({ sub: ['repo:acme/*'], groups: ['admins'] }, claims)).toBe('groups');
    expect(unmetClaim({ sub: ['repo:other/*'] }, claims)).toBe('sub');
  });

  test('are not met by a claim that is absent, an object, or inherited', () => {
    for (const name of ['absent', 'nested', 'toString', '__proto__', 'constructor']) {
      expect(unmetClaim({ [name]: ['*'] }, claims), name).toBe(name);
    }
  });
});
