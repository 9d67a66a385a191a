import { now } from '@/lib/clock';
import { signalChange } from '@/lib/core/db/changes';
import { hintInsert } from '@/lib/core/db/hint';
import { newId } from '@/lib/core/db/id';
import { queryOne, transaction } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { operationsInsert } from '@/lib/core/operations/enqueue';
import type { PeriodicJob } from '@/lib/core/operations/periodic';
import { billedThrough } from '@/lib/core/quota/account-rows';
import { allTags } from '@/lib/core/tags/filter';
import { log } from '@/lib/log';
import { spendCredit } from '@/lib/money/credit/ledger';
import { metrics } from '@/lib/money/metering/metrics';
import { usageToInvoice } from '@/lib/money/metering/usage';
import type { Month } from '@/lib/money/rating/month';
import { settings } from '@/lib/settings';
import { frozenDetails } from './details';
import { collectInvoice } from './operations';

/** Usage recorded up to this long after a month is still on its invoice; later usage is on the next one. */
export const GRACE_MS = 6 * 60 * 60_000;
/** The smallest card charge that processors accept; a smaller amount is carried over to the next invoice. */
const LEAST_CHARGE_USD = '0.50';
/** Projects closed per transaction. */
const BATCH = 1_000;

const labels = JSON.stringify(
  Object.entries(metrics).map(([metric, { label, category, unit }], position) => ({
    metric,
    label,
    category,
    unit,
    position,
  })),
);

/**
 * Closes every month that has ended and whose grace is over, oldest first: one invoice per project and month, numbered
 * without gaps. Idempotent.
 * @param until an ended month; it and earlier ones are closed without waiting for their grace
 * @returns the number of new invoices
 */
export async function closeMonths(given: { signal?: AbortSignal; until?: Month } = {}): Promise<number> {
  let invoices = 0;
  while (!given.signal?.aborted) {
    const month = await oldestOpenMonth(given.until);
    if (!month) break;
    const closed = await closeBatch(month);
    invoices += closed.invoices;
    if (closed.projects === 0) break;
  }
  if (invoices > 0) {
    log.info({ invoices }, 'months were closed');
    signalChange();
  }
  return invoices;
}

/** The oldest month that is open in some project, if it may be closed now. */
async function oldestOpenMonth(until: Month | undefined): Promise<Month | undefined> {
  const found = await queryOne<{ month: string; ready: boolean }>(sql`
    SELECT to_char(month, 'YYYY-MM') AS month, (month + interval '1 month') AT TIME ZONE 'UTC' + CASE WHEN month <= ${until ? `${until}-01` : null}::date
      THEN interval '0' ELSE ${GRACE_MS}::float8 * interval '1 millisecond' END <= platform_now() AS ready
    FROM (SELECT min(coalesce(a.billed_until, month_of(p.created_at))) AS month
      FROM project_accounts a JOIN projects p ON p.id = a.project_id) AS oldest WHERE month IS NOT NULL`);
  return found?.ready ? found.month : undefined;
}

/**
 * Closes a month of some projects in one transaction. Takes its locks first, so that all that follows reads the state
 * under them.
 */
async function closeBatch(month: Month): Promise<{ projects: number; invoices: number }> {
  const first = `${month}-01`;
  return transaction(async (run) => {
    // Numbers have no gaps, so closers run one at a time.
    await run(sql`SELECT pg_advisory_xact_lock(hashtext('nephele invoice numbers'))`);
    const locked = await run<{ project_id: string }>(sql`
      SELECT a.project_id FROM project_accounts a JOIN projects p ON p.id = a.project_id
      WHERE coalesce(a.billed_until, month_of(p.created_at)) = ${first}::date ORDER BY a.project_id LIMIT ${BATCH}::int FOR UPDATE OF a`);
    const projects = locked.map(({ project_id }) => project_id);
    const made = await run<{ id: string }>(writeInvoices(month, projects));
    if (made.length > 0) for (const piece of consequences(made.map(({ id }) => id))) await run(piece);
    await run(billedThrough(projects, first));
    return { projects: projects.length, invoices: made.length };
  });
}

