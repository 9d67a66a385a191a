import { beforeAll, describe, expect, test } from 'vitest';
import { execute, query } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { none } from '@/lib/core/domains/domain';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { idOf, launch } from '@/lib/testing/machines';
import { api, createProject, createUser, type TestProject } from '@/lib/testing/world';
import type { PlatformSearchResult, SearchResult } from './schema';
import { type Source, searchStatement } from './statement';
import { readSearch } from './text';

testDatabase();
const call = api();
let acme: TestProject;
let other: TestProject;
let root: string;
let web: string;

async function find(q: string, project = acme): Promise<SearchResult[]> {
  const answer = await call('GET', `/search?q=${encodeURIComponent(q)}`, { token: project.users.reader.token });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body as SearchResult[];
}
const named = async (q: string) => (await find(q)).map(({ type, name }) => `${type} ${name}`);
const secret = (name: string, project = acme) =>
  call('POST', '/vault/secrets', { token: project.users.member.token, body: { name, type: 'opaque', payload: 'x' } });

beforeAll(async () => {
  await createCell();
  acme = await createProject('acme');
  other = await createProject('other');
  root = (await createUser('root@example.com', 'backoffice')).token;
  for (const name of ['web', 'Web-Key', 'my-web-key', 'cobweb', '100%', 'häuser']) await secret(name);
  await secret('web of another project', other);
  web = idOf(await launch(call, acme, { name: 'web-1' }));
});

describe('a name is found', () => {
  test('by its whole, then by its beginning, then by a part, ignoring case', async () => {
    expect(await named('WEB')).toEqual([
      'secret web',
      'instance web-1',
      'secret Web-Key',
      'secret cobweb',
      'secret my-web-key',
    ]);
    expect(await named('b-k')).toEqual(['secret my-web-key', 'secret Web-Key']);
  });

  test('by its beginning only for one or two characters', async () => {
    expect(await named('w')).toEqual(['secret web', 'instance web-1', 'secret Web-Key']);
    expect(await named('we')).toHaveLength(3);
    expect(await named('eb')).toEqual([]);
  });

  test('literally, and with non-ASCII characters', async () => {
    expect(await named('%')).toEqual([]);
    expect(await named('00%')).toEqual(['secret 100%']);
    expect(await named('ÄUS')).toEqual(['secret häuser']);
    expect(await named("'")).toEqual([]);
  });

  test('among public images too', async () => {
    expect(await named('nephele-tiny')).toContain('image nephele-tiny');
  });
});

test('an id is found by its beginning', async () => {
  const [first] = await find(web);
  expect(first).toEqual({
    type: 'instance',
    id: web,
    name: 'web-1',
    status: 'provisioning',
    matched: 'id',
    address: null,
  });
  expect((await find(web.slice(0, 13))).map(({ id }) => id)).toContain(web);
  expect(await find(web, other)).toEqual([]);
});

describe('an address is found', () => {
  let ip: string;
  let mac: string;
  beforeAll(async () => {
    const { body } = await call('GET', `/compute/instances/${web}`, { token: acme.users.reader.token });
    const [address] = (body as { addresses: { ip: string; mac: string }[] }).addresses;
    ({ ip, mac } = address ?? { ip: '', mac: '' });
  });
  const types = async (q: string) => (await find(q)).map(({ type }) => type).toSorted();

  test('of an interface: the instance, the port and the network', async () => {
    const results = await find(ip);
    expect(results.find(({ type }) => type === 'instance')).toMatchObject({ id: web, matched: 'address', address: ip });
    expect(await types(ip)).toEqual(['instance', 'network', 'port']);
    expect(await types(mac)).toEqual(['instance', 'port']);
    expect(await types(mac.slice(0, 9).toUpperCase())).toEqual(['instance', 'port']);
  });

  test('by its beginning or its range', async () => {
    expect(await types('10.0.')).toEqual(['instance', 'network', 'port']);
    expect(await types('10.0.0.0/24')).toEqual(['instance', 'network', 'port']);
    expect(await types('10.1.')).toEqual([]);
    expect(await types('10.0.0.999')).toEqual([]);
  });

  test('of a floating IP: its instance', async () => {
    const floating = await call('POST', '/network/floating-ips', { token: acme.users.member.token, body: {} });
    const { id, address } = floating.body as { id: string; address: string };
    expect(await find(address)).toMatchObject([{ type: 'floating_ip', id, name: address }]);
    await call('POST', `/network/floating-ips/${id}/associate`, {
      token: acme.users.member.token,
      body: { instance_id: web },
    });
    expect((await find(address)).map(({ type }) => type).toSorted()).toEqual(['floating_ip', 'instance']);
  });
});

