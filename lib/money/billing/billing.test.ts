import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute, query } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { raiseAlerts } from '@/lib/money/alerts/schedule';
import { addCredit, spendCredit } from '@/lib/money/credit/ledger';
import { closeMonths } from '@/lib/money/invoices/close';
import type { Metric } from '@/lib/money/metering/metrics';
import { foldUsage, recordUsage } from '@/lib/money/metering/usage-events';
import { platformSpendNow, spendNow } from '@/lib/money/rating/meter';
import { setTestClock, stopTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { holds, type TestResource, testResource } from '@/lib/testing/money';
import { api, createProject, signIn, type TestProject } from '@/lib/testing/world';
import {
  type Breakdown,
  breakdownKinds,
  type CreditEntry,
  type Overview,
  type Running,
  type Stats,
  type Usage,
} from './schema';

testDatabase();
const call = api();
let acme: TestProject;

/** A project with no gap before the tests' months and no other project with open months. */
async function projectOf(name: string, month: string): Promise<TestProject> {
  await execute(sql`UPDATE project_accounts SET billed_until = '2100-01-01'`);
  const project = await createProject(name);
  await execute(
    sql`UPDATE projects SET created_at = ${new Date(`${month}-01`)}::timestamptz WHERE id = ${project.id}::uuid`,
  );
  return project;
}

beforeEach(async () => {
  await setTestClock(0);
  acme = await projectOf('acme', '2027-04');
});
afterEach(() => setTestClock(0));

async function ask<Body>(path: string, project = acme): Promise<Body> {
  // Sessions last a day, and the clock moves further than that.
  const { status, body, text } = await call('GET', path, { token: await signIn(project.users.reader.id) });
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
  return body as Body;
}
const overview = () => ask<Overview>('/billing/overview');
const breakdown = (by: string, month?: string) =>
  ask<Breakdown>(`/billing/breakdown?by=${by}${month ? `&month=${month}` : ''}`);
const amounts = async (by: string, month?: string) =>
  Object.fromEntries((await breakdown(by, month)).items.map(({ name, amount_usd }) => [name, amount_usd]));
/** The sum in millionths, as integers. */
const sum = (parts: (number | null)[]) => parts.reduce<number>((all, part) => all + Math.round((part ?? 0) * 1e6), 0);

async function counted(resource: TestResource, metric: Metric, quantity: bigint, at: string) {
  const { project_id, id: resource_id, name: resource_name } = resource;
  const of = { project_id, resource_type: 'instance', resource_id, resource_name };
  await recordUsage([{ key: newId(), ...of, metric, quantity, occurred_at: new Date(at) }]);
  await foldUsage();
}
const egress = (resource: TestResource, bytes: bigint, at: string) => counted(resource, 'network_egress', bytes, at);

/** Adds a price that applies from a month on. */
const addRate = (metric: Metric, month: string, price: string) =>
  execute(sql`INSERT INTO rates (id, metric, effective_from, price_usd, created_by, created_at)
    VALUES (${newId()}::uuid, ${metric}::text, ${`${month}-01`}::date, ${price}::numeric, 'test', platform_now())`);
const GIB = 2n ** 30n;

/**
 * April 2027 has 30 days: 720 hours. On the 3rd at noon `web` starts: 2 vCPU, 4 GB, a disk of 36 GB; on the 5th at
 * 18:00 it stops and keeps its disk. On the 4th `db` starts with 1 vCPU, and an image of 5 GiB is stored, which has no
 * price.
 */
async function april(): Promise<{ web: TestResource; db: TestResource }> {
  const [web, db, image] = [testResource(acme.id, 'web'), testResource(acme.id, 'db'), testResource(acme.id, 'img')];
  await stopTestClock('2027-04-03T12:00:00Z');
  await holds(web, 'compute_vcpu', '2');
  await holds(web, 'compute_memory', '4');
  await holds(web, 'block_storage', '36');
  await stopTestClock('2027-04-04T00:00:00Z');
  await holds(db, 'compute_vcpu', '1');
  await holds(image, 'image_storage', String(5n * GIB));
  await stopTestClock('2027-04-05T18:00:00Z');
  await holds(web, 'compute_vcpu', '0');
  await holds(web, 'compute_memory', '0');
  await egress(web, 3n * GIB, '2027-04-05T17:00:00Z');
  return { web, db };
}

/*
 * By the 6th at 12:00:
 *   web  vCPU    2 × 54 h = 108 h × 0.024                        = 2.592
 *        memory  4 × 54 h = 216 h × 0.004                        = 0.864
 *        disk    36 GB × 72 h ÷ 720 h = 3.6 GB-months × 0.08     = 0.288
 *        egress  3 GB × 0.01                                     = 0.03
 *   db   vCPU    1 × 60 h × 0.024                                = 1.44
 *   total                                                         5.214
 */
describe('the billing overview', () => {
  test('shows past, current and forecast spend, checked by hand', async () => {
    await april();
    await stopTestClock('2027-04-06T12:00:00Z');
    expect(await overview()).toMatchObject({
      month: '2027-04',
      as_of: '2027-04-06T12:00:00.000Z',
      month_to_date_usd: 5.214,
      last_month_usd: 0,
      // Now: 1 vCPU 0.024 and 36 GB: 36 × 0.08 ÷ 720 = 0.004 an hour. The month has 588 hours left: × 0.028 = 16.464.
      burn_usd_per_hour: 0.028,
      forecast_usd: 21.678,
      credit_usd: 0,
      owed_usd: 0,
      budget: { monthly_limit_usd: null, enable_quota_freeze: false, status: { month_to_date_usd: 5.214 } },
      by_category: [
        // 4.896 + 588 × 0.024 = 14.112; 0.288 + 588 × 0.004 = 2.352.
        { category: 'compute', month_to_date_usd: 4.896, forecast_usd: 19.008 },
        { category: 'storage', month_to_date_usd: 0.288, forecast_usd: 2.64 },
        { category: 'network', month_to_date_usd: 0.03, forecast_usd: 0.03 },
      ],
      by_day: [
        { day: '2027-04-01', amount_usd: 0 },
        { day: '2027-04-02', amount_usd: 0 },
        // web: 12 h × (0.048 + 0.016 + 0.004)
        { day: '2027-04-03', amount_usd: 0.816 },
        // web: 24 h × 0.068; db: 24 h × 0.024
        { day: '2027-04-04', amount_usd: 2.208 },
        // web: 18 h × 0.064, 24 h × 0.004, egress 0.03; db: 24 h × 0.024
        { day: '2027-04-05', amount_usd: 1.854 },
        // 12 h × 0.028
        { day: '2027-04-06', amount_usd: 0.336 },
      ],
    });
  });

  test('of an unused project is all zeros', async () => {
    await stopTestClock('2027-04-01T00:00:00Z');
    expect(await overview()).toMatchObject({
      month_to_date_usd: 0,
      last_month_usd: 0,
      forecast_usd: 0,
      burn_usd_per_hour: 0,
      by_category: [],
      by_day: [{ day: '2027-04-01', amount_usd: 0 }],
    });
  });
});

describe('the breakdown', () => {
  test('shows the same costs by category, resource, day and metric; unpriced usage is null', async () => {
    await april();
    await stopTestClock('2027-04-06T12:00:00Z');
    expect(await amounts('category')).toEqual({ Compute: 4.896, Storage: 0.288, Network: 0.03 });
    expect(await amounts('resource')).toEqual({ web: 3.774, db: 1.44, img: null });
    expect(await amounts('metric')).toEqual({
      vCPU: 4.032,
      Memory: 0.864,
      'Block storage': 0.288,
      'Network egress': 0.03,
      'Image storage': null,
    });
    expect((await breakdown('day')).items.at(-1)).toEqual({
      key: '2027-04-06',
      name: '2027-04-06',
      day: '2027-04-06',
      amount_usd: 0.336,
    });
    const vcpu = (await breakdown('metric')).items[0];
    expect(vcpu).toMatchObject({ metric: 'compute_vcpu', category: 'compute', quantity: 168, unit: 'vCPU-hour' });
  });

  test('of thirds of a millionth still adds up to the overview', async () => {
    await stopTestClock('2027-04-01T00:00:00Z');
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
      await holds(testResource(acme.id, name), 'block_storage', '1');
      await holds(testResource(acme.id, name), 'compute_vcpu', '0.001');
    }
    // 1 GB costs 0.08 ÷ 720 ÷ 3600 = 0.0000000308… a second.
    for (const at of ['2027-04-01T00:00:37Z', '2027-04-02T03:04:05.678Z', '2027-04-30T23:59:59.999Z']) {
      await stopTestClock(at);
      const { month_to_date_usd: spent, forecast_usd, by_category, by_day } = await overview();
      expect(spent).toBeGreaterThan(0);
      expect(sum(by_category.map((line) => line.month_to_date_usd))).toBe(sum([spent]));
      expect(sum(by_category.map((line) => line.forecast_usd))).toBe(sum([forecast_usd]));
      expect(sum(by_day.map((line) => line.amount_usd))).toBe(sum([spent]));
      for (const by of breakdownKinds) {
        const { total_usd, items } = await breakdown(by);
        expect([total_usd, sum(items.map(({ amount_usd }) => amount_usd))]).toEqual([spent, sum([spent])]);
      }
    }
  });

  test('of an ended month equals its invoice, before and after closing', async () => {
    await april();
    await stopTestClock('2027-05-01T03:00:00Z');
    /*
     * vCPU    2 × 54 + 1 × 648 = 756 h × 0.024        = 18.144 → 18.14
     * memory  216 h × 0.004                           =  0.864 →  0.86
     * disk    36 GB × 660 h ÷ 720 h = 33 × 0.08       =  2.64
     * egress                                             0.03
     */
    const lines = { vCPU: 18.14, Memory: 0.86, 'Block storage': 2.64, 'Network egress': 0.03, 'Image storage': null };
    const due = await breakdown('metric', '2027-04');
    expect([due.total_usd, await amounts('metric', '2027-04')]).toEqual([21.67, lines]);
    expect((await overview()).last_month_usd).toBe(21.67);
    await stopTestClock('2027-05-01T06:00:00Z');
    expect(await closeMonths()).toBe(1);
    const [invoice] = await ask<{ subtotal_usd: number }[]>('/billing/invoices');
    expect(invoice?.subtotal_usd).toBe(21.67);
    for (const by of breakdownKinds) {
      const { total_usd, items } = await breakdown(by, '2027-04');
      expect([by, total_usd, sum(items.map(({ amount_usd }) => amount_usd))]).toEqual([by, 21.67, sum([21.67])]);
    }
    expect(await amounts('metric', '2027-04')).toEqual(lines);
    expect((await breakdown('day', '2027-04')).items).toHaveLength(30);
    expect((await overview()).last_month_usd).toBe(21.67);
  });

  test('puts late usage and carried-over amounts in the month whose invoice has them', async () => {
    const web = testResource(acme.id);
    await stopTestClock('2027-04-30T14:00:00Z');
    // 10 h × 0.024 = 0.24: too little to charge.
    await holds(web, 'compute_vcpu', '1');
    await stopTestClock('2027-05-01T00:00:00Z');
    await holds(web, 'compute_vcpu', '0');
    await stopTestClock('2027-05-02T00:00:00Z');
    expect(await closeMonths()).toBe(1);
    await egress(web, 100n * GIB, '2027-04-30T20:00:00Z');
    // Egress of the 30th, recorded on the 2nd: in May's spend at once, and on its invoice.
    const late = { key: '2027-04-30', name: '2027-04-30', day: '2027-04-30', amount_usd: 1 };
    expect(await overview()).toMatchObject({ month_to_date_usd: 1, last_month_usd: 0.24 });
    expect((await breakdown('day')).items).toMatchObject([
      late,
      { day: '2027-05-01', amount_usd: 0 },
      { amount_usd: 0 },
    ]);
    await stopTestClock('2027-06-02T00:00:00Z');
    expect(await closeMonths()).toBe(1);
    const may = await breakdown('day', '2027-05');
    expect(may.total_usd).toBe(1.24);
    expect(may.items[0]).toEqual(late);
    expect(may.items.at(-1)).toMatchObject({ key: 'carried_over', amount_usd: 0.24 });
    expect((await overview()).last_month_usd).toBe(1.24);
    const [april] = (await ask<{ number: string }[]>('/billing/invoices')).slice(-1);
    const left = `Left over from invoice ${april?.number}`;
    expect(await amounts('category', '2027-05')).toEqual({ Network: 1, [left]: 0.24 });
  });

  test('includes usage recorded after its month was invoiced at once, at its own price, as budget, freeze and alerts do', async () => {
    const web = testResource(acme.id, 'web');
    const calls = testResource(acme.id, 'resize-images');
    await addRate('function_invocations', '2027-05', '0.05');
    await stopTestClock('2027-05-01T00:00:00Z');
    await holds(web, 'compute_vcpu', '1');
    await stopTestClock('2027-05-02T00:00:00Z');
    await closeMonths();
    await stopTestClock('2027-05-03T00:00:00Z');
    const token = await signIn(acme.users.admin.id);
    const budget = { monthly_limit_usd: 2, enable_quota_freeze: true, notify_emails: ['finance@acme.example'] };
    expect((await call('PUT', '/billing/budget', { token, body: budget })).status).toBe(200);
    // 48 h × 0.024 = 1.152, and 1,000,000 calls at 0.05 for 100,000 = 0.5.
    await counted(calls, 'function_invocations', 1_000_000n, '2027-05-02T12:00:00Z');
    expect(await overview()).toMatchObject({
      month_to_date_usd: 1.652,
      budget: { status: { used_percent: 82.6, frozen: false } },
    });
    const platformBefore = (await platformSpendNow()).spend;

    // 5,000,000 calls of April at 0.02 for 100,000 = 1.
    await counted(calls, 'function_invocations', 5_000_000n, '2027-04-20T12:00:00Z');
    expect((await spendNow(acme.id)).toFixed(6)).toBe('2.652000');
    expect((await platformSpendNow()).spend.minus(platformBefore).toFixed(6)).toBe('1.000000');
    expect(await overview()).toMatchObject({
      month_to_date_usd: 2.652,
      // 696 h are left: × 0.024 = 16.704.
      forecast_usd: 19.356,
      burn_usd_per_hour: 0.024,
      budget: {
        status: { month_to_date_usd: 2.652, used_percent: 132.6, frozen: true, reached_at: '2027-05-03T00:00:00.000Z' },
      },
      by_category: [
        { category: 'compute', month_to_date_usd: 1.152, forecast_usd: 17.856 },
        { category: 'functions', month_to_date_usd: 1.5, forecast_usd: 1.5 },
      ],
      by_day: [
        { day: '2027-04-20', amount_usd: 1 },
        { day: '2027-05-01', amount_usd: 0.576 },
        { day: '2027-05-02', amount_usd: 1.076 },
        { day: '2027-05-03', amount_usd: 0 },
      ],
    });
    expect(await amounts('resource')).toEqual({ 'resize-images': 1.5, web: 1.152 });
    expect((await breakdown('metric')).items[0]).toMatchObject({
      metric: 'function_invocations',
      quantity: 60,
      amount_usd: 1.5,
    });
    const volume = { name: 'data', size_gb: 1 };
    const member = await signIn(acme.users.member.id);
    expect((await call('POST', '/storage/volumes', { token: member, body: volume })).body).toMatchObject({
      error: { code: 'BUDGET_FROZEN' },
    });
    await raiseAlerts();
    expect(
      await query(sql`SELECT crossed_at FROM budget_alerts WHERE project_id = ${acme.id}::uuid AND threshold = 100`),
    ).toEqual([{ crossed_at: new Date('2027-05-03T00:00:00Z') }]);

    await holds(web, 'compute_vcpu', '0');
    await stopTestClock('2027-06-02T00:00:00Z');
    expect(await closeMonths()).toBe(1);
    type Lines = { subtotal_usd: number; lines: { metric: string; used_in: string; amount_usd: number }[] };
    const [invoice] = await ask<Lines[]>('/billing/invoices');
    expect(invoice?.lines.map(({ metric, used_in, amount_usd }) => [metric, used_in, amount_usd])).toEqual([
      ['compute_vcpu', '2027-05', 1.15],
      ['function_invocations', '2027-05', 0.5],
      ['function_invocations', '2027-04', 1],
    ]);
    expect([(await breakdown('day', '2027-05')).total_usd, invoice?.subtotal_usd]).toEqual([2.65, 2.65]);
    expect(await overview()).toMatchObject({ month_to_date_usd: 0, last_month_usd: 2.65 });
  });

  test('sums up everything beyond five hundred resources', async () => {
    await execute(sql`INSERT INTO spans (project_id, metric, resource_type, resource_id, resource_name, quantity, started_at, ended_at)
      SELECT ${acme.id}::uuid, 'compute_vcpu', 'instance', gen_random_uuid(), 'vm-' || n, n, '2027-04-01T00:00:00Z', '2027-04-01T01:00:00Z'
      FROM generate_series(1, 510) AS n`);
    await stopTestClock('2027-05-01T00:00:00Z');
    const { total_usd, items } = await breakdown('resource', '2027-04');
    // 1 + … + 510 = 130,305 vCPU-hours × 0.024 = 3127.32; the ten smallest have 55: 1.32.
    expect([total_usd, items.length, items[0]?.name]).toEqual([3127.32, 501, 'vm-510']);
    expect(items.at(-1)).toEqual({ key: 'others', name: '10 more resources', amount_usd: 1.32 });
  });

  test('of a future month is empty', async () => {
    await stopTestClock('2027-04-10T00:00:00Z');
    expect(await breakdown('day', '2027-05')).toEqual({ month: '2027-05', by: 'day', total_usd: 0, items: [] });
  });

  test('and everything else covers this project only', async () => {
    const other = await createProject('other');
    await april();
    await stopTestClock('2027-04-06T12:00:00Z');
    for (const by of breakdownKinds) {
      expect(await ask<Breakdown>(`/billing/breakdown?by=${by}`, other)).toMatchObject({ total_usd: 0 });
    }
    expect(await ask<Overview>('/billing/overview', other)).toMatchObject({ month_to_date_usd: 0, by_category: [] });
    for (const list of ['running', 'usage', 'credits']) expect(await ask(`/billing/${list}`, other)).toEqual([]);
    expect(await ask('/billing/stats', other)).toMatchObject({ metrics: [] });
  });

  test.each([
    ['/billing/breakdown?by=colour', 'by'],
    ['/billing/breakdown?month=2027-13', 'month'],
    ['/billing/stats?month=yesterday', 'month'],
    ['/billing/usage?from=2027-02-30', 'from'],
    ['/billing/usage?from=2027-04-03&to=2027-04-02', 'to'],
    ['/billing/usage?from=2025-01-01&to=2027-01-01', 'from'],
    ['/billing/usage?cursor=xyz', 'cursor'],
  ])('refuses %s', async (path, field) => {
    await stopTestClock('2027-04-10T00:00:00Z');
    const answer = await call('GET', path, { token: await signIn(acme.users.reader.id) });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(`${field}:`)]);
  });
});

