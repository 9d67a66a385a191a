import { expect, test } from 'vitest';
import { adminNavigation } from '@/components/backoffice/navigation';
import { portalNavigation } from './portal-navigation';
import { pageShortcuts } from './shortcut-keys';

test.each([
  ['portal', portalNavigation],
  ['back office', adminNavigation],
])('each letter opens one page of the %s', (_, groups) => {
  const letters = pageShortcuts(groups, 'demo').map(({ letter }) => letter);
  expect(letters.length).toBeGreaterThan(5);
  expect(letters).toEqual([...new Set(letters)]);
  expect(letters.filter((letter) => !/^[a-z]$/.test(letter))).toEqual([]);
});
