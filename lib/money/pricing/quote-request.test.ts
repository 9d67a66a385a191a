import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute, query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { sessionCookies } from '@/lib/people/identity/cookies';
import { endpoints } from '@/lib/platform/endpoints';
import { testDatabase } from '@/lib/testing/database';
import { createCell, NANO, TINY_IMAGE } from '@/lib/testing/hosts';
import { defaultNetwork, idOf, launch } from '@/lib/testing/machines';
import { spend } from '@/lib/testing/money';
import { api, createProject, type TestProject } from '@/lib/testing/world';

testDatabase();
const call = api();
let acme: TestProject;
beforeAll(async () => {
  await createCell();
  acme = await createProject('acme');
});

type Quote = {
  hourly_usd: number;
  monthly_usd: number;
  lines: { name: string; quantity: number; monthly_usd: number }[];
  quota: { dimension: string; claim: number; available: number }[];
  frozen: boolean;
};
const ask = (method: string, path: string, body?: object, project = acme) =>
  call('POST', '/billing/quote', { token: project.users.reader.token, body: { method, path, body } });
async function quoteOf(...request: Parameters<typeof ask>): Promise<Quote> {
  const answer = await ask(...request);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as Quote;
}
const claimsOf = ({ quota }: Quote) => Object.fromEntries(quota.map(({ dimension, claim }) => [dimension, claim]));

/** The quota ledger entries of a resource. */
async function ledgerOf(id: string) {
  const rows = await query<{ dimension: string; amount: number }>(
    sql`SELECT dimension, amount::float8 AS amount FROM quota_ledger WHERE resource_id = ${id}::uuid`,
  );
  return Object.fromEntries(rows.map(({ dimension, amount }) => [dimension, amount]));
}

/** Row counts of all tables that a quote could change. */
const rowsOf = (project: TestProject) =>
  query(sql`SELECT (SELECT count(*) FROM volumes) AS volumes, (SELECT count(*) FROM instances) AS instances,
    (SELECT count(*) FROM networks) AS networks, (SELECT count(*) FROM operations) AS operations, to_jsonb(a) AS account
    FROM project_accounts a WHERE a.project_id = ${project.id}::uuid`);

