import { newId } from '@/lib/core/db/id';
import { execute, query, queryOne } from '@/lib/core/db/pool';
import type { Sql } from '@/lib/core/db/sql';
import { raw, sql } from '@/lib/core/db/sql';
import { closeMonths, GRACE_MS } from '@/lib/money/invoices/close';
import { usageToInvoice } from '@/lib/money/metering/usage';
import { spendNow } from '@/lib/money/rating/meter';
import { endOf, type Month, monthAfter, monthOf, startOf } from '@/lib/money/rating/month';
import { type Load, summary } from './load';
import { loadPg, type Make, projectOfCaller } from './pgbench';
import { compare, middle, printRatio } from './ratio';
import { forgetInstances } from './world';

const SPANS = 100_000;
const TENANTS = 1_000;
const READS = 200;
const SECONDS = 2;
const METRICS = ['compute_vcpu', 'compute_memory', 'block_storage', 'gpu_slice'];

/**
 * Measures spend, the closing of a month, and the freeze's cost per admission. @param make a guarded create, as
 * composed by `admission`
 */
export async function measureMoney(url: string, make: Make): Promise<void> {
  await measureSpend();
  await measureFreeze(url, make);
  await measureClosing();
}

/** Inserts open spans of many resources, with the accruals that triggers would have written. */
async function openSpans(projectId: string, count: number): Promise<void> {
  await execute(sql`
    INSERT INTO spans (project_id, metric, resource_type, resource_id, resource_name, quantity, started_at)
    SELECT ${projectId}::uuid, (${METRICS}::text[])[1 + n % 4], 'instance', gen_random_uuid(), 'web', 1 + n % 7, platform_now() - interval '1 hour'
    FROM generate_series(1, ${count}::int) AS n`);
  await execute(sql`
    INSERT INTO accruals (project_id, metric, open_quantity, as_of) SELECT project_id, metric, sum(quantity), min(started_at)
    FROM spans WHERE project_id = ${projectId}::uuid AND ended_at IS NULL GROUP BY 1, 2`);
}

async function measureSpend(): Promise<void> {
  const [few, many] = [projectOfCaller(0), projectOfCaller(1)];
  await openSpans(few, 10);
  await openSpans(many, SPANS);
  await execute(raw('VACUUM ANALYZE spans, accruals'));
  const read = (project: string) => () => timed(READS, () => spendNow(project));
  const [late, early] = await compare('p50_ms', read(many), read(few));
  printRatio(
    `Spend now at ${SPANS.toLocaleString('en')} open spans to 10`,
    late.p50_ms / early.p50_ms,
    times(late, early),
    {
      text: '≤ 1.2',
      met: late.p50_ms / early.p50_ms <= 1.2,
    },
  );
}

/** Compares the same create in projects with and without a freezing budget, both with spend to compute. */
async function measureFreeze(url: string, make: Make): Promise<void> {
  const create = async (freezes: boolean) => {
    await forgetInstances();
    await execute(sql`UPDATE project_accounts SET budget_freezes = ${freezes}::boolean, budget_limit_usd = 99999999`);
    return loadPg(url, make, newId, 1, SECONDS);
  };
  await create(true);
  const [frozen, free] = await compare(
    'p50_ms',
    () => create(true),
    () => create(false),
  );
  const ratio = frozen.perSecond / free.perSecond;
  const detail = `${Math.round(frozen.perSecond)}/s (p50 ${frozen.p50_ms.toFixed(2)} ms) to ${Math.round(free.perSecond)}/s (p50 ${free.p50_ms.toFixed(2)} ms)`;
  printRatio('Admission with freeze evaluation to without', ratio, detail, { text: '≥ 0.9', met: ratio >= 0.9 });
}

/**
 * Closes a month of many tenants, each with its share of the spans, and runs the aggregation alone before and after.
 */
