import { query, queryRow } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { GRACE_MS } from '@/lib/money/invoices/close';
import type { BillingRule } from '@/lib/money/metering/billing-rule';
import type { Metric } from '@/lib/money/metering/metrics';
import { usageBetween, usageToInvoice } from '@/lib/money/metering/usage';
import { endOf, type Month, monthAfter, monthOf } from '@/lib/money/rating/month';
import { history } from './history';
import type { DifferenceKind } from './schema';

/**
 * Two values that should be equal and are not.
 * - `usage`: billed usage of a resource, and its history
 * - `count`: a count, and the sum of its events
 * - `spend`: live spend, and the spans and counts behind it
 * - `future`: an accrual dated in the future, by this many seconds
 * - `invoice`: the quantity of an invoice line, and the metered quantity
 * - `missing`: a month without an invoice, in USD
 * - `amount`: an amount on an invoice, and the result of its quantities and prices or the sum of its lines, in USD
 * - `credit`: the balance of prepaid credit, and its entries, in USD
 *
 * Quantities are metered ones: quantity-seconds, or counts.
 */
type Difference = {
  kind: DifferenceKind;
  project_id: string;
  resource_type: string | null;
  resource_id: string | null;
  resource_name: string | null;
  /** The month of an invoice, or of a missing one. */
  month: Month | null;
  metric: Metric | null;
  /** Decimals as text. */
  expected: string;
  billed: string;
};

/**
 * History and spans may be some milliseconds apart when one change waited for another: differences up to this much per
 * change are ignored.
 */
const SLACK_S = 1;

type Compared = { resources: number; differences: Difference[] };

/** Resources that were billed for more or less than their history says. */
async function compareUsage(from: Date, to: Date, rules: readonly BillingRule[]): Promise<Compared> {
  const within = (row: string) =>
    `sum(${row}.quantity * seconds_between(greatest(${row}.begins, period.begins), least(${row}.ends, period.ends)))`;
  const rows = await query<Difference & { resources: number; differs: boolean }>(sql`
    WITH period AS MATERIALIZED (SELECT ${from}::timestamptz AS begins, ${to}::timestamptz AS ends), ${history(to, rules)},
    expected AS (
      SELECT h.project_id, h.resource_type, h.resource_id, h.metric, ${raw(within('h'))} AS amount, max(h.quantity) AS most, count(*) AS parts
      FROM history h CROSS JOIN period WHERE h.begins < period.ends AND (h.ends IS NULL OR h.ends > period.begins) GROUP BY 1, 2, 3, 4),
    billed AS (
      SELECT b.project_id, b.resource_type, b.resource_id, b.metric, min(b.resource_name) AS resource_name, ${raw(within('b'))} AS amount,
        max(b.quantity) AS most, count(*) AS parts
      FROM (SELECT *, started_at AS begins, ended_at AS ends FROM spans) AS b CROSS JOIN period
      WHERE b.begins < period.ends AND (b.ends IS NULL OR b.ends > period.begins) GROUP BY 1, 2, 3, 4),
    compared AS (
      SELECT 'usage' AS kind, project_id, resource_type, resource_id, b.resource_name, NULL AS month, metric, coalesce(e.amount, 0) AS expected,
        coalesce(b.amount, 0) AS billed,
        abs(coalesce(e.amount, 0) - coalesce(b.amount, 0)) > greatest(e.most, b.most) * greatest(e.parts, b.parts) * ${SLACK_S}::numeric AS differs
      FROM expected e FULL JOIN billed b USING (project_id, resource_type, resource_id, metric))
    SELECT compared.*, count.resources FROM (SELECT count(DISTINCT resource_id)::int AS resources FROM compared) AS count
    LEFT JOIN compared ON compared.differs ORDER BY project_id, resource_id, metric`);
  const differences = rows.flatMap(({ resources: _, differs, ...difference }) => (differs ? [difference] : []));
  return { resources: rows[0]?.resources ?? 0, differences };
}

/** Events are kept for 40 days (lib/money/metering/usage-events); older ones remain only as counts. */
const EVENTS_KEPT_MS = 39 * 86_400_000;