describe('a quote', () => {
  test('leaves no audit entry; refused, it does for a script and not for a form of the portal', async () => {
    const entries = () => query(sql`SELECT action, result FROM audit_entries WHERE action LIKE '%quote%'`);
    const volume = (size_gb: number) => ({ method: 'POST', path: '/storage/volumes', body: { name: 'v', size_gb } });
    const { token } = acme.users.member;
    const headers = { Cookie: `${sessionCookies().tenant}=${token}`, 'Sec-Fetch-Site': 'same-origin' };
    const status = async (size: number, as: object) =>
      (await call('POST', '/billing/quote', { ...as, body: volume(size) })).status;
    expect([await status(1, { token }), await status(1, { headers }), await status(-1, { headers })]).toEqual([
      200, 200, 400,
    ]);
    expect(await entries()).toEqual([]);
    expect(await status(-1, { token })).toBe(400);
    expect(await entries()).toEqual([{ action: 'request.quote', result: 'refused' }]);
  });

  test('of a volume states price, quota and freeze to the digit, and claims the same as the create', async () => {
    const body = { name: 'data', size_gb: 100 };
    const quoted = await quoteOf('POST', '/storage/volumes', body);
    expect(quoted).toMatchObject({
      monthly_usd: 8,
      lines: [{ name: 'Volume', quantity: 100, unit: 'GB', per: 'GB-month', unit_price_usd: '0.08', monthly_usd: 8 }],
      quota: [
        { dimension: 'storage_tb', claim: 0.09765625, available: 5 },
        { dimension: 'volumes', claim: 1, available: 10 },
      ],
      frozen: false,
    });
    const created = await call('POST', '/storage/volumes', { token: acme.users.member.token, body });
    expect(claimsOf(quoted)).toEqual(await ledgerOf(idOf(created)));
  });

  test('of an instance includes its vCPUs, memory and boot disk, and claims the same as the create', async () => {
    const body = { name: 'web', flavor_id: NANO, image_id: TINY_IMAGE, network_id: await defaultNetwork(acme) };
    const quoted = await quoteOf('POST', '/api/v1/compute/instances', body);
    expect(quoted.lines.map(({ name }) => name)).toEqual(['vCPU', 'Memory', 'Boot disk']);
    const sum = quoted.lines.reduce((total, line) => total + line.monthly_usd, 0);
    expect(quoted.monthly_usd).toBeCloseTo(sum, 5);
    expect(claimsOf(quoted)).toEqual(await ledgerOf(idOf(await launch(call, acme))));
  });

  test('of a resize covers the difference', async () => {
    const { token } = acme.users.member;
    const id = idOf(await call('POST', '/storage/volumes', { token, body: { name: 'small', size_gb: 4 } }));
    await execute(sql`UPDATE volumes SET status = 'available' WHERE id = ${id}::uuid`);
    const quoted = await quoteOf('POST', `/storage/volumes/${id}/resize`, { size_gb: 20 });
    expect(quoted).toMatchObject({ monthly_usd: 1.28, quota: [{ dimension: 'storage_tb', claim: 0.015625 }] });
    const smaller = await ask('POST', `/storage/volumes/${id}/resize`, { size_gb: 2 });
    expect([smaller.status, smaller.text]).toEqual([400, expect.stringContaining('can only be enlarged')]);
    expect(await quoteOf('POST', '/storage/snapshots', { name: 'before', volume_id: id })).toMatchObject({
      monthly_usd: 0.32,
      quota: [],
    });
  });

  test('of a start covers the costs that a stopped instance does not have', async () => {
    const id = idOf(await launch(call, acme, { name: 'sleeper' }));
    await execute(sql`UPDATE instances SET status = 'stopped', task = NULL WHERE id = ${id}::uuid`);
    const { lines, quota } = await quoteOf('POST', `/compute/instances/${id}/action`, { action: 'start' });
    expect([lines.map(({ name }) => name), quota]).toEqual([['vCPU', 'Memory'], []]);
    expect((await quoteOf('POST', `/compute/instances/${id}/action`, { action: 'reboot' })).lines).toEqual([]);
  });

  test('of a free resource is zero', async () => {
    const body = { name: 'more', cidr: '10.9.0.0/24' };
    expect(await quoteOf('POST', '/network/networks', body)).toEqual({
      hourly_usd: 0,
      monthly_usd: 0,
      lines: [],
      quota: [],
      frozen: false,
    });
  });

  test('reports the budget freeze for calls that it refuses, and only for them', async () => {
    const frozen = await createProject('frozen');
    const body = { monthly_limit_usd: 1, enable_quota_freeze: true };
    await call('PUT', '/billing/budget', { token: frozen.users.admin.token, body });
    await spend(frozen.id, 1_000_000);
    expect((await quoteOf('POST', '/storage/volumes', { name: 'data', size_gb: 1 }, frozen)).frozen).toBe(true);
    expect((await quoteOf('POST', '/network/networks', { name: 'x', cidr: '10.9.0.0/24' }, frozen)).frozen).toBe(false);
  });

  test('writes nothing, not even in a project without data', async () => {
    const fresh = await createProject('fresh');
    const before = await rowsOf(fresh);
    await quoteOf('POST', '/storage/volumes', { name: 'data', size_gb: 1 }, fresh);
    const unknown = await ask(
      'POST',
      '/compute/instances',
      { name: 'web', flavor_id: NANO, image_id: TINY_IMAGE, network_id: newId() },
      fresh,
    );
    expect([unknown.status, unknown.text]).toEqual([404, expect.stringContaining('network_id')]);
    expect(await rowsOf(fresh)).toEqual(before);
    const activity = await call('GET', '/activity', { token: fresh.users.reader.token });
    expect(activity.body, 'what only asked is no activity of the project').toEqual([]);
  });
});

describe('a quote is refused', () => {
  test.each([
    ['a missing field', 'POST', '/storage/volumes', { name: 'data' }],
    ['an unknown field', 'POST', '/storage/volumes', { name: 'data', size_gb: 1, colour: 'blue' }],
    ['a wrong type', 'POST', '/storage/volumes', { name: 'data', size_gb: 'big' }],
    [
      'an unknown flavor',
      'POST',
      '/compute/instances',
      { name: 'web', flavor_id: newId(), image_id: TINY_IMAGE, network_id: newId() },
    ],
    ['a foreign volume', 'POST', `/storage/volumes/${newId()}/resize`, { size_gb: 4 }],
    ['an id that is none', 'POST', '/storage/volumes/none/resize', { size_gb: 4 }],
  ])('for %s, in the words of the request itself', async (_, method, path, body) => {
    const quoted = await ask(method, path, body);
    const real = await call('POST', path, { token: acme.users.member.token, body });
    const said = ({ status, body }: typeof real) => [status, (body as { error: { message: string } }).error.message];
    expect(real.status).toBeGreaterThanOrEqual(400);
    expect(said(quoted)).toEqual(said(real));
  });

  test.each([
    ['POST', '/nowhere'],
    ['PATCH', '/storage/volumes'],
    ['POST', '/admin/api/v1/tenants'],
    ['POST', 'storage/volumes'],
  ])('with 404 for %s %s', async (method, path) => {
    expect((await ask(method, path, {})).status).toBe(404);
  });

  test('for reads and uploads', async () => {
    expect((await ask('GET', '/storage/volumes')).status).toBe(400);
    expect((await ask('POST', '/images/images')).status).toBe(400);
  });
});

test('every endpoint that claims quota or can be frozen has an estimate', () => {
  const silent = endpoints.filter(({ claims, freezable, estimate }) => (claims.length > 0 || freezable) && !estimate);
  expect(silent.map(({ operation_id }) => operation_id)).toEqual([]);
});