async function measureClosing(): Promise<void> {
  // The latest month that may be closed.
  const month = monthAfter(monthOf(new Date(Date.now() - GRACE_MS)), -1);
  await execute(raw("UPDATE project_accounts SET billed_until = '2100-01-01'"));
  await execute(sql`
    WITH made AS (
      INSERT INTO projects (id, name, slug, status, created_at, updated_at)
      SELECT gen_random_uuid(), 'tenant ' || n, 'tenant-' || n, 'active', ${startOf(month)}::timestamptz, now()
      FROM generate_series(1, ${TENANTS}::int) AS n RETURNING id)
    INSERT INTO project_accounts (project_id) SELECT id FROM made`);
  await execute(sql`
    INSERT INTO spans (project_id, metric, resource_type, resource_id, resource_name, quantity, started_at, ended_at)
    SELECT p.id, (${METRICS}::text[])[1 + n % 4], 'instance', gen_random_uuid(), 'web', 1 + n % 7, ${startOf(month)}::timestamptz + n * interval '1 hour',
      ${startOf(month)}::timestamptz + (n + 30) * interval '1 hour'
    FROM projects p, generate_series(1, ${SPANS / TENANTS}::int) AS n WHERE p.name LIKE 'tenant %'`);
  await execute(raw('VACUUM ANALYZE spans, projects, project_accounts'));
  const plain = () => timed(1, () => query(plainAggregation(month)));
  const before = [await plain(), await plain()];
  const closing = await timed(1, async () => {
    const closed = await closeMonths();
    if (closed !== TENANTS) throw new Error(`${closed} invoices, not ${TENANTS}`);
  });
  const alone = middle([...before, await plain()], 'p50_ms');
  const rate = (load: Load) => `${Math.round((SPANS * 1000) / load.p50_ms).toLocaleString('en')} spans/s`;
  const ratio = alone.p50_ms / closing.p50_ms;
  printRatio(
    `Closing ${TENANTS.toLocaleString('en')} tenants to the same as plain SQL`,
    ratio,
    `${rate(closing)} (${Math.round(closing.p50_ms)} ms) to ${rate(alone)} (${Math.round(alone.p50_ms)} ms)`,
    { text: '≥ 0.5', met: ratio >= 0.5 },
  );
  await requireInvoices(month);
}

/** Rates and rounds the lines of all invoices of a month without writing them. */
function plainAggregation(month: Month): Sql {
  return sql`
    SELECT project_id, metric, quantity, cents_of(quantity * m.unit_share * rate_in(metric, used_in)
      * CASE m.basis WHEN 'month' THEN 1 WHEN 'hour' THEN div(seconds, 3600) ELSE seconds END, seconds) AS amount_usd
    FROM (SELECT project_id, metric, used_in, sum(quantity) AS quantity, seconds_between(${startOf(month)}::timestamptz, ${endOf(month)}::timestamptz) AS seconds
      FROM (${usageToInvoice(raw('true'), month)}) AS usage GROUP BY 1, 2, 3) AS used JOIN metrics m ON m.name = metric`;
}

async function requireInvoices(month: Month): Promise<void> {
  const row = await queryOne<{
    n: number;
  }>(sql`SELECT count(*)::int AS n FROM invoice_lines l JOIN invoices i ON i.id = l.invoice_id
    WHERE i.month = ${`${month}-01`}::date`);
  if (row?.n !== TENANTS * METRICS.length) throw new Error(`${row?.n} lines, not ${TENANTS * METRICS.length}`);
}

async function timed(count: number, run: () => Promise<unknown>): Promise<Load> {
  const spent: number[] = [];
  const began = performance.now();
  for (let time = 0; time < count; time++) {
    const sentAt = performance.now();
    await run();
    spent.push(performance.now() - sentAt);
  }
  return summary(spent, (performance.now() - began) / 1000);
}

const times = (one: Load, other: Load) => `p50 ${one.p50_ms.toFixed(2)} ms to ${other.p50_ms.toFixed(2)} ms`;
