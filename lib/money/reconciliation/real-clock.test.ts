import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute, query } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { startWorker } from '@/lib/core/operations/worker';
import { closeMonths } from '@/lib/money/invoices/close';
import { foldUsage, recordUsage } from '@/lib/money/metering/usage-events';
import { type Month, monthAfter, monthOf, startOf } from '@/lib/money/rating/month';
import { billingRules } from '@/lib/platform/checks';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { becomes, createFlavor, instanceRow, projectSince } from '@/lib/testing/metered';
import { credit } from '@/lib/testing/money';
import { api, createUser, signIn, type TestProject } from '@/lib/testing/world';
import { compare } from './compare';
import { reconciliationJobs } from './service';

// These tests use the real clock, which advances between any two reads.

testDatabase();
const call = api();
const day = 86_400;
let flavor: string;
beforeAll(async () => {
  await createCell();
  flavor = await createFlavor({ vcpus: 2, ram_gb: 8, disk_gb: 40 });
});

const traffic = ({ id }: TestProject, occurred_at: Date, quantity = 1000n) => ({
  key: newId(),
  project_id: id,
  metric: 'network_egress' as const,
  resource_type: 'instance',
  resource_id: id,
  resource_name: 'web',
  quantity,
  occurred_at,
});

const begin = () => startOf(monthOf(new Date()));
const found = async ({ id }: TestProject, from = begin()) =>
  (await compare(billingRules, from)).differences.filter(({ project_id }) => project_id === id);

/** A project with a running instance. */
async function running(name: string) {
  const project = await projectSince(monthOf(new Date()), name);
  const web = await instanceRow(project, flavor);
  await becomes('instances', web, 'active');
  return { project, web };
}

test('every check finds wrong live spend, and accepts correct spend', async () => {
  const { project } = await running('live');
  for (let check = 0; check < 15; check++) expect(await found(project)).toEqual([]);
  await execute(
    sql`UPDATE accruals SET accrued = accrued + 3600 WHERE project_id = ${project.id}::uuid AND metric = 'compute_vcpu'`,
  );
  for (let check = 0; check < 15; check++) {
    expect(await found(project)).toMatchObject([{ kind: 'spend', metric: 'compute_vcpu', resource_id: null }]);
  }
});

test('usage that grows during the comparison is not a difference', async () => {
  const { project, web } = await running('moving');
  let checked = false;
  const mover = (async () => {
    for (let step = 0; !checked; step++) {
      await becomes('instances', web, step % 2 === 0 ? 'stopped' : 'active');
      await recordUsage([traffic(project, new Date())]);
      await foldUsage();
    }
  })();
  try {
    for (let check = 0; check < 15; check++) {
      const differences = await found(project);
      expect(differences.filter(({ kind }) => kind !== 'usage')).toEqual([]);
    }
  } finally {
    checked = true;
    await mover;
  }
  expect(await found(project)).toEqual([]);
});

test('an accrual dated in the future is found', async () => {
  const { project } = await running('ahead');
  await execute(
    sql`UPDATE accruals SET as_of = as_of + interval '1 day' WHERE project_id = ${project.id}::uuid AND metric = 'compute_vcpu'`,
  );
  const [ahead, ...others] = await found(project);
  expect([ahead?.kind, ahead?.metric, ahead?.expected, others]).toEqual(['future', 'compute_vcpu', '0', []]);
  expect(Math.abs(Number(ahead?.billed) - day)).toBeLessThan(60);
});

test('credit that differs from the sum of its entries is found', async () => {
  const { project } = await running('credited');
  await credit(project.id, '10');
  expect(await found(project)).toEqual([]);
  await execute(sql`UPDATE project_accounts SET credit_usd = credit_usd + 2.5 WHERE project_id = ${project.id}::uuid`);
  expect(await found(project)).toMatchObject([
    { kind: 'credit', metric: null, expected: '10.000000', billed: '12.500000' },
  ]);
});

