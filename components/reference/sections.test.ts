import { expect, test } from 'vitest';
import { tags } from '@/lib/platform/tags';
import { sections, shortName } from './sections';

test('every group of the API has one place in the navigation of the reference', () => {
  const placed = sections.flatMap(({ groups }) => Object.keys(groups));
  expect(placed.toSorted()).toEqual(Object.keys(tags).toSorted());
});

test('a group of the back office is not named twice', () => {
  expect([shortName('Back office: tenants'), shortName('Floating IPs')]).toEqual(['Tenants', 'Floating IPs']);
});