test('a tag with its value is found, and the value to the letter only', async () => {
  const { token } = acme.users.member;
  await call('PUT', `/inventory/tags/instance/${web}`, { token, body: { tags: { team: 'Ops=1' } } });
  expect(await find('team=Ops=1')).toMatchObject([{ type: 'instance', id: web, matched: 'tag' }]);
  expect(await find('team=ops=1')).toEqual([]);
  expect(await find('team=')).toEqual([]);
  expect(await find('team=Ops=1', other)).toEqual([]);
});

test('another project finds nothing of this one', async () => {
  expect(await find('cobweb', other)).toEqual([]);
  expect((await find('web', other)).map(({ name }) => name)).toEqual(['web of another project']);
});

test('the back office finds tenants and users by name, and resources of all tenants by id only', async () => {
  const everywhere = async (q: string) =>
    (await call('GET', `/admin/api/v1/search?q=${encodeURIComponent(q)}`, { token: root }))
      .body as PlatformSearchResult[];
  expect(await everywhere('acm')).toContainEqual({
    type: 'tenant',
    id: acme.id,
    name: expect.any(String),
    status: 'active',
    matched: 'name',
    address: null,
    project_id: acme.id,
  });
  expect((await everywhere(acme.users.reader.email)).map(({ type, id }) => ({ type, id }))).toEqual([
    { type: 'user', id: acme.users.reader.id },
  ]);
  expect(await everywhere(web)).toMatchObject([{ type: 'instance', id: web, name: 'web-1', project_id: acme.id }]);
  expect(await everywhere('cobweb')).toEqual([]);
});

describe('among many resources', () => {
  const MANY = 20_000;
  beforeAll(async () => {
    const [index] = await query<{ made: string }>(sql`SELECT pg_get_indexdef('secrets_terms_idx'::regclass) AS made`);
    await execute(sql`DROP INDEX secrets_terms_idx`);
    await execute(sql`INSERT INTO secrets SELECT (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid(), 'name', 'machine-' || md5(n::text)))).*
      FROM secrets s, generate_series(1, ${MANY}::int) AS n WHERE s.project_id = ${acme.id}::uuid AND s.name = 'web'`);
    await execute(raw(index?.made ?? ''));
    await execute(sql`ANALYZE secrets`);
  });

  // Where nearly every row matches, a scan until the tenth hit is faster than any index.
  test.each(['c4ca4238a0', 'm', 'cobweb', '019a'])('“%s” uses indexes', async (q) => {
    const source: Source = {
      type: 'secret',
      table: 'secrets',
      title: 'r.name',
      project: 'r.project_id',
      status: false,
      names: ['name'],
      addresses: none,
      scopes: [{ project_id: acme.id }],
    };
    const plan = await query<{ 'QUERY PLAN': string }>(sql`EXPLAIN ${searchStatement([source], readSearch(q))}`);
    const lines = plan.map((line) => line['QUERY PLAN']);
    expect(lines.filter((line) => /Seq Scan on secrets/.test(line))).toEqual([]);
  });

  test('a resource is found by a part of its name', async () => {
    expect(await named('c4ca4238a0')).toEqual(['secret machine-c4ca4238a0b923820dcc509a6f75849b']);
    expect(await named('achine')).toHaveLength(10);
  });
});
