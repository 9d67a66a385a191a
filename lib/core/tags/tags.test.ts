import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { testDatabase } from '@/lib/testing/database';
import { api, createProject, type TestProject } from '@/lib/testing/world';

testDatabase();
const call = api();
let acme: TestProject;
let other: TestProject;

async function secret(name: string, project = acme): Promise<string> {
  const body = { name, type: 'opaque', payload: 'x' };
  const answer = await call('POST', '/vault/secrets', { token: project.users.member.token, body });
  return (answer.body as { id: string }).id;
}
const put = (id: string, tags: unknown, token = acme.users.member.token, type = 'secret') =>
  call('PUT', `/inventory/tags/${type}/${id}`, { token, body: { tags } });
const read = async (id: string) =>
  (await call('GET', `/inventory/tags/secret/${id}`, { token: acme.users.reader.token })).body;
const named = async (query: string) => {
  const { body } = await call('GET', `/vault/secrets?${query}`, { token: acme.users.reader.token });
  return (body as { name: string }[]).map(({ name }) => name);
};

beforeAll(async () => {
  acme = await createProject('acme');
  other = await createProject('other');
});

describe('PUT replaces all tags', () => {
  test('any number of times', async () => {
    const id = await secret('replaced');
    const tags = { env: 'production', 'team/name': 'Größe = 3' };
    expect(await put(id, tags)).toMatchObject({ status: 200, body: { tags } });
    expect(await put(id, tags)).toMatchObject({ status: 200, body: { tags } });
    expect(await read(id)).toEqual({ tags });
    await put(id, { env: 'staging', cost: '' });
    expect(await read(id)).toEqual({ tags: { env: 'staging', cost: '' } });
    await put(id, {});
    expect(await read(id)).toEqual({ tags: {} });
  });

  test('and records the new ones in the audit log', async () => {
    const id = await secret('audited');
    await put(id, { env: 'production' });
    const rows = await query(sql`SELECT action, resource_type, resource_name, details, activity FROM audit_entries
      WHERE resource_id = ${id}::text AND action = 'resource.tag'`);
    expect(rows).toEqual([
      {
        action: 'resource.tag',
        resource_type: 'secret',
        resource_name: 'audited',
        details: { tags: { env: 'production' } },
        activity: true,
      },
    ]);
  });
});

describe('is refused', () => {
  test.each([
    ['a key in capitals', { Env: 'x' }],
    ['an empty key', { '': 'x' }],
    ['a key of 65 characters', { ['k'.repeat(65)]: 'x' }],
    ['a value of 256 characters', { env: 'x'.repeat(256) }],
    ['a value with a line break', { env: 'a\nb' }],
    ['51 tags', Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, 'x']))],
  ])('%s', async (_, tags) => {
    const id = await secret(`refused ${JSON.stringify(tags).slice(0, 40)}`);
    expect((await put(id, tags)).status).toBe(400);
    expect(await read(id)).toEqual({ tags: {} });
  });

  test('a reader', async () => {
    expect((await put(await secret('of readers'), {}, acme.users.reader.token)).status).toBe(403);
  });

  test.each([
    ['an unknown type', 'spaceship'],
    ['another type than the resource has', 'instance'],
  ])('%s', async (_, type) => {
    expect((await put(await secret(type), { a: 'b' }, undefined, type)).status).toBe(404);
  });

  test('a resource of another project', async () => {
    const id = await secret('theirs', other);
    expect((await put(id, { a: 'b' })).status).toBe(404);
    expect((await call('GET', `/inventory/tags/secret/${id}`, { token: acme.users.member.token })).status).toBe(404);
  });
});

test('the database refuses a tag of another tenant’s resource, and of none', async () => {
  const [theirs, mine] = [await secret('of another', other), await secret('of mine')];
  const insert = (id: string) =>
    query(
      sql`INSERT INTO resource_tags (project_id, resource_id, key, value) VALUES (${acme.id}::uuid, ${id}::uuid, 'a', 'b')`,
    );
  for (const id of [theirs, newId()])
    await expect(insert(id)).rejects.toMatchObject({ constraint: 'resource_tags_owned' });
  await insert(mine);
  await expect(
    query(sql`UPDATE resource_tags SET resource_id = ${theirs}::uuid WHERE resource_id = ${mine}::uuid`),
  ).rejects.toMatchObject({ code: '23503' });
});

test('fifty tags with the longest keys and values fit', async () => {
  const tags = Object.fromEntries(
    Array.from({ length: 50 }, (_, index) => [`${index}`.padStart(64, 'k'), '🐘'.repeat(127)]),
  );
  expect((await put(await secret('full'), tags)).status).toBe(200);
});

test('a list is filtered by keys, values and several tags', async () => {
  await put(await secret('blue'), { colour: 'blue', size: 'a=b' });
  await put(await secret('red'), { colour: 'red' });
  expect(await named('tag=colour')).toEqual(['red', 'blue']);
  expect(await named('tag=colour%3Dblue')).toEqual(['blue']);
  expect(await named('tag=colour=blue&tag=size=a%3Db')).toEqual(['blue']);
  expect(await named('tag=colour=red&tag=size')).toEqual([]);
  const refused = await call('GET', '/vault/secrets?tag=Colour', { token: acme.users.reader.token });
  expect(refused.status).toBe(400);
});

test('tags are removed with their resource', async () => {
  const id = await secret('short-lived');
  await put(id, { until: 'soon' });
  await call('DELETE', `/vault/secrets/${id}`, { token: acme.users.member.token });
  expect(await query(sql`SELECT FROM resource_tags WHERE resource_id = ${id}::uuid`)).toEqual([]);
});

test('the tags in use are listed by the beginning of a key or a value, for one project', async () => {
  await put(await secret('one'), { 'owner:mail': 'ada' });
  await put(await secret('two'), { 'owner:mail': 'ada', 'owner:name': 'Ada' });
  await put(await secret('three', other), { 'owner:mail': 'bob' }, other.users.member.token);
  const tags = async (search: string) =>
    (await call('GET', `/inventory/tags?search=${encodeURIComponent(search)}`, { token: acme.users.reader.token }))
      .body;
  expect(await tags('owner')).toEqual([
    { key: 'owner:mail', value: 'ada', resources: 2 },
    { key: 'owner:name', value: 'Ada', resources: 1 },
  ]);
  expect(await tags('owner:mail=a')).toEqual([{ key: 'owner:mail', value: 'ada', resources: 2 }]);
  expect(await tags('owner:mail=b')).toEqual([]);
});

test('the tags in use are paged without gaps and repeats, also where values have equals signs or are empty', async () => {
  const values = ['', '=', 'a=b', 'a b', 'z', 'ä&?'];
  for (const value of values)
    await put(await secret(`paged-${value}`), { 'paged:key': value, [`paged:${value.length}`]: 'x' });
  const token = acme.users.reader.token;
  const whole = (await call('GET', '/inventory/tags?search=paged', { token })).body;
  const paged: unknown[] = [];
  let path: string | undefined = '/inventory/tags?search=paged&limit=1';
  while (path !== undefined) {
    const page: Awaited<ReturnType<typeof call>> = await call('GET', path, { token });
    paged.push(...(page.body as unknown[]));
    path = /<[^>]*\/api\/v1([^>]*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
  }
  expect(paged).toEqual(whole);
  expect(paged.length).toBeGreaterThan(values.length);
});