/** Counts that differ from the sum of their events. */
async function compareCounts(from: Date, to: Date): Promise<Difference[]> {
  const kept = new Date(Math.max(from.getTime(), to.getTime() - EVENTS_KEPT_MS));
  return query<Difference>(sql`
    WITH days AS MATERIALIZED (SELECT ceil(extract(epoch FROM ${kept}::timestamptz) / 86400) AS first, (${to}::timestamptz AT TIME ZONE 'UTC')::date AS last),
    told AS (
      SELECT project_id, metric, resource_id, (occurred_at AT TIME ZONE 'UTC')::date AS day, min(resource_type) AS resource_type,
        min(resource_name) AS resource_name, sum(quantity) AS quantity
      FROM usage_events WHERE folded AND occurred_at >= ${kept}::timestamptz GROUP BY 1, 2, 3, 4),
    counted AS (
      SELECT project_id, metric, resource_id, day, min(resource_type) AS resource_type, min(resource_name) AS resource_name, sum(quantity) AS quantity
      FROM usage_counts WHERE day >= (${kept}::timestamptz AT TIME ZONE 'UTC')::date GROUP BY 1, 2, 3, 4)
    SELECT 'count' AS kind, project_id, coalesce(c.resource_type, t.resource_type) AS resource_type, resource_id,
      coalesce(c.resource_name, t.resource_name) AS resource_name, NULL AS month, metric, coalesce(sum(t.quantity), 0) AS expected, coalesce(sum(c.quantity), 0) AS billed
    FROM told t FULL JOIN counted c USING (project_id, metric, resource_id, day) CROSS JOIN days
    WHERE extract(epoch FROM day::timestamp) / 86400 >= days.first AND day <= days.last
    GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING coalesce(sum(t.quantity), 0) <> coalesce(sum(c.quantity), 0) ORDER BY project_id, resource_id, metric`);
}

/**
 * Live spend that differs from the current month's spans and counts, both read by one statement, so that nothing
 * changes in between.
 */
async function compareSpend(): Promise<Difference[]> {
  const at = raw('(SELECT at FROM moment)');
  const used = usageBetween(sql`true`, sql`month_start(${at})`, at, 'month');
  return query<Difference>(sql`
    WITH moment AS MATERIALIZED (SELECT platform_now() AS at),
    used AS (SELECT project_id, metric, sum(quantity) AS quantity FROM (${used}) AS u GROUP BY 1, 2),
    compared AS (
      SELECT 'spend' AS kind, project_id, metric, coalesce(u.quantity, 0) AS expected, coalesce(accrued_until(a, moment.at), 0) AS billed
      FROM used u FULL JOIN accruals a USING (project_id, metric) CROSS JOIN moment WHERE a.as_of IS NULL OR a.as_of <= moment.at
      UNION ALL
      SELECT 'future', project_id, metric, 0, seconds_between(moment.at, as_of) FROM accruals CROSS JOIN moment
      WHERE as_of > moment.at + ${SLACK_S}::float8 * interval '1 second')
    SELECT kind, project_id, NULL AS resource_type, NULL AS resource_id, NULL AS resource_name, NULL AS month, metric, expected, billed
    FROM compared WHERE expected <> billed ORDER BY project_id, metric`);
}

/** Balances of prepaid credit that differ from the sum of their entries. */
async function compareCredit(): Promise<Difference[]> {
  return query<Difference>(sql`
    SELECT 'credit' AS kind, a.project_id, NULL AS resource_type, NULL AS resource_id, NULL AS resource_name, NULL AS month, NULL AS metric,
      entries.balance AS expected, a.credit_usd AS billed
    FROM project_accounts a CROSS JOIN LATERAL (
      SELECT coalesce(sum(CASE WHEN to_account = 'credit' THEN amount_usd ELSE -amount_usd END), 0) AS balance
      FROM credit_entries e WHERE e.project_id = a.project_id) AS entries
    WHERE a.credit_usd <> entries.balance ORDER BY a.project_id`);
}

/** The cents of a `line` of the metric `m`, used in the month `line.used_in`; NULL: no price. */
const cents = raw(`(SELECT cents_of(line.quantity * m.unit_share * rate_in(line.metric, line.used_in)
    * CASE m.basis WHEN 'month' THEN 1 WHEN 'hour' THEN div(s.seconds, 3600) ELSE s.seconds END, s.seconds)
  FROM (SELECT seconds_between(line.used_in::timestamp AT TIME ZONE 'UTC', (line.used_in + interval '1 month') AT TIME ZONE 'UTC') AS seconds) AS s)`);

const invoiceName = raw(`'INV-' || lpad(i.number::text, 6, '0')`);

/** Invoices of a month whose quantities differ from the metered ones. */
async function compareInvoices(month: Month): Promise<Difference[]> {
  const first = `${month}-01`;
  const invoiced = sql`u.project_id IN (SELECT project_id FROM invoices WHERE month = ${first}::date)`;
  return query<Difference>(sql`
    WITH used AS (SELECT project_id, metric, used_in, sum(quantity) AS quantity FROM (${usageToInvoice(invoiced, month)}) AS u
      WHERE rate_in(metric, used_in) IS NOT NULL GROUP BY 1, 2, 3),
    listed AS (SELECT i.project_id, l.metric, l.used_in, sum(l.quantity) AS quantity FROM invoices i JOIN invoice_lines l ON l.invoice_id = i.id
      WHERE i.month = ${first}::date AND l.kind = 'usage' GROUP BY 1, 2, 3)
    SELECT 'invoice' AS kind, project_id, 'invoice' AS resource_type, i.id AS resource_id, ${invoiceName} AS resource_name,
      ${month}::text AS month, metric, coalesce(u.quantity, 0) AS expected, coalesce(l.quantity, 0) AS billed
    FROM used u FULL JOIN listed l USING (project_id, metric, used_in) JOIN invoices i USING (project_id)
    WHERE i.month = ${first}::date AND coalesce(u.quantity, 0) <> coalesce(l.quantity, 0) ORDER BY i.number, metric`);
}