describe('a check up to now (the default)', () => {
  let project: TestProject;
  beforeEach(async () => {
    ({ project } = await running('until-now'));
    await execute(
      sql`UPDATE accruals SET accrued = accrued + 7200 WHERE project_id = ${project.id}::uuid AND metric = 'compute_vcpu'`,
    );
  });

  test('compares live spend and credit when an administrator requests it', async () => {
    await execute(sql`UPDATE project_accounts SET credit_usd = 5 WHERE project_id = ${project.id}::uuid`);
    const token = await signIn((await createUser('root@example.test', 'backoffice')).id, 'backoffice');
    const { body } = await call('POST', '/admin/api/v1/billing/reconciliations', { token, body: {} });
    const report = body as { period_to: string; differences: Record<string, unknown>[] };
    expect(Math.abs(Date.parse(report.period_to) - Date.now())).toBeLessThan(60_000);
    const own = report.differences.filter(({ tenant_id }) => tenant_id === project.id);
    const none = { tenant_id: project.id, resource: null, month: null };
    expect(own).toMatchObject([
      { ...none, kind: 'spend', metric: 'compute_vcpu', unit: 'quantity_hours' },
      { ...none, kind: 'credit', metric: null, expected: 0, billed: 5, unit: 'usd' },
    ]);
    expect(Number(own[0]?.billed) - Number(own[0]?.expected)).toBeCloseTo(2, 4);
  });

  test('finds wrong live spend when the worker runs it', async () => {
    const worker = startWorker({ steps: [], jobs: reconciliationJobs(billingRules) });
    const spend = sql`SELECT FROM reconciliations, jsonb_to_recordset(differences) AS found (kind text, project_id uuid)
      WHERE found.kind = 'spend' AND found.project_id = ${project.id}::uuid`;
    try {
      await expect.poll(async () => (await query(spend)).length, { timeout: 30_000 }).toBe(1);
    } finally {
      await worker.stop();
    }
  });
});

describe('the check of invoices', () => {
  const month = monthAfter(monthOf(new Date()), -2);
  const before = monthAfter(month, -1);
  let project: TestProject;
  let count = 0;
  // 24 GB of egress at 0.010 are 0.24 USD: below the minimum charge, and carried over. The following month 300 GB:
  // 3.00.
  beforeEach(async () => {
    project = await projectSince(before, `billed-${count++}`);
    const left = (gb: bigint, used_in: Month) =>
      traffic(project, new Date(startOf(used_in).getTime() + 5 * day * 1000), gb * 2n ** 30n);
    await recordUsage([left(24n, before), left(300n, month)]);
    await foldUsage();
  });
  const differences = async () =>
    (await found(project, startOf(before))).map(({ kind, month: of, metric, expected, billed }) => [
      kind,
      of,
      metric,
      Number(expected),
      Number(billed),
    ]);
  const own = () =>
    sql`(SELECT id FROM invoices WHERE project_id = ${project.id}::uuid AND month = ${`${month}-01`}::date)`;

  /** Bypasses the database's protection to change data. */
  async function tamper(...changes: Sql[]) {
    const triggers = (state: string) =>
      Promise.all(
        ['invoices', 'invoice_lines'].map((table) => execute(raw(`ALTER TABLE ${table} ${state} TRIGGER USER`))),
      );
    await triggers('DISABLE');
    for (const change of changes) await execute(change);
    await triggers('ENABLE');
  }

  test('finds nothing when they are correct, including a carried-over amount', async () => {
    expect(await closeMonths()).toBe(2);
    expect(await differences()).toEqual([]);
  });

  test('finds a month that nobody closed', async () => {
    expect(await differences()).toEqual([
      ['missing', before, null, 0.24, 0],
      ['missing', month, null, 3, 0],
    ]);
  });

  test('finds a closed month with usage but without an invoice', async () => {
    await closeMonths();
    const [invoice] = await query<{ id: string }>(own());
    await tamper(
      sql`DELETE FROM invoice_payments WHERE invoice_id = ${invoice?.id}::uuid`,
      sql`DELETE FROM invoice_lines WHERE invoice_id = ${invoice?.id}::uuid`,
      sql`DELETE FROM invoices WHERE id = ${invoice?.id}::uuid`,
    );
    expect(await differences()).toEqual([['missing', month, null, 3, 0]]);
  });

  test('finds a changed line amount, in the line and in the sum', async () => {
    await closeMonths();
    await tamper(
      sql`UPDATE invoice_lines SET amount_usd = amount_usd + 1 WHERE invoice_id = ${own()} AND kind = 'usage'`,
    );
    expect(await differences()).toEqual([
      ['amount', month, 'network_egress', 3, 4],
      ['amount', month, null, 4.24, 3.24],
    ]);
  });

  test('finds a carried-over amount that differs from the earlier invoice', async () => {
    await closeMonths();
    await tamper(
      sql`UPDATE invoice_lines SET amount_usd = 0.25 WHERE invoice_id = ${own()} AND kind = 'carried_over'`,
      sql`UPDATE invoices SET subtotal_usd = 3.25, due_usd = 3.25 WHERE id = ${own()}`,
      sql`UPDATE invoice_payments SET due_usd = 3.25 WHERE invoice_id = ${own()}`,
    );
    expect(await differences()).toEqual([['amount', month, null, 0.24, 0.25]]);
  });

  test('finds a sum that is not charged', async () => {
    await closeMonths();
    await tamper(sql`UPDATE invoice_payments SET due_usd = 2 WHERE invoice_id = ${own()}`);
    expect(await differences()).toEqual([['amount', month, null, 3.24, 2]]);
  });
});