/** Inserts invoices and lines for projects with something to pay. Each line is rounded once, half to even. */
function writeInvoices(month: Month, projects: readonly string[]): Sql {
  const { seller } = settings();
  const at = now();
  const ids = projects.map(() => newId());
  return sql`
    WITH wanted AS MATERIALIZED (
      SELECT * FROM unnest(${projects}::uuid[], ${ids}::uuid[]) AS wanted (project_id, invoice_id)),
    used AS MATERIALIZED (
      SELECT project_id, metric, used_in, sum(quantity) AS quantity
      FROM (${usageToInvoice(sql`u.project_id = ANY (${projects}::uuid[])`, month)}) AS usage GROUP BY 1, 2, 3),
    rated AS MATERIALIZED (
      SELECT metric, used_in, rate_in(metric, used_in) AS price_usd,
        seconds_between(used_in::timestamp AT TIME ZONE 'UTC', (used_in + interval '1 month') AT TIME ZONE 'UTC') AS seconds
      FROM (SELECT DISTINCT metric, used_in FROM used) AS pairs),
    rated_lines AS MATERIALIZED (
      SELECT w.invoice_id, u.project_id, 'usage' AS kind, u.metric, l.category, l.label, l.unit, u.used_in, u.quantity, r.price_usd, l.position,
        u.quantity * m.unit_share / CASE m.basis WHEN 'hour' THEN 3600 WHEN 'month' THEN r.seconds ELSE 1 END AS units,
        cents_of(u.quantity * m.unit_share * r.price_usd
          * CASE m.basis WHEN 'month' THEN 1 WHEN 'hour' THEN div(r.seconds, 3600) ELSE r.seconds END, r.seconds) AS amount_usd
      FROM used u JOIN wanted w USING (project_id) JOIN metrics m ON m.name = u.metric JOIN rated r USING (metric, used_in)
      JOIN jsonb_to_recordset(${labels}::jsonb) AS l (metric text, label text, category text, unit text, position int) ON l.metric = u.metric
      WHERE r.price_usd IS NOT NULL),
    -- A sum beside each line: a join with those that have something to pay is one whose size nothing foretells.
    usage_lines AS MATERIALIZED (
      SELECT * FROM (SELECT *, sum(amount_usd) OVER (PARTITION BY project_id) AS together FROM rated_lines) AS summed WHERE together > 0),
    left_over AS MATERIALIZED (
      UPDATE invoice_payments SET status = 'carried', updated_at = ${at}::timestamptz
      WHERE status = 'deferred' AND project_id IN (SELECT project_id FROM usage_lines) RETURNING invoice_id, project_id, due_usd),
    all_lines AS MATERIALIZED (
      SELECT * FROM usage_lines
      UNION ALL
      SELECT w.invoice_id, o.project_id, 'carried_over', NULL, 'carried_over', 'Left over from invoice INV-' || lpad(i.number::text, 6, '0'),
        'amount', i.month, 1, o.due_usd, -1, 1, o.due_usd, NULL
      FROM left_over o JOIN invoices i ON i.id = o.invoice_id JOIN wanted w ON w.project_id = o.project_id),
    totals AS (
      SELECT t.*, least(t.subtotal_usd, trunc(a.credit_usd, 2)) AS credit_usd, row_number() OVER (ORDER BY t.project_id) AS position
      FROM (SELECT invoice_id, project_id, sum(amount_usd) AS subtotal_usd FROM all_lines GROUP BY 1, 2) AS t
      JOIN project_accounts a ON a.project_id = t.project_id),
    issued AS (
      INSERT INTO invoices (id, number, project_id, month, subtotal_usd, credit_usd, due_usd, seller, customer, issued_at)
      SELECT t.invoice_id, (SELECT coalesce(max(number), 0) FROM invoices) + t.position, t.project_id, ${`${month}-01`}::date, t.subtotal_usd,
        t.credit_usd, t.subtotal_usd - t.credit_usd, ${JSON.stringify(seller)}::jsonb,
        jsonb_build_object('id', p.id, 'name', p.name, 'slug', p.slug) || ${frozenDetails}, ${at}::timestamptz
      FROM totals t JOIN projects p ON p.id = t.project_id RETURNING id, project_id),
    itemised AS (
      INSERT INTO invoice_lines (invoice_id, position, kind, metric, category, label, unit, used_in, quantity, units, price_usd, amount_usd)
      SELECT invoice_id, row_number() OVER (PARTITION BY invoice_id ORDER BY used_in = ${`${month}-01`}::date DESC, position, used_in),
        kind, metric, category, label, unit, used_in, quantity, units, price_usd, amount_usd FROM all_lines)
    SELECT id, project_id FROM issued`;
}

/** Effects of new invoices: use credit first, collect the rest, keep the tags, notify open pages. */
function consequences(invoices: readonly string[]): Sql[] {
  const at = now();
  const operations = invoices.map(() => newId());
  const entries = invoices.map(() => newId());
  const of = sql`JOIN unnest(${invoices}::uuid[], ${operations}::uuid[], ${entries}::uuid[]) AS new (id, operation_id, entry_id) USING (id)`;
  return [
    spendCredit(
      'invoice',
      {
        id: raw('entry_id'),
        project_id: raw('project_id'),
        source: raw(`'invoice:' || id`),
        amount_usd: raw('credit_usd'),
        reason: raw(`'Invoice INV-' || lpad(number::text, 6, '0')`),
        created_by: 'platform',
        at,
      },
      sql`invoices ${of} WHERE credit_usd > 0 ORDER BY project_id`,
    ),
    sql`INSERT INTO invoice_tags (invoice_id, resource_id, key, value)
      SELECT id, tag.resource_id, tag.key, tag.value FROM invoices ${of} JOIN (${allTags}) AS tag USING (project_id)`,
    sql`INSERT INTO invoice_payments (invoice_id, project_id, status, due_usd, paid_at, updated_at)
      SELECT id, project_id, CASE WHEN due_usd = 0 THEN 'paid' WHEN due_usd < ${LEAST_CHARGE_USD}::numeric THEN 'deferred' ELSE 'open' END,
        due_usd, CASE WHEN due_usd = 0 THEN ${at}::timestamptz END, ${at}::timestamptz FROM invoices ${of}`,
    operationsInsert(
      at,
      collectInvoice.start('', {}),
      { id: raw('operation_id'), project_id: raw('project_id'), resource_id: raw('id') },
      sql`invoices ${of} WHERE due_usd >= ${LEAST_CHARGE_USD}::numeric`,
    ),
    hintInsert({ project_id: raw('project_id'), topic: 'invoice', resource_id: raw('id'), at }, sql`invoices ${of}`),
  ];
}

export const closeMonthsJob: PeriodicJob = {
  name: 'close months',
  every_ms: 60_000,
  async run(signal) {
    await closeMonths({ signal });
  },
};
