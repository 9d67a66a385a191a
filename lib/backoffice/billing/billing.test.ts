import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { query } from '@/lib/core/db/pool';
import { prisma } from '@/lib/core/db/prisma';
import { sql } from '@/lib/core/db/sql';
import { closeMonths } from '@/lib/money/invoices/close';
import { stopTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { holds, spend, testResource } from '@/lib/testing/money';
import { api, createProject, createUser, signIn, type TestProject } from '@/lib/testing/world';

testDatabase();
const call = api();
let root: string;
beforeAll(async () => {
  root = (await createUser('root@example.test', 'backoffice')).id;
});
const MARCH = '2027-03-10T12:00:00Z';
afterEach(() => stopTestClock(MARCH));

const office = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  call(method, `/admin/api/v1${path}`, { token: await signIn(root, 'backoffice'), body, headers });

async function freezingProject(name: string, monthly_limit_usd = 1): Promise<TestProject> {
  const project = await createProject(name);
  const token = await signIn(project.users.admin.id);
  const body = { monthly_limit_usd, enable_quota_freeze: true };
  expect((await call('PUT', '/billing/budget', { token, body })).status).toBe(200);
  return project;
}

/** Whether the project sees itself as frozen. */
async function isFrozen(project: TestProject): Promise<unknown> {
  const token = await signIn(project.users.reader.id);
  const { body } = await call('GET', '/billing/budget', { token });
  return (body as { status: { frozen: boolean } }).status.frozen;
}

describe('rates', () => {
  test('the rate card has every metric of spec 2.5, with or without a price', async () => {
    await stopTestClock(MARCH);
    const { status, body } = await office('GET', '/billing/rates');
    expect(status).toBe(200);
    const card = body as { metric: string; unit_price_usd: number | null; rates: { state: string }[] }[];
    expect(card.find(({ metric }) => metric === 'compute_vcpu')).toMatchObject({
      unit_price_usd: 0.024,
      unit: 'vCPU-hour',
      rates: [{ effective_from: '2025-01', created_by: 'platform', state: 'current' }],
    });
    expect(card.find(({ metric }) => metric === 'image_storage')).toMatchObject({ unit_price_usd: null, rates: [] });
  });

  test.each(['2027-03', '2027-02', '2025-01'])('a rate for %s, which has begun, is refused', async (effective_from) => {
    await stopTestClock(MARCH);
    const refused = await office('POST', '/billing/rates', {
      metric: 'compute_memory',
      unit_price_usd: 0.005,
      effective_from,
    });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('effective_from: must be a future')]);
    expect(await prisma().rate.count({ where: { metric: 'compute_memory' } })).toBe(1);
  });

  test('a rate for the next month is accepted until the last moment of this one', async () => {
    const body = { metric: 'valkey_database', unit_price_usd: 0.031, effective_from: '2027-04' };
    await stopTestClock('2027-03-31T23:59:59.999Z');
    expect((await office('POST', '/billing/rates', body)).status).toBe(201);
    await stopTestClock('2027-04-01T00:00:00Z');
    expect((await office('POST', '/billing/rates', { ...body, unit_price_usd: 0.032 })).status).toBe(400);
  });

  test('an added rate is audited and applies from its month on, and the last one for a month wins', async () => {
    await stopTestClock(MARCH);
    const add = (unit_price_usd: number, key: string) =>
      office(
        'POST',
        '/billing/rates',
        { metric: 'block_storage', unit_price_usd, effective_from: '2027-05' },
        { 'Idempotency-Key': key },
      );
    const first = await add(0.1, 'one');
    expect(first.status).toBe(201);
    expect((await add(0.1, 'one')).headers.get('idempotent-replayed')).toBe('true');
    expect((await add(0.09, 'two')).status).toBe(201);
    const states = async () => {
      const { body } = await office('GET', '/billing/rates');
      const found = (
        body as { metric: string; unit_price_usd: number; rates: { unit_price_usd: number; state: string }[] }[]
      ).find(({ metric }) => metric === 'block_storage');
      return [found?.unit_price_usd, ...(found?.rates.map((rate) => `${rate.unit_price_usd} ${rate.state}`) ?? [])];
    };
    expect(await states()).toEqual([0.08, '0.09 coming', '0.1 replaced', '0.08 current']);
    await stopTestClock('2027-05-01T00:00:00Z');
    expect(await states()).toEqual([0.09, '0.09 current', '0.1 replaced', '0.08 past']);
    const [entry] = await query<{ details: unknown; actor_name: string }>(
      sql`SELECT details, actor_name FROM audit_entries WHERE action = 'rate.create' AND resource_name = 'block_storage' ORDER BY id`,
    );
    expect(entry).toEqual({
      actor_name: 'root@example.test',
      details: { metric: 'block_storage', effective_from: '2027-05', unit_price_usd: { old: 0.08, new: 0.1 } },
    });
  });
});

