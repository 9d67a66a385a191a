import { afterEach, describe, expect, test } from 'vitest';
import { execute, query, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { startWorker } from '@/lib/core/operations/worker';
import { foldUsage, recordUsage } from '@/lib/money/metering/usage-events';
import { stopTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { credit, holds, spend, testResource } from '@/lib/testing/money';
import { api, createProject, signIn, type TestProject } from '@/lib/testing/world';
import { alertJobs, raiseAlerts } from './schedule';

testDatabase();
const call = api();
const START = '2027-03-10T00:00:00Z';
const at = (moment: string, ms = 0) => stopTestClock(new Date(new Date(moment).getTime() + ms).toISOString());
afterEach(() => stopTestClock(START));

async function setBudget(project: TestProject, budget: Record<string, unknown>) {
  const token = await signIn(project.users.admin.id);
  const body = { notify_emails: ['finance@acme.example'], ...budget };
  const { status, text } = await call('PUT', '/billing/budget', { token, body });
  expect(status, text).toBe(200);
}

/** A project with this budget that spends 0.24 USD per hour (10 vCPUs at 0.024). */
async function spending(name: string, budget: Record<string, unknown> = { monthly_limit_usd: 2.4 }) {
  const project = await createProject(name);
  const machine = testResource(project.id);
  await setBudget(project, budget);
  await holds(machine, 'compute_vcpu', '10');
  return { project, machine };
}

type Raised = { threshold: number; month: string; crossed_at: string; spend: number; frozen: boolean };
async function raisedOf({ id }: { id: string }): Promise<Raised[]> {
  const rows = await query<Omit<Raised, 'crossed_at'> & { crossed_at: Date }>(sql`
    SELECT threshold, to_char(month, 'YYYY-MM') AS month, crossed_at, spend_usd::float8 AS spend, frozen
    FROM budget_alerts WHERE project_id = ${id}::uuid ORDER BY crossed_at, threshold`);
  return rows.map((row) => ({ ...row, crossed_at: row.crossed_at.toISOString() }));
}
const percents = async (project: TestProject) => (await raisedOf(project)).map(({ threshold }) => threshold);
async function dueOf({ id }: TestProject): Promise<string | undefined> {
  const row = await queryOne<{ due_at: Date }>(sql`SELECT due_at FROM alert_schedule WHERE project_id = ${id}::uuid`);
  return row?.due_at.toISOString();
}

test('each threshold, and always 100 %, alerts at its computed moment and not a millisecond earlier', async () => {
  await at(START);
  const { project } = await spending('exact');
  await raiseAlerts();
  expect(await raisedOf(project)).toEqual([]);
  const moments: [number, string][] = [
    [50, '2027-03-10T05:00:00.000Z'],
    [80, '2027-03-10T08:00:00.000Z'],
    [90, '2027-03-10T09:00:00.000Z'],
    [100, '2027-03-10T10:00:00.000Z'],
  ];
  for (const [threshold, moment] of moments) {
    expect(await dueOf(project)).toBe(moment);
    await at(moment, -1);
    expect(await raiseAlerts()).toBe(0);
    await at(moment);
    expect(await raiseAlerts()).toBe(1);
    expect((await raisedOf(project)).at(-1)).toEqual({
      threshold,
      month: '2027-03',
      crossed_at: moment,
      spend: (2.4 * threshold) / 100,
      frozen: false,
    });
    expect(await raiseAlerts()).toBe(0);
  }
  expect(await dueOf(project), 'nothing is left to look at this month').toBe('2027-04-01T00:00:00.000Z');
});

test('after downtime, alerts are dated by the moment the threshold was reached', async () => {
  await at(START);
  const { project } = await spending('late');
  await at('2027-03-12T00:00:00Z');
  await raiseAlerts();
  expect((await raisedOf(project)).map(({ threshold, crossed_at }) => [threshold, crossed_at])).toEqual([
    [50, '2027-03-10T05:00:00.000Z'],
    [80, '2027-03-10T08:00:00.000Z'],
    [90, '2027-03-10T09:00:00.000Z'],
    [100, '2027-03-10T10:00:00.000Z'],
  ]);
});

test('many concurrent workers raise each alert once, with one delivery per receiver', async () => {
  await at(START);
  const { project } = await spending('raced', {
    monthly_limit_usd: 2.4,
    notify_emails: ['a@x.example', 'b@x.example'],
  });
  await at('2027-03-10T08:00:00Z');
  const counts = await Promise.all(Array.from({ length: 8 }, () => raiseAlerts()));
  expect(counts.reduce((sum, count) => sum + count)).toBe(2);
  const deliveries = await query<{ line: string }>(sql`
    SELECT a.threshold || ' ' || d.target AS line FROM alert_deliveries d JOIN budget_alerts a ON a.id = d.alert_id
    JOIN operations o ON o.resource_id = d.id AND o.kind = 'alert.deliver' WHERE d.project_id = ${project.id}::uuid ORDER BY 1`);
  expect(deliveries.map(({ line }) => line)).toEqual([
    '50 a@x.example',
    '50 b@x.example',
    '80 a@x.example',
    '80 b@x.example',
  ]);
});

test('new or counted usage moves the alert earlier, and less usage later', async () => {
  await at(START);
  const { project, machine } = await spending('moving');
  const other = testResource(project.id, 'other');
  await raiseAlerts();
  await holds(other, 'compute_vcpu', '10');
  expect(await dueOf(project), 'it is looked at anew at once').toBe(new Date(START).toISOString());
  await raiseAlerts();
  expect(await dueOf(project)).toBe('2027-03-10T02:30:00.000Z');
  await holds(machine, 'compute_vcpu', '0');
  await at('2027-03-10T02:30:00Z');
  await raiseAlerts();
  expect([await percents(project), await dueOf(project)]).toEqual([[], '2027-03-10T05:00:00.000Z']);
  // 0.60 are spent; another 0.60 at once make half of the budget.
  await spend(project.id, 600_000);
  await raiseAlerts();
  expect(await percents(project)).toEqual([50]);
});

test('a raised limit rearms thresholds that are no longer reached, and 100 % can alert again', async () => {
  await at(START);
  const { project } = await spending('raised', { monthly_limit_usd: 2.4, enable_quota_freeze: true });
  await at('2027-03-10T10:00:00Z');
  await raiseAlerts();
  expect((await raisedOf(project)).map(({ threshold, frozen }) => `${threshold} ${frozen}`)).toEqual([
    '50 true',
    '80 true',
    '90 true',
    '100 true',
  ]);
  await credit(project.id, '0.24');
  await at('2027-03-10T11:00:00Z');
  expect(await raiseAlerts(), 'credit lifts the freeze and changes no limit').toBe(0);
  await setBudget(project, { monthly_limit_usd: 4.8, enable_quota_freeze: true, thresholds: [50, 60, 80] });
  expect(await raiseAlerts(), '50 % of 4.80 were passed, and told for the lower limit').toBe(0);
  expect(await dueOf(project)).toBe('2027-03-10T12:00:00.000Z');
  await at('2027-03-10T20:00:00Z');
  expect(await raiseAlerts()).toBe(3);
  expect((await raisedOf(project)).slice(4).map(({ threshold, crossed_at }) => [threshold, crossed_at])).toEqual([
    [60, '2027-03-10T12:00:00.000Z'],
    [80, '2027-03-10T16:00:00.000Z'],
    [100, '2027-03-10T20:00:00.000Z'],
  ]);
  expect(await raiseAlerts()).toBe(0);
});

test('a limit raised to less than the spend repeats no alert, and sends those never sent', async () => {
  await at(START);
  const { project } = await spending('raised-too-little', { monthly_limit_usd: 2.4, thresholds: [] });
  await at('2027-03-10T11:00:00Z');
  await raiseAlerts();
  await setBudget(project, { monthly_limit_usd: 2.5, thresholds: [90] });
  await raiseAlerts();
  expect(await percents(project)).toEqual([90, 100]);
});

test('a lowered limit alerts at the thresholds now reached, and a restored limit repeats no alert', async () => {
  await at(START);
  const { project } = await spending('lowered', { monthly_limit_usd: 4.8, thresholds: [50] });
  await at('2027-03-10T11:00:00Z');
  await raiseAlerts();
  await setBudget(project, { monthly_limit_usd: 2.4, thresholds: [50] });
  await raiseAlerts();
  expect((await percents(project)).sort()).toEqual([100, 50, 50]);
  for (const monthly_limit_usd of [4.8, 2.4]) await setBudget(project, { monthly_limit_usd, thresholds: [50] });
  expect(await raiseAlerts()).toBe(0);
});

describe('thresholds reached in a month are alerted after its end', () => {
  const LATE = '2027-03-31T14:00:00Z';

  /** Reaches 100 % of 2.40 at the last millisecond of March. */
  async function untilMidnight(name: string) {
    await at(LATE, -1);
    const { project, machine } = await spending(name, { monthly_limit_usd: 2.4, thresholds: [] });
    await raiseAlerts();
    return { project, machine };
  }
  const told = async (project: TestProject) =>
    (await raisedOf(project)).map(({ month, threshold, crossed_at }) => `${month} ${threshold} ${crossed_at}`);
  const lastMoment = ['2027-03 100 2027-03-31T23:59:59.999Z'];

  test('in its last millisecond, by the first check of the next month', async () => {
    const { project, machine } = await untilMidnight('last-moment');
    await at('2027-04-01T00:00:00Z');
    await holds(machine, 'compute_vcpu', '0');
    await at('2027-04-01T00:00:01Z');
    expect(await raiseAlerts()).toBe(1);
    expect(await told(project)).toEqual(lastMoment);
    expect(await raiseAlerts()).toBe(0);
  });

  test('for each month separately after months without a worker', async () => {
    await at('2027-03-20T00:00:00Z');
    const { project } = await spending('away', { monthly_limit_usd: 24, thresholds: [50] });
    await raiseAlerts();
    await at('2027-05-02T00:00:00Z');
    await raiseAlerts();
    expect(await told(project)).toEqual([
      '2027-03 50 2027-03-22T02:00:00.000Z',
      '2027-03 100 2027-03-24T04:00:00.000Z',
      '2027-04 50 2027-04-03T02:00:00.000Z',
      '2027-04 100 2027-04-05T04:00:00.000Z',
    ]);
    expect(await dueOf(project)).toBe('2027-05-03T02:00:00.000Z');
  });

  test('by the limit at the end of the month, whatever it is now', async () => {
    const { project } = await untilMidnight('limit-then');
    await at('2027-04-01T00:00:01Z');
    await setBudget(project, { monthly_limit_usd: 1000, thresholds: [] });
    await raiseAlerts();
    expect(await told(project)).toEqual(lastMoment);
    expect(
      await queryOne(sql`SELECT limit_usd::float8 AS limit, frozen FROM budget_alerts
      WHERE project_id = ${project.id}::uuid`),
    ).toEqual({ limit: 2.4, frozen: false });
  });

  test('but not for a budget that was set after it', async () => {
    await at('2027-03-31T00:00:00Z');
    const project = await createProject('set-later');
    await holds(testResource(project.id), 'compute_vcpu', '10');
    await at('2027-04-01T00:00:01Z');
    await setBudget(project, { monthly_limit_usd: 2.4 });
    expect(await raiseAlerts()).toBe(0);
  });

  test('when usage of its last second becomes known after the first check', async () => {
    await at('2027-03-31T23:59:59Z');
    const { project } = await spending('known-late', { monthly_limit_usd: 2.4, thresholds: [] });
    await recordUsage([
      {
        key: `test:${project.id}`,
        project_id: project.id,
        metric: 'ai_prompt_tokens',
        resource_type: 'model',
        resource_id: project.id,
        resource_name: 'model',
        quantity: 20_000_000n,
        occurred_at: new Date('2027-03-31T23:59:59.500Z'),
      },
    ]);
    await at('2027-04-01T00:00:00Z');
    expect(await raiseAlerts()).toBe(0);
    await foldUsage();
    expect(await raiseAlerts()).toBe(1);
    expect(await told(project)).toEqual(lastMoment);
  });

  test('once, for any number of workers, even if one dies before it records the check', async () => {
    const { project } = await untilMidnight('crashing');
    await at('2027-04-01T00:00:01Z');
    // Each check dies where it would store the time of the next one.
    await execute(sql`ALTER TABLE alert_schedule ADD CONSTRAINT dies CHECK (month < '2027-04-01') NOT VALID`);
    for (let look = 0; look < 3; look++) await expect(raiseAlerts()).rejects.toThrow(/dies/);
    await execute(sql`ALTER TABLE alert_schedule DROP CONSTRAINT dies`);
    await Promise.all(Array.from({ length: 4 }, () => raiseAlerts()));
    expect(await told(project)).toEqual(lastMoment);
    expect(await query(sql`SELECT FROM alert_deliveries WHERE project_id = ${project.id}::uuid`)).toHaveLength(1);
  });
});

test('a new month starts from zero, at its own rates', async () => {
  await at(START);
  const { project } = await spending('monthly', { monthly_limit_usd: 2.4, thresholds: [] });
  await at('2027-03-10T10:00:00Z');
  await raiseAlerts();
  await query(sql`INSERT INTO rates (id, metric, effective_from, price_usd, created_by, created_at)
    VALUES (gen_random_uuid(), 'compute_vcpu', '2027-04-01', 0.048, 'test', now())`);
  await at('2027-04-01T00:00:00Z');
  await raiseAlerts();
  expect(await dueOf(project)).toBe('2027-04-01T05:00:00.000Z');
  await at('2027-04-01T05:00:00Z');
  await raiseAlerts();
  expect((await raisedOf(project)).map(({ threshold, month }) => [month, threshold])).toEqual([
    ['2027-03', 100],
    ['2027-04', 100],
  ]);
});

test('a project without a budget never alerts', async () => {
  await at(START);
  const { project } = await spending('boundless', { monthly_limit_usd: null });
  await spend(project.id, 100_000_000);
  await at('2027-03-20T00:00:00Z');
  await raiseAlerts();
  expect(await raisedOf(project)).toEqual([]);
});

test('running workers raise it on their own, once', async () => {
  await at(START);
  const { project } = await spending('by-itself');
  const workers = [1, 2].map(() => startWorker({ steps: [], jobs: alertJobs }));
  try {
    await at('2027-03-10T05:00:00Z');
    await expect.poll(() => percents(project), { timeout: 30_000 }).toEqual([50]);
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
  expect(await percents(project)).toEqual([50]);
});