test('the statistics show the amount of each metric, in total and now', async () => {
  await april();
  await stopTestClock('2027-04-06T12:00:00Z');
  const shown = ({ metrics }: Stats) =>
    metrics.map(({ metric, quantity, unit, amount_usd, open_quantity }) => [
      metric,
      quantity,
      unit,
      amount_usd,
      open_quantity,
    ]);
  expect(shown(await ask<Stats>('/billing/stats'))).toEqual([
    ['compute_vcpu', 168, 'vCPU-hour', 4.032, 1],
    ['compute_memory', 216, 'GB-hour', 0.864, 0],
    ['block_storage', 3.6, 'GB-month', 0.288, 36],
    // 5 GiB × 60 h ÷ 720 h
    ['image_storage', 0.416667, 'GB-month', null, 5],
    ['network_egress', 3, 'GB', 0.03, 0],
  ]);
  await stopTestClock('2027-05-20T00:00:00Z');
  const past = shown(await ask<Stats>('/billing/stats?month=2027-04'));
  expect(past.slice(0, 2)).toEqual([
    ['compute_vcpu', 756, 'vCPU-hour', 18.14, 0],
    ['compute_memory', 216, 'GB-hour', 0.86, 0],
  ]);
});

describe('the list of running costs', () => {
  test('shows resources by cost, highest first, in pages', async () => {
    const { web, db } = await april();
    await stopTestClock('2027-04-06T12:00:00Z');
    const list = await ask<Running[]>('/billing/running');
    expect(list).toMatchObject([
      {
        resource: { type: 'instance', id: db.id, name: 'db' },
        category: 'compute',
        metrics: [{ metric: 'compute_vcpu', quantity: 1, unit: 'vCPU' }],
        usd_per_hour: 0.024,
        usd_per_month: 17.28,
        since: '2027-04-04T00:00:00.000Z',
      },
      {
        resource: { id: web.id },
        category: 'storage',
        metrics: [{ metric: 'block_storage', quantity: 36, unit: 'GB' }],
        usd_per_hour: 0.004,
        usd_per_month: 2.88,
        since: '2027-04-03T12:00:00.000Z',
      },
      {
        resource: { name: 'img' },
        metrics: [{ metric: 'image_storage', quantity: 5, unit: 'GB' }],
        usd_per_hour: null,
        usd_per_month: null,
      },
    ]);
    const token = await signIn(acme.users.reader.id);
    const paged: unknown[] = [];
    let path: string | undefined = '/billing/running?limit=1';
    while (path) {
      const { body, headers } = await call('GET', path, { token });
      paged.push(...(body as Running[]));
      path = headers.get('link')?.match(/api\/v1(.*)>/)?.[1];
    }
    expect(paged).toEqual(list);
  });
});