describe('credit', () => {
  test('a grant lifts a freeze by its amount for the very next request, and counts once when repeated', async () => {
    await stopTestClock(MARCH);
    const project = await freezingProject('granted');
    await spend(project.id, 1_500_000);
    expect(await isFrozen(project)).toBe(true);
    const grant = () =>
      office(
        'POST',
        `/tenants/${project.id}/credits`,
        { amount_usd: 0.25, reason: 'For the outage' },
        { 'Idempotency-Key': 'grant-1' },
      );
    const [first, again] = [await grant(), await grant()];
    expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true']);
    expect(await isFrozen(project)).toBe(false);
    await spend(project.id, 249_999);
    expect(await isFrozen(project)).toBe(false);
    await spend(project.id, 1);
    expect(await isFrozen(project)).toBe(true);
    const list = await office('GET', `/billing/credits?tenant_id=${project.id}`);
    expect(list.body).toEqual([
      {
        ...(first.body as object),
        tenant_slug: project.slug,
        kind: 'grant',
        amount_usd: 0.25,
        reason: 'For the outage',
        created_by: 'root@example.test',
      },
    ]);
    const audited = await prisma().auditEntry.findMany({ where: { action: 'credit.grant', project_id: project.id } });
    expect(audited.map(({ details }) => details)).toEqual([{ amount_usd: 0.25, reason: 'For the outage' }]);
  });

  test('is taken back at most to zero, under any concurrency', async () => {
    const project = await createProject('taken');
    const move = (amount_usd: number) =>
      office('POST', `/tenants/${project.id}/credits`, { amount_usd, reason: 'correction' });
    await move(10);
    const answers = await Promise.all(Array.from({ length: 5 }, () => move(-4)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.text).toContain('2 USD of credit left');
    expect((await move(-2)).body).toMatchObject({ kind: 'grant', amount_usd: -2 });
    const { body } = await office('GET', `/billing/credits?tenant_id=${project.id}&kind=grant`);
    expect((body as { amount_usd: number }[]).map(({ amount_usd }) => amount_usd)).toEqual([-2, -4, -4, 10]);
    expect(
      (await prisma().projectAccount.findUniqueOrThrow({ where: { project_id: project.id } })).credit_usd.toNumber(),
    ).toBe(0);
  });

  test.each([0, 0.0000001, 1e12, -1e12])('an amount of %d is refused', async (amount_usd) => {
    const project = await createProject('odd');
    const refused = await office('POST', `/tenants/${project.id}/credits`, { amount_usd, reason: 'x' });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('amount_usd')]);
    expect(
      (await prisma().projectAccount.findUniqueOrThrow({ where: { project_id: project.id } })).credit_usd.toNumber(),
    ).toBe(0);
  });
});

