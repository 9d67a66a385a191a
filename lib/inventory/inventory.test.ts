import { beforeAll, describe, expect, test } from 'vitest';
import { execute, query } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { none } from '@/lib/core/domains/domain';
import { byName } from '@/lib/core/domains/search';
import { settings } from '@/lib/settings';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { idOf, launch } from '@/lib/testing/machines';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import type { InventoryItem } from './schema';
import { type Listed, pageStatement } from './statement';

testDatabase();
const call = api();
let acme: TestProject;
let other: TestProject;
let web: string;

async function list(query = '', project = acme): Promise<InventoryItem[]> {
  const answer = await call('GET', `/inventory/inventory?${query}`, { token: project.users.reader.token });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body as InventoryItem[];
}
const names = async (query: string) => (await list(query)).map(({ name }) => name);
async function secret(name: string, project = acme): Promise<string> {
  const body = { name, type: 'opaque', payload: 'x' };
  const answer = await call('POST', '/vault/secrets', { token: project.users.member.token, body });
  return (answer.body as { id: string }).id;
}
const tag = (type: string, id: string, tags: Record<string, string>) =>
  call('PUT', `/inventory/tags/${type}/${id}`, { token: acme.users.member.token, body: { tags } });
const csv = (query = '', accept = 'text/csv') =>
  call('GET', `/inventory/inventory?${query}`, { token: acme.users.reader.token, headers: { Accept: accept } });

beforeAll(async () => {
  await createCell();
  acme = await createProject('acme');
  other = await createProject('other');
  web = idOf(await launch(call, acme, { name: 'web-1' }));
  await secret('=HYPERLINK("evil")');
  await secret('theirs', other);
});

describe('an item', () => {
  test('has what its type has: status, creator, addresses, tags, and its path', async () => {
    await tag('instance', web, { env: 'production' });
    const [item] = await list('type=instance');
    const reader = await call('GET', `/compute/instances/${web}`, { token: acme.users.reader.token });
    const { addresses, status } = reader.body as { addresses: { ip: string }[]; status: string };
    expect(item).toEqual({
      type: 'instance',
      id: web,
      name: 'web-1',
      status,
      region: 'local',
      created_at: expect.any(String),
      created_by: acme.users.member.email.split('@')[0],
      hourly_usd: 0,
      month_to_date_usd: 0,
      addresses: addresses.map(({ ip }) => ip),
      tags: { env: 'production' },
      href: `/api/v1/compute/instances/${web}`,
    });
  });

  test('of a type without pages of its own leads to its list, and the platform’s own has no creator', async () => {
    expect((await list('type=secret'))[0]).toMatchObject({ status: 'active', href: '/api/v1/vault/secrets' });
    const [network] = await list('type=network');
    expect(network).toMatchObject({ created_by: null, addresses: ['10.0.0.0/24'] });
    expect((await list('type=port'))[0]).toMatchObject({ status: 'down' });
  });

  test('costs what the breakdown says', async () => {
    await execute(sql`INSERT INTO spans (project_id, metric, resource_type, resource_id, resource_name, quantity, started_at)
      VALUES (${acme.id}::uuid, 'compute_vcpu', 'instance', ${web}::uuid, 'web-1', 2, platform_now() - interval '1 hour')`);
    const [item] = await list('type=instance');
    expect(item?.hourly_usd).toBe(0.048);
    expect(item?.month_to_date_usd).toBeGreaterThan(0);
  });
});

