import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { execute, query, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { idOf, launch } from '@/lib/testing/machines';
import { credit, holds, spend, testResource } from '@/lib/testing/money';
import { race } from '@/lib/testing/race';
import { api, createProject, type TestProject } from '@/lib/testing/world';

testDatabase();
const call = api();
let acme: TestProject;

beforeEach(async () => {
  await setTestClock(0);
  await createCell();
  acme = await createProject('acme');
});
afterEach(() => setTestClock(0));

const USD = 1_000_000;
const budget = { monthly_limit_usd: 10, enable_quota_freeze: true };
const put = (body: object, headers: Record<string, string> = {}) =>
  call('PUT', '/billing/budget', { token: acme.users.admin.token, body, headers });
const get = () => call('GET', '/billing/budget', { token: acme.users.reader.token });
const createVolume = (name = 'data') =>
  call('POST', '/storage/volumes', { token: acme.users.member.token, body: { name, size_gb: 1 } });
const statusOf = async () => (await get()).body;

describe('the budget', () => {
  test('that was never set reads as none', async () => {
    const answer = await get();
    expect([answer.status, answer.headers.get('etag')]).toEqual([200, '"1"']);
    expect(answer.body).toEqual({
      monthly_limit_usd: null,
      thresholds: [50, 80, 90],
      enable_quota_freeze: false,
      notify_emails: [],
      webhook_url: null,
      updated_at: null,
      status: {
        month: new Date().toISOString().slice(0, 7),
        month_to_date_usd: 0,
        used_percent: null,
        frozen: false,
        frozen_reason: null,
        lift_usd: 0,
        freezes_at: null,
        reached_at: null,
        thresholds: [],
      },
    });
  });

  test('is set as a whole, keeps thresholds sorted and unique, and is audited', async () => {
    const answer = await put({ ...budget, thresholds: [90, 25, 90], notify_emails: ['Finance@Acme.example'] });
    expect([answer.status, answer.headers.get('etag')]).toEqual([200, '"2"']);
    expect(answer.body).toMatchObject({ ...budget, thresholds: [25, 90], notify_emails: ['finance@acme.example'] });
    expect(await queryOne(sql`SELECT action, details FROM audit_entries WHERE project_id = ${acme.id}::uuid`)).toEqual({
      action: 'budget.update',
      details: { enable_quota_freeze: { old: false, new: true }, monthly_limit_usd: { old: null, new: 10 } },
    });
    expect((await put({ monthly_limit_usd: null })).body).toMatchObject({
      monthly_limit_usd: null,
      thresholds: [50, 80, 90],
    });
  });

  test('is not overwritten without its current version', async () => {
    await put(budget, { 'If-Match': '"1"' });
    const stale = await put({ ...budget, monthly_limit_usd: 20 }, { 'If-Match': '"1"' });
    expect([stale.status, stale.body]).toMatchObject([412, { error: { code: 'PRECONDITION_FAILED' } }]);
    expect((await put({ ...budget, monthly_limit_usd: 20 }, { 'If-Match': '"2"' })).status).toBe(200);
  });

  test.each([
    [{ monthly_limit_usd: 0 }, 'monthly_limit_usd'],
    [{ monthly_limit_usd: 1.0000001 }, 'six decimal places'],
    [{ monthly_limit_usd: null, enable_quota_freeze: true }, 'enable_quota_freeze: requires monthly_limit_usd'],
    [{ monthly_limit_usd: 5, thresholds: [0] }, 'thresholds'],
    [{ monthly_limit_usd: 5, webhook_url: 'https://10.0.0.1/hook' }, 'webhook_url: 10.0.0.1 is not on the public'],
  ])('refuses %j', async (body, message) => {
    const answer = await put(body);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(message)]);
  });

  test('is set by admins only', async () => {
    expect((await call('PUT', '/billing/budget', { token: acme.users.member.token, body: budget })).status).toBe(403);
  });
});

