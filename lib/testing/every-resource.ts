import { describe, expect, test } from 'vitest';
import type { AnyEndpoint } from '@/lib/core/api/endpoint';
import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { type Domain, none } from '@/lib/core/domains/domain';

type Tested = { domains: readonly Domain[]; endpoints: readonly AnyEndpoint[] };

/** The guarantees of every resource type, from its declaration alone. Needs the tables of the domains. */
export function everyResource({ domains, endpoints }: Tested): void {
  const types = domains.flatMap(({ resources }) =>
    Object.entries(resources).map(([type, resource]) => ({ type, ...resource })),
  );

  test('the names of services are unique', () => {
    const ids = domains.flatMap(({ services }) => services.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
  });

  describe.each(types)('$type', ({ type, table, search }) => {
    test('belongs to one service of the catalog', () => {
      const offered = domains.flatMap(({ services }) => services.filter(({ resources }) => resources.includes(type)));
      expect(offered).toHaveLength(1);
    });

    test('is in the inventory and in searches', () => {
      expect(search).not.toBe(none);
    });

    test('has a list that is filtered by tags', () => {
      const list = endpoints.find(({ method, path }) => method === 'GET' && search !== none && path === search.list);
      expect(Object.keys(list?.query?.shape ?? {})).toContain('tag');
    });

    test('loses its tags when it is deleted', async () => {
      const triggers = await query(sql`SELECT FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
        WHERE t.tgrelid = ${table}::regclass AND p.proname = 'resource_untagged'`);
      expect(triggers).toHaveLength(1);
    });
  });
}
