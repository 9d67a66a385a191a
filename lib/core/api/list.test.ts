import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { raw } from '@/lib/core/db/sql';
import { testDatabase } from '@/lib/testing/database';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { equals, listOf, ofProject, oneOf } from './list';
import { sortedQuery } from './pagination';

testDatabase();
const call = api();
let acme: TestProject;
const names = Array.from({ length: 7 }, (_, index) => `s${(index * 3) % 7}`);

beforeAll(async () => {
  acme = await createProject('acme');
  for (const name of names) {
    await call('POST', '/vault/secrets', {
      token: acme.users.member.token,
      body: { name, type: 'opaque', payload: 'x' },
    });
  }
});

/** Follows the Link headers and returns the ids of each page. */
async function walk(path: string): Promise<string[][]> {
  const pages: string[][] = [];
  let next: string | undefined = path;
  while (next !== undefined) {
    const answer = await call('GET', next, { token: acme.users.reader.token });
    if (answer.status !== 200) throw new Error(answer.text);
    pages.push((answer.body as { name: string }[]).map(({ name }) => name));
    const link = answer.headers.get('link');
    next = link?.match(/^<http:\/\/[^/]+\/api\/v1([^>]+)>; rel="next"$/)?.[1];
  }
  return pages;
}

test('pages follow each other without gaps or repeats, newest first', async () => {
  const pages = await walk('/vault/secrets?limit=3');
  expect(pages.map((page) => page.length)).toEqual([3, 3, 1]);
  expect(pages.flat()).toEqual(names.toReversed());
});

test('the last page has no next link, even when it is full', async () => {
  expect((await walk('/vault/secrets?limit=7')).length).toBe(1);
});

test('a sorted list pages in its order, ascending and descending', async () => {
  expect((await walk('/vault/secrets?limit=2&sort=name')).flat()).toEqual(names.toSorted());
  expect((await walk('/vault/secrets?limit=2&sort=-name')).flat()).toEqual(names.toSorted().toReversed());
});

test.each(['garbage', 'W10', Buffer.from('["name",null,"x"]').toString('base64url')])(
  'a foreign cursor (%s) is refused',
  async (cursor) => {
    const answer = await call('GET', `/vault/secrets?cursor=${cursor}`, { token: acme.users.reader.token });
    expect(answer.body).toMatchObject({
      error: { code: 'INVALID_REQUEST', message: expect.stringContaining('cursor') },
    });
  },
);

test('a search treats its text literally', async () => {
  const all = await call('GET', '/vault/secrets?search=%25', { token: acme.users.reader.token });
  expect(all.body).toEqual([]);
  const some = await call('GET', '/vault/secrets?search=S3', { token: acme.users.reader.token });
  expect(some.body).toMatchObject([{ name: 's3' }]);
});

test('a list and its query must name the same filters and orders to compile', () => {
  const query = sortedQuery({ name: z.string().optional(), expired: z.enum(['true', 'false']).optional() }, ['name']);
  const list = {
    query,
    columns: raw('id'),
    from: raw('secrets'),
    where: ofProject(),
    view: (row: { id: string }) => row,
  };
  const filters = { name: equals('name'), expired: oneOf({ true: 'false', false: 'true' }) };
  listOf({ ...list, filters, sort: { name: 'name' } });
  // @ts-expect-error The query has a filter that the list does not know.
  listOf({ ...list, filters: { name: equals('name') }, sort: { name: 'name' } });
  // @ts-expect-error The list has a filter that the query does not offer.
  listOf({ ...list, filters: { ...filters, type: equals('type') }, sort: { name: 'name' } });
  // @ts-expect-error The query offers an order that the list does not know.
  listOf({ ...list, filters, sort: {} });
  // @ts-expect-error A value of the filter has no condition.
  listOf({ ...list, filters: { ...filters, expired: oneOf({ true: 'false' }) }, sort: { name: 'name' } });
});