test('budgets: frozen tenants with the time, filtered by name and state, in pages', async () => {
  await stopTestClock('2027-03-10T00:00:00Z');
  const tenants = [];
  for (const name of ['budget-a', 'budget-b', 'budget-c']) tenants.push(await freezingProject(name, 2.4));
  const [frozen, running] = tenants;
  if (!frozen || !running) throw new Error('two tenants');
  // 10 vCPUs at 0.024 per hour reach 2.40 after ten hours; 1 vCPU does not within a day.
  await holds(testResource(frozen.id), 'compute_vcpu', '10');
  await holds(testResource(running.id), 'compute_vcpu', '1');
  await stopTestClock('2027-03-11T00:00:00Z');
  const list = async (path: string) => {
    const { body, headers } = await office('GET', path);
    const next = /<[^>]*(\/billing[^>]*)>/.exec(headers.get('link') ?? '')?.[1];
    return { rows: body as Record<string, unknown>[], next };
  };
  const { rows } = await list('/billing/budgets?search=budget-&frozen=true');
  expect(rows).toEqual([
    {
      tenant_id: frozen.id,
      tenant_name: 'budget-a',
      tenant_slug: frozen.slug,
      monthly_limit_usd: 2.4,
      enable_quota_freeze: true,
      month_to_date_usd: 5.76,
      used_percent: 240,
      frozen: true,
      frozen_since: '2027-03-10T10:00:00.000Z',
      freezes_at: null,
      lift_usd: 0,
      credit_usd: 0,
    },
  ]);
  const others = await list('/billing/budgets?search=budget-&frozen=false&sort=name');
  expect(others.rows.map((row) => [row.tenant_name, row.frozen, row.freezes_at])).toEqual([
    ['budget-b', false, '2027-03-14T04:00:00.000Z'],
    ['budget-c', false, null],
  ]);
  const first = await list('/billing/budgets?search=budget-&sort=-name&limit=2');
  const second = await list(first.next ?? '');
  expect([...first.rows, ...second.rows].map((row) => row.tenant_name)).toEqual(['budget-c', 'budget-b', 'budget-a']);
  expect(second.next).toBeUndefined();
});

test('revenue: a month adds up by tenant, and the current one shows its amount so far', async () => {
  await stopTestClock('2027-06-10T00:00:00Z');
  const [big, small] = [await createProject('revenue-big'), await createProject('revenue-small')];
  await spend(big.id, 20_000_000);
  await spend(small.id, 5_000_000);
  await office('POST', `/tenants/${big.id}/credits`, { amount_usd: 12, reason: 'welcome' });
  const read = async (path: string) => (await office('GET', path)).body as Record<string, unknown>[];
  expect(await read('/billing/revenue?search=revenue-&sort=name')).toMatchObject([
    { tenant_name: 'revenue-big', month: '2027-06', so_far_usd: 20, invoiced_usd: 0, payment_status: null },
    { tenant_name: 'revenue-small', so_far_usd: 5 },
  ]);
  const closings = await read('/billing/closings');
  expect(closings[0]).toMatchObject({ month: '2027-06', state: 'running' });
  const soFar = await read('/billing/revenue?limit=200');
  const sum = soFar.reduce((total, row) => total + Number(row.so_far_usd), 0);
  expect(Number(closings[0]?.so_far_usd)).toBeCloseTo(sum, 4);

  await stopTestClock('2027-07-02T00:00:00Z');
  await closeMonths();
  expect(await read('/billing/revenue?month=2027-06&search=revenue-&sort=-invoiced_usd')).toMatchObject([
    { tenant_name: 'revenue-big', so_far_usd: null, invoiced_usd: 20, credit_used_usd: 12, open_usd: 8, paid_usd: 0 },
    { tenant_name: 'revenue-small', invoiced_usd: 5, credit_used_usd: 0, open_usd: 5, payment_status: 'open' },
  ]);
  const first = await office('GET', '/billing/revenue?month=2027-06&search=revenue-&sort=-invoiced_usd&limit=1');
  const cursor = new URL(/<([^>]*)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '').search;
  expect((await read(`/billing/revenue${cursor}`)).map((row) => row.tenant_name)).toEqual(['revenue-small']);
  expect((await read('/billing/closings')).find(({ month }) => month === '2027-06')).toMatchObject({
    so_far_usd: null,
  });
});