/** Wrong amounts on a month's invoices: of lines against quantity and price, of sums against lines, of payments. */
async function compareAmounts(month: Month): Promise<Difference[]> {
  return query<Difference>(sql`
    WITH compared AS (
      SELECT i.id, line.metric, CASE line.kind WHEN 'usage' THEN ${cents} ELSE (
          SELECT earlier.due_usd FROM invoices earlier WHERE earlier.project_id = i.project_id AND earlier.month = line.used_in) END AS expected,
        line.amount_usd AS billed
      FROM invoices i JOIN invoice_lines line ON line.invoice_id = i.id LEFT JOIN metrics m ON m.name = line.metric WHERE i.month = ${`${month}-01`}::date
      UNION ALL
      SELECT i.id, NULL, (SELECT sum(amount_usd) FROM invoice_lines l WHERE l.invoice_id = i.id), i.subtotal_usd
      FROM invoices i WHERE i.month = ${`${month}-01`}::date
      UNION ALL
      SELECT i.id, NULL, i.due_usd, p.due_usd FROM invoices i JOIN invoice_payments p ON p.invoice_id = i.id WHERE i.month = ${`${month}-01`}::date)
    SELECT 'amount' AS kind, i.project_id, 'invoice' AS resource_type, i.id AS resource_id, ${invoiceName} AS resource_name,
      ${month}::text AS month, metric, coalesce(expected, 0) AS expected, billed
    FROM compared JOIN invoices i USING (id) WHERE expected IS DISTINCT FROM billed ORDER BY i.number, metric NULLS LAST`);
}

/** Time that the workers have to close a month after its grace for late usage. */
const CLOSING_MS = 60 * 60_000;

/** Projects with an amount due for a month and no invoice, although the month is closed or should be by now. */
async function compareMissing(month: Month, now: Date): Promise<Difference[]> {
  const overdue = endOf(month).getTime() + GRACE_MS + CLOSING_MS <= now.getTime();
  const uninvoiced = sql`u.project_id IN (
    SELECT a.project_id FROM project_accounts a JOIN projects p ON p.id = a.project_id
    WHERE (${overdue}::boolean OR coalesce(a.billed_until, month_of(p.created_at)) > ${`${month}-01`}::date)
      AND NOT EXISTS (SELECT FROM invoices i WHERE i.project_id = a.project_id AND i.month = ${`${month}-01`}::date))`;
  return query<Difference>(sql`
    WITH used AS MATERIALIZED (
      SELECT project_id, metric, used_in, sum(quantity) AS quantity FROM (${usageToInvoice(uninvoiced, month)}) AS u GROUP BY 1, 2, 3),
    rated AS (SELECT line.project_id, sum(${cents}) AS amount_usd FROM used line JOIN metrics m ON m.name = line.metric GROUP BY 1)
    SELECT 'missing' AS kind, project_id, NULL AS resource_type, NULL AS resource_id, NULL AS resource_name, ${month}::text AS month,
      NULL AS metric, amount_usd AS expected, 0 AS billed
    FROM rated WHERE amount_usd > 0 ORDER BY project_id`);
}

/** Checks the invoices of the months that end within a period. */
async function compareMonths(from: Date, to: Date, now: Date): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (let month = monthOf(from); endOf(month) <= to; month = monthAfter(month)) {
    differences.push(
      ...(await compareInvoices(month)),
      ...(await compareAmounts(month)),
      ...(await compareMissing(month, now)),
    );
  }
  return differences;
}

/**
 * Compares billing in the elapsed part of a period with the recorded history of resources, along with counts, invoices
 * and, if the period reaches the present, live spend and credit.
 * @param to default: now
 */
export async function compare(
  rules: readonly BillingRule[],
  from: Date,
  to?: Date,
): Promise<Compared & { from: Date; to: Date }> {
  const { at } = await queryRow<{ at: Date }>(sql`SELECT platform_now()::timestamptz(3) AS at`);
  const isLive = to === undefined || to >= at;
  const until = isLive ? at : to;
  const { resources, differences } = await compareUsage(from, until, rules);
  const others = [
    ...(await compareCounts(from, until)),
    ...(isLive ? [...(await compareSpend()), ...(await compareCredit())] : []),
    ...(await compareMonths(from, until, at)),
  ];
  return { from, to: until, resources, differences: [...differences, ...others] };
}