describe('daily usage', () => {
  test('has one row per day, metric and resource, with its exact cost', async () => {
    const { web } = await april();
    await stopTestClock('2027-04-06T12:00:00Z');
    const rows = await ask<Usage[]>(`/billing/usage?resource_id=${web.id}`);
    expect(
      rows.map(({ day, metric, quantity, unit, amount_usd }) => [day, metric, quantity, unit, amount_usd]),
    ).toEqual([
      ['2027-04-06', 'block_storage', 0.6, 'GB-month', 0.048],
      ['2027-04-05', 'block_storage', 1.2, 'GB-month', 0.096],
      ['2027-04-05', 'compute_memory', 72, 'GB-hour', 0.288],
      ['2027-04-05', 'compute_vcpu', 36, 'vCPU-hour', 0.864],
      ['2027-04-05', 'network_egress', 3, 'GB', 0.03],
      ['2027-04-04', 'block_storage', 1.2, 'GB-month', 0.096],
      ['2027-04-04', 'compute_memory', 96, 'GB-hour', 0.384],
      ['2027-04-04', 'compute_vcpu', 48, 'vCPU-hour', 1.152],
      ['2027-04-03', 'block_storage', 0.6, 'GB-month', 0.048],
      ['2027-04-03', 'compute_memory', 48, 'GB-hour', 0.192],
      ['2027-04-03', 'compute_vcpu', 24, 'vCPU-hour', 0.576],
    ]);
    const only = await ask<Usage[]>(`/billing/usage?metric=compute_vcpu&from=2027-04-04&to=2027-04-05`);
    expect(only.map(({ day, resource }) => `${day} ${resource.name}`).sort()).toEqual([
      '2027-04-04 db',
      '2027-04-04 web',
      '2027-04-05 db',
      '2027-04-05 web',
    ]);
  });

  test('is paged without gaps or repeats, and its CSV has no formulas that a spreadsheet would run', async () => {
    await april();
    await stopTestClock('2027-04-05T19:00:00Z');
    await holds(testResource(acme.id, '=HYPERLINK("x")'), 'compute_vcpu', '1');
    await stopTestClock('2027-04-06T12:00:00Z');
    const all = await ask<Usage[]>('/billing/usage');
    const token = await signIn(acme.users.reader.id);
    const paged: Usage[] = [];
    let path: string | undefined = '/billing/usage?limit=3';
    while (path) {
      const { body, headers } = await call('GET', path, { token });
      paged.push(...(body as Usage[]));
      path = headers.get('link')?.match(/api\/v1(.*)>/)?.[1];
    }
    expect(paged).toEqual(all);
    const csv = await call('GET', '/billing/usage.csv', { token });
    expect(csv.headers.get('content-disposition')).toContain('usage.csv');
    const [header, ...lines] = csv.text.trimEnd().split('\r\n');
    expect(header).toBe('day,metric,resource_type,resource_id,resource_name,quantity,unit,amount_usd');
    expect(lines.map((line) => line.split(',').slice(0, 2))).toEqual(all.map(({ day, metric }) => [day, metric]));
    expect(lines.filter((line) => line.includes(`"'=HYPERLINK(""x"")"`))).toHaveLength(2);
    // 5 GiB for 12 of 720 hours.
    expect(lines.find((line) => line.startsWith('2027-04-06,image_storage'))).toContain(',0.083333,GB-month,');
  });
});

