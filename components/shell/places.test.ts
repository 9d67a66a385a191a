import { expect, test } from 'vitest';
import { hrefOf, kindOf, titleOf } from '@/components/shell/places';
import { none } from '@/lib/core/domains/domain';
import { domains } from '@/lib/platform/domains';

test('every type of resource that search finds leads somewhere', () => {
  const types = domains.flatMap(({ resources }) =>
    Object.entries(resources).flatMap(([type, { search }]) => (search === none ? [] : [type])),
  );
  expect(types.length).toBeGreaterThan(10);
  expect(types.filter((type) => kindOf(type) === undefined)).toEqual([]);
});

test('a type with pages leads to the page of one, any other to its list with this one in it', () => {
  const named = { id: '1', name: 'web' };
  expect(hrefOf('demo', { type: 'volume', ...named })).toBe('/projects/demo/storage/volumes/1');
  expect(hrefOf('demo', { type: 'secret', ...named })).toContain('search=web');
  expect(hrefOf('demo', { type: 'unknown', ...named })).toBeUndefined();
});

test('titles are whole where the navigation has a shorter name', () => {
  expect(titleOf('database_cluster')).toBe('Database clusters');
});
