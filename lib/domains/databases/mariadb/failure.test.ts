import { expect, test } from 'vitest';
import { ended, serving } from '@/lib/testing/mariadb-seen';
import { failureOf, noteServed } from './failure';

const never = () => ({ since: new Map<string, number>(), served: new Set<string>() });

test('a primary that was seen in the group, as a standby or of the other version, is replaced as soon as it has ended', () => {
  const watched = never();
  noteServed(watched, [serving('10.0.0.4')]);
  expect(failureOf(ended('10.0.0.4'), watched)).toBe('it ended');
});

test('a primary that was never seen may be about to start', () => {
  const watched = never();
  noteServed(watched, [serving('10.0.0.5'), ended('10.0.0.4')]);
  expect(failureOf(ended('10.0.0.4'), watched)).toBeUndefined();
  watched.since.set('primary ended', performance.now() - 5_001);
  expect(failureOf(ended('10.0.0.4'), watched)).toBe('it ended');
});