test('the credit ledger shows each movement and the balance after it', async () => {
  const always = raw('(SELECT) AS always');
  const entry = (source: string, amount_usd: string) => ({
    project_id: acme.id,
    source: `${source}-${acme.id}`,
    amount_usd,
    reason: 'because',
    created_by: 'test',
    at: new Date('2027-04-01'),
  });
  await execute(addCredit('top_up', entry('top_up:cs_1', '25'), always));
  await execute(addCredit('grant', entry('grant:1', '10.5'), always));
  await execute(spendCredit('invoice', entry('invoice:1', '30'), always));
  await execute(spendCredit('top_up', entry('refund:1', '5.25'), always));
  const list = await ask<CreditEntry[]>('/billing/credits');
  expect(list.map(({ kind, amount_usd, balance_usd }) => [kind, amount_usd, balance_usd])).toEqual([
    ['refund', -5.25, 0.25],
    ['invoice', -30, 5.5],
    ['grant', 10.5, 35.5],
    ['top_up', 25, 25],
  ]);
  expect(list[3]).toMatchObject({
    reason: 'because',
    reference: `cs_1-${acme.id}`,
    created_at: '2027-04-01T00:00:00.000Z',
  });
  expect(await ask<CreditEntry[]>('/billing/credits?limit=1')).toEqual(list.slice(0, 1));
});
