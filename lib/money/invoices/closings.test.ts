import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute, query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { projectSince } from '@/lib/testing/metered';
import { api, createUser, signIn, type TestProject } from '@/lib/testing/world';
import { closeMonths } from './close';

testDatabase();
const call = api();
let root: string;
beforeAll(async () => {
  root = (await createUser('root@example.test', 'backoffice')).id;
});
afterEach(() => setTestClock(0));

const at = (moment: string) => setTestClock(new Date(moment).getTime() - Date.now());
// Sessions last a day, and the clock of these tests moves by months.
const administrator = () => signIn(root, 'backoffice');
const close = async (month: string) =>
  call('POST', '/admin/api/v1/billing/closings', { token: await administrator(), body: { month } });
const invoicesOf = (project: TestProject) =>
  query<{ month: string }>(sql`SELECT to_char(month, 'YYYY-MM') AS month, number, due_usd FROM invoices
    WHERE project_id = ${project.id}::uuid ORDER BY number`);

/** A project with one vCPU from the start of a month until a day, and no other project left to close. */
async function metered(month: string, until: string): Promise<TestProject> {
  const project = await projectSince(month);
  await execute(sql`INSERT INTO spans (project_id, metric, resource_type, resource_id, resource_name, quantity, started_at, ended_at)
    VALUES (${project.id}::uuid, 'compute_vcpu', 'instance', ${newId()}::uuid, 'web', 1, ${`${month}-01T00:00:00Z`}::timestamptz,
      ${`${until}T00:00:00Z`}::timestamptz)`);
  return project;
}

test('the back office shows the progress of closing each month', async () => {
  await metered('2027-06', '2027-06-20');
  const june = async () => {
    const { body } = await call('GET', '/admin/api/v1/billing/closings', { token: await administrator() });
    return (body as { month: string }[]).find(({ month }) => month === '2027-06');
  };
  await at('2027-06-30T23:00:00Z');
  expect(await june()).toMatchObject({ state: 'running', projects_left: 1, closed_at: null });
  await at('2027-07-01T05:00:00Z');
  expect(await june()).toMatchObject({ state: 'ended', projects_left: 1, closes_at: '2027-07-01T06:00:00.000Z' });
  await at('2027-07-01T07:00:00Z');
  expect(await june()).toMatchObject({ state: 'due', projects_left: 1 });
  await closeMonths();
  expect(await june()).toMatchObject({
    state: 'closed',
    closed_at: expect.stringMatching(/^2027-07-01T07:/),
    projects_left: 0,
    invoices: 1,
    due_usd: 10.94,
    paid_usd: 0,
    open_usd: 10.94,
    failed: 0,
  });
});

describe('an administrator', () => {
  test('closes an ended month without its hours of grace, once', async () => {
    const acme = await metered('2028-01', '2028-02-20');
    await at('2028-02-01T00:10:00Z');
    expect(await closeMonths()).toBe(0);
    const closed = { state: 'closed', projects_left: 0, invoices: 1, subtotal_usd: 17.86 };
    expect((await close('2028-01')).body).toMatchObject(closed);
    const before = await invoicesOf(acme);
    expect((await close('2028-01')).body).toMatchObject(closed);
    expect(await invoicesOf(acme)).toEqual(before);
    const [entry] = await query(sql`SELECT action, actor_name, details FROM audit_entries
      WHERE resource_type = 'month' AND resource_id = '2028-01' ORDER BY id LIMIT 1`);
    const details = { month: '2028-01', invoices: 1 };
    expect(entry).toEqual({ action: 'month.close', actor_name: 'root@example.test', details });
  });

  test('also closes the remaining months before, in order', async () => {
    const acme = await metered('2029-01', '2029-03-20');
    await at('2029-03-01T00:10:00Z');
    expect((await close('2029-02')).body).toMatchObject({ state: 'closed', invoices: 1 });
    expect((await invoicesOf(acme)).map(({ month }) => month)).toEqual(['2029-01', '2029-02']);
  });

  test.each([
    ['runs', '2030-02'],
    ['is to come', '2030-03'],
    ['was before the platform', '2019-01'],
  ])('cannot close a month that %s', async (_, month) => {
    const acme = await metered('2030-01', '2030-03-20');
    await at('2030-02-28T23:59:00Z');
    expect((await close(month)).body).toMatchObject({ error: { code: 'CONFLICT', status: 409 } });
    expect(await invoicesOf(acme)).toEqual([]);
  });
});
