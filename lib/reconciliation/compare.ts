import { query, queryOne } from '@/lib/db/pool';
import { raw, sql } from '@/lib/db/sql';
import type { Metric } from '@/lib/metering/metrics';
import { usageBetween, usageToInvoice } from '@/lib/metering/usage';
import { endOf, monthAfter, monthOf, startOf } from '@/lib/rating/month';
import { history } from './history';

/**
 * Something that should be equal and is not: what is billed of a resource and what its history says (`usage`), counts and
 * the events they were counted from (`count`), live spend and the spans and counts behind it (`spend`), an invoice and what
 * it was made of (`invoice`). Quantities are metered ones: quantity-seconds, or counts.
 */
type Difference = {
  kind: 'usage' | 'count' | 'spend' | 'invoice';
  project_id: string;
  resource_type: string | null;
  resource_id: string | null;
  resource_name: string | null;
  metric: Metric;
  /** Decimals as text. */
  expected: string;
  billed: string;
};

/**
 * A moment of the history and one of the spans may be some milliseconds apart, where two changes waited for each other:
 * so much of each change is no difference.
 */
const SLACK_S = 1;

type Compared = { resources: number; differences: Difference[] };

/** Whose resources have been billed for more or less than their history says. */
async function compareUsage(from: Date, to: Date): Promise<Compared> {
  const within = (row: string) =>
    `sum(${row}.quantity * seconds_between(greatest(${row}.begins, period.begins), least(${row}.ends, period.ends)))`;
  const rows = await query<Difference & { resources: number; differs: boolean }>(sql`
    WITH period AS MATERIALIZED (SELECT ${from}::timestamptz AS begins, ${to}::timestamptz AS ends), ${history(to)},
    expected AS (
      SELECT h.project_id, h.resource_type, h.resource_id, h.metric, ${raw(within('h'))} AS amount, max(h.quantity) AS most, count(*) AS parts
      FROM history h CROSS JOIN period WHERE h.begins < period.ends AND (h.ends IS NULL OR h.ends > period.begins) GROUP BY 1, 2, 3, 4),
    billed AS (
      SELECT b.project_id, b.resource_type, b.resource_id, b.metric, min(b.resource_name) AS resource_name, ${raw(within('b'))} AS amount,
        max(b.quantity) AS most, count(*) AS parts
      FROM (SELECT *, started_at AS begins, ended_at AS ends FROM spans) AS b CROSS JOIN period
      WHERE b.begins < period.ends AND (b.ends IS NULL OR b.ends > period.begins) GROUP BY 1, 2, 3, 4),
    compared AS (
      SELECT 'usage' AS kind, project_id, resource_type, resource_id, b.resource_name, metric, coalesce(e.amount, 0) AS expected,
        coalesce(b.amount, 0) AS billed,
        abs(coalesce(e.amount, 0) - coalesce(b.amount, 0)) > greatest(e.most, b.most) * greatest(e.parts, b.parts) * ${SLACK_S}::numeric AS differs
      FROM expected e FULL JOIN billed b USING (project_id, resource_type, resource_id, metric))
    SELECT compared.*, count.resources FROM (SELECT count(DISTINCT resource_id)::int AS resources FROM compared) AS count
    LEFT JOIN compared ON compared.differs ORDER BY project_id, resource_id, metric`);
  const differences = rows.flatMap(({ resources: _, differs, ...difference }) => (differs ? [difference] : []));
  return { resources: rows[0]?.resources ?? 0, differences };
}

/** Events are kept for 40 days (lib/metering/usage-events); of older ones only the counts are left. */
const EVENTS_KEPT_MS = 39 * 86_400_000;

/** Counts that are not the sum of their events. */
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
      coalesce(c.resource_name, t.resource_name) AS resource_name, metric, coalesce(sum(t.quantity), 0) AS expected, coalesce(sum(c.quantity), 0) AS billed
    FROM told t FULL JOIN counted c USING (project_id, metric, resource_id, day) CROSS JOIN days
    WHERE extract(epoch FROM day::timestamp) / 86400 >= days.first AND day <= days.last
    GROUP BY 1, 2, 3, 4, 5, 6 HAVING coalesce(sum(t.quantity), 0) <> coalesce(sum(c.quantity), 0) ORDER BY project_id, resource_id, metric`);
}

/** Live spend that is not what the running month's spans and counts come to. What moves at this moment is left out. */
async function compareSpend(now: Date): Promise<Difference[]> {
  const used = usageBetween(sql`true`, startOf(monthOf(now)), now, 'month');
  return query<Difference>(sql`
    WITH used AS (SELECT project_id, metric, sum(quantity) AS quantity FROM (${used}) AS u GROUP BY 1, 2)
    SELECT 'spend' AS kind, project_id, NULL AS resource_type, NULL AS resource_id, NULL AS resource_name, metric,
      coalesce(u.quantity, 0) AS expected, coalesce(accrued_until(a, ${now}::timestamptz), 0) AS billed
    FROM used u FULL JOIN accruals a USING (project_id, metric)
    WHERE (a.as_of IS NULL OR a.as_of <= ${now}::timestamptz)
      AND coalesce(u.quantity, 0) <> coalesce(accrued_until(a, ${now}::timestamptz), 0) ORDER BY project_id, metric`);
}

/** Invoices of the months within the period that hold something else than what was metered. */
async function compareInvoices(from: Date, to: Date): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (let month = monthOf(from); endOf(month) <= to; month = monthAfter(month)) {
    const invoiced = sql`u.project_id IN (SELECT project_id FROM invoices WHERE month = ${`${month}-01`}::date)`;
    differences.push(
      ...(await query<Difference>(sql`
        WITH used AS (SELECT project_id, metric, used_in, sum(quantity) AS quantity FROM (${usageToInvoice(invoiced, month)}) AS u
          WHERE rate_in(metric, used_in) IS NOT NULL GROUP BY 1, 2, 3),
        listed AS (SELECT i.project_id, l.metric, l.used_in, sum(l.quantity) AS quantity FROM invoices i JOIN invoice_lines l ON l.invoice_id = i.id
          WHERE i.month = ${`${month}-01`}::date AND l.kind = 'usage' GROUP BY 1, 2, 3)
        SELECT 'invoice' AS kind, project_id, 'invoice' AS resource_type, i.id AS resource_id, 'INV-' || lpad(i.number::text, 6, '0') AS resource_name,
          metric, coalesce(u.quantity, 0) AS expected, coalesce(l.quantity, 0) AS billed
        FROM used u FULL JOIN listed l USING (project_id, metric, used_in) JOIN invoices i USING (project_id)
        WHERE i.month = ${`${month}-01`}::date AND coalesce(u.quantity, 0) <> coalesce(l.quantity, 0) ORDER BY i.number, metric`)),
    );
  }
  return differences;
}

/**
 * Compares what was billed in a period, as far as it has passed, with what the history of resources says, and all that
 * follows from it: counts, live spend, invoices.
 */
export async function compare(from: Date, to: Date): Promise<Compared & { from: Date; to: Date }> {
  const moment = await queryOne<{ at: Date }>(sql`SELECT platform_now()::timestamptz(3) AS at`);
  if (!moment) throw new Error('the moment has one row');
  const until = to < moment.at ? to : moment.at;
  const { resources, differences } = await compareUsage(from, until);
  const others = [
    ...(await compareCounts(from, until)),
    ...(until === moment.at ? await compareSpend(until) : []),
    ...(await compareInvoices(from, until)),
  ];
  return { from, to: until, resources, differences: [...differences, ...others] };
}