describe('the freeze', () => {
  test('stops the first create after the spend has reached the budget, and names spend, budget and who can lift it', async () => {
    await put(budget);
    await spend(acme.id, 10 * USD - 1);
    expect((await createVolume()).status).toBe(201);
    expect(await statusOf()).toMatchObject({
      status: { frozen: false, used_percent: 99.99, month_to_date_usd: 9.999999 },
    });
    await spend(acme.id, 1);
    const refused = await createVolume();
    expect([refused.status, refused.body]).toMatchObject([402, { error: { code: 'BUDGET_FROZEN', status: 402 } }]);
    for (const part of ['$10.00 spent this month of $10.00', 'project admin', 'raising the budget', 'platform']) {
      expect(refused.text).toContain(part);
    }
    expect(await statusOf()).toMatchObject({ status: { frozen: true, used_percent: 100, month_to_date_usd: 10 } });
  });

  test('begins at the computed instant and not a moment earlier', async () => {
    await put({ monthly_limit_usd: 1, enable_quota_freeze: true });
    // 100,000 vCPUs at 0.024 per hour cost two thirds of a USD per second: 1 USD after 1.5 s.
    const began = Date.now();
    await holds(testResource(acme.id), 'compute_vcpu', '100000');
    const early = await createVolume('early');
    if (Date.now() - began < 1500) expect(early.status).toBe(201);
    const span = await queryOne<{ at: Date }>(
      sql`SELECT as_of AS at FROM accruals WHERE project_id = ${acme.id}::uuid AND metric = 'compute_vcpu'`,
    );
    const { status } = (await statusOf()) as { status: { freezes_at: string } };
    expect(new Date(status.freezes_at).getTime() - (span?.at.getTime() ?? 0)).toBe(1500);
    await expect.poll(() => Date.now(), { timeout: 10_000 }).toBeGreaterThan(new Date(status.freezes_at).getTime());
    expect((await createVolume('late')).status).toBe(402);
  });

  test.each([
    ['without enable_quota_freeze', { monthly_limit_usd: 1, enable_quota_freeze: false }],
    ['without a budget', { monthly_limit_usd: null }],
  ])('never happens %s', async (_, body) => {
    await put(body);
    await spend(acme.id, 100 * USD);
    expect((await createVolume()).status).toBe(201);
  });

  test('blocks new instances, new volumes and their growth; not start, snapshots, networks or deletes', async () => {
    const { token } = acme.users.member;
    const volume = idOf(await createVolume());
    const instance = idOf(await launch(call, acme));
    await execute(sql`UPDATE volumes SET status = 'available' WHERE id = ${volume}::uuid`);
    await execute(sql`UPDATE instances SET status = 'stopped', task = NULL WHERE id = ${instance}::uuid`);
    await put(budget);
    await spend(acme.id, 11 * USD);
    const refused = [
      await launch(call, acme, { name: 'more' }),
      await createVolume('more'),
      await call('POST', `/storage/volumes/${volume}/resize`, { token, body: { size_gb: 2 } }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([402, 402, 402]);
    const accepted = [
      await call('POST', `/compute/instances/${instance}/action`, { token, body: { action: 'start' } }),
      await call('POST', '/storage/snapshots', { token, body: { name: 'before', volume_id: volume } }),
      await call('POST', '/network/networks', { token, body: { name: 'more', cidr: '10.9.0.0/24' } }),
      await call('DELETE', `/compute/instances/${instance}`, { token }),
    ];
    expect(accepted.map(({ status }) => status)).toEqual([202, 201, 201, 202]);
  });

  test('is lifted from the very next request by a budget above the spend, and not by one at or below it', async () => {
    await put(budget);
    await spend(acme.id, 12 * USD);
    expect((await put({ ...budget, monthly_limit_usd: 12 })).body).toMatchObject({ status: { frozen: true } });
    expect((await createVolume()).status).toBe(402);
    expect((await put({ ...budget, monthly_limit_usd: 12.01 })).body).toMatchObject({ status: { frozen: false } });
    expect((await createVolume()).status).toBe(201);
  });

  test('is lifted by credit until that much more is spent', async () => {
    await put(budget);
    await spend(acme.id, 12 * USD);
    await credit(acme.id, '3');
    expect((await createVolume('one')).status).toBe(201);
    expect(await statusOf()).toMatchObject({ status: { lift_usd: 5, frozen: false } });
    await spend(acme.id, 3 * USD - 1);
    expect((await createVolume('two')).status).toBe(201);
    await spend(acme.id, 1);
    expect((await createVolume('three')).status).toBe(402);
    // An earlier lift does not keep the project open under a budget at or below the spend.
    expect((await put({ ...budget, monthly_limit_usd: 14 })).body).toMatchObject({
      status: { frozen: true, lift_usd: 0 },
    });
  });

  test('is not delayed by credit from before', async () => {
    await put(budget);
    await credit(acme.id, '100');
    await spend(acme.id, 10 * USD);
    expect((await createVolume()).status).toBe(402);
  });

  test('ends with the month, and so does the lift', async () => {
    await put(budget);
    await spend(acme.id, 12 * USD);
    await credit(acme.id, '3');
    await spend(acme.id, 3 * USD);
    expect((await createVolume()).status).toBe(402);
    const now = new Date();
    await setTestClock(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1, 0, 0, 10) - now.getTime());
    // Sessions of the other month have expired, so this reads the account directly.
    const account =
      await queryOne(sql`SELECT budget_used_up(project_id, budget_limit_usd, budget_lift_usd, budget_lift_month) AS frozen
      FROM project_accounts WHERE project_id = ${acme.id}::uuid`);
    expect(account).toEqual({ frozen: false });
    await spend(acme.id, 10 * USD);
    const again =
      await queryOne(sql`SELECT budget_used_up(project_id, budget_limit_usd, budget_lift_usd, budget_lift_month) AS frozen
      FROM project_accounts WHERE project_id = ${acme.id}::uuid`);
    expect(again).toEqual({ frozen: true });
  });

  test('applies to creates that wait while the spend crosses the budget', async () => {
    await put(budget);
    await spend(acme.id, 9 * USD);
    const crossing = `SELECT FROM project_accounts WHERE project_id = '${acme.id}' FOR UPDATE;
      SELECT accrue('${acme.id}', 'ai_prompt_tokens', 0, 5000000, platform_now())`;
    const answers = await race(
      crossing,
      Array.from({ length: 8 }, (_, n) => () => createVolume(`volume-${n}`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(402));
    expect(await query(sql`SELECT FROM volumes WHERE project_id = ${acme.id}::uuid`)).toEqual([]);
  });

  test('releases creates that wait while credit arrives', async () => {
    await put(budget);
    await spend(acme.id, 10 * USD);
    const paid = `SELECT FROM project_accounts WHERE project_id = '${acme.id}' FOR UPDATE;
      INSERT INTO credit_entries (id, project_id, source, from_account, to_account, amount_usd, reason, created_by, created_at)
      VALUES (gen_random_uuid(), '${acme.id}', 'race', 'top_up', 'credit', 5, 'test', 'test', now())`;
    const answers = await race(
      paid,
      Array.from({ length: 4 }, (_, n) => () => createVolume(`volume-${n}`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(4).fill(201));
  });
});