describe('the list', () => {
  test('has all types, newest first, and nothing of another project', async () => {
    const all = await list('limit=200');
    expect(all.map(({ id }) => id)).toEqual(
      all
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
    expect(new Set(all.map(({ type }) => type))).toEqual(
      new Set(['instance', 'network', 'port', 'router', 'secret', 'security_group']),
    );
    expect(all.map(({ name }) => name)).not.toContain('theirs');
  });

  test('is filtered by type, status, name, part of the name and tag', async () => {
    expect(await names('type=secret&type=instance')).toEqual(['=HYPERLINK("evil")', 'web-1']);
    expect(await names('status=provisioning')).toEqual(['web-1']);
    expect((await list('status=down')).map(({ type }) => type)).toEqual(['port']);
    expect((await list('status=updating')).map(({ type }) => type)).toEqual(['network', 'router']);
    expect(await names('status=active')).toEqual(['=HYPERLINK("evil")']);
    expect(await list('status=associated')).toEqual([]);
    expect(await list('status=constructor')).toEqual([]);
    expect(await names('name=web-1')).toEqual(['web-1']);
    expect(await names('name=WEB-1')).toEqual([]);
    expect(await names('search=EB-')).toEqual(['web-1']);
    expect(await names('search=10.0.0')).toHaveLength(1);
    expect(await names('tag=env%3Dproduction')).toEqual(['web-1']);
    expect(await names('tag=env%3Dstaging')).toEqual([]);
    expect(await names('type=spaceship')).toEqual([]);
  });

  test('is paged over all types, without gaps and repeats', async () => {
    const whole = (await list('limit=200')).map(({ id }) => id);
    const paged: string[] = [];
    let path: string | undefined = '/inventory/inventory?limit=2';
    while (path !== undefined) {
      const page: Awaited<ReturnType<typeof call>> = await call('GET', path, { token: acme.users.reader.token });
      paged.push(...(page.body as InventoryItem[]).map(({ id }) => id));
      path = /<[^>]*\/api\/v1([^>]*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(paged).toEqual(whole);
  });

  test('refuses a cursor that it did not give', async () => {
    const { status } = await call('GET', '/inventory/inventory?cursor=x', { token: acme.users.reader.token });
    expect(status).toBe(400);
  });
});

describe('the CSV', () => {
  test('has the fields of an item as columns, and no cell that a spreadsheet runs', async () => {
    const { text, headers } = await csv('type=secret&type=instance');
    expect(headers.get('content-type')).toContain('text/csv');
    const lines = text.trim().split('\r\n');
    expect(lines[0]).toBe(
      'type,id,name,status,region,created_at,created_by,hourly_usd,month_to_date_usd,addresses,tags,href',
    );
    expect(lines[1]).toContain(`"'=HYPERLINK(""evil"")"`);
    expect(lines[2]).toContain('"{""env"":""production""}"');
  });

  test.each([
    ['text/csv', true],
    ['text/csv;q=0.5, application/json;q=0.9', false],
    ['application/json, text/csv', true],
    ['*/*', false],
    ['text/csv;q=0', false],
  ])('is sent for Accept: %s: %s', async (accept, sent) => {
    expect((await csv('', accept)).headers.get('content-type')?.includes('csv')).toBe(sent);
  });
});

test('the CSV counts as an export of the project, and the list does not', async () => {
  const { headers } = await csv('type=secret');
  const heavy = settings().rateLimitProjectHeavyBurst;
  expect(Number(headers.get('RateLimit-Remaining'))).toBeLessThan(heavy);
  const answer = await call('GET', '/inventory/inventory', { token: acme.users.reader.token });
  expect(Number(answer.headers.get('RateLimit-Remaining'))).toBeGreaterThan(heavy);
});

describe('among many resources', () => {
  const MANY = 20_000;
  beforeAll(async () => {
    const [index] = await query<{ made: string }>(sql`SELECT pg_get_indexdef('secrets_terms_idx'::regclass) AS made`);
    await execute(sql`DROP INDEX secrets_terms_idx`);
    await execute(sql`INSERT INTO secrets SELECT (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid(), 'name', 'machine-' || md5(n::text)))).*
      FROM secrets s, generate_series(1, ${MANY}::int) AS n WHERE s.project_id = ${acme.id}::uuid`);
    await execute(raw(index?.made ?? ''));
    await execute(sql`ANALYZE secrets`);
  });

  const search = byName('/vault/secrets', { status: { expired: 'r.expires_at <= platform_now()' } });
  const listed: Listed = { type: 'secret', table: 'secrets', statuses: none, search, path: '' };
  const plan = async (filters: Parameters<typeof pageStatement>[2], before?: string) => {
    const lines = await query<{ 'QUERY PLAN': string }>(
      sql`EXPLAIN ${pageStatement([listed], acme.id, filters, { limit: 51, before })}`,
    );
    return lines.map((line) => line['QUERY PLAN']).join('\n');
  };

  test('a page is a range of the index of project and id, wherever it begins', async () => {
    for (const before of [undefined, '80000000-0000-7000-8000-000000000000', '00100000-0000-7000-8000-000000000000']) {
      const text = await plan({}, before);
      expect(text).not.toContain('Seq Scan');
      expect(text).toMatch(/Index (Only )?Scan Backward using secrets_(project_id_id_key|pkey) on secrets/);
    }
  });

  test('a status that a type does not have reads none of its rows', async () => {
    expect(await plan({ status: 'expired' })).toContain('secrets');
    expect(await plan({ status: 'error' })).not.toContain('secrets');
  });

  test.each([
    ['a tag', { tag: ['env=production'] }],
    ['a name', { name: 'machine-c4ca4238a0b923820dcc509a6f75849b' }],
    ['a part of a name', { search: 'c4ca4238a0' }],
  ])('%s is found by an index', async (_, filters) => {
    expect(await plan(filters)).not.toMatch(/Seq Scan on secrets/);
  });

  test('the CSV has all of them', async () => {
    const { text } = await csv('type=secret');
    expect(text.trim().split('\r\n')).toHaveLength(MANY + 2);
  });
});
