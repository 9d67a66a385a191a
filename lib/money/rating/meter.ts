import type { Decimal } from 'decimal.js';
import { query, queryRow } from '@/lib/core/db/pool';
import { type Sql, sql } from '@/lib/core/db/sql';
import type { Metric } from '@/lib/money/metering/metrics';
import { metrics } from '@/lib/money/metering/metrics';
import { costOf, dollarSeconds, Money, total } from './cost';
import { endOf, type Month, monthOf, secondsOf, startOf } from './month';

/**
 * A project's held amount and usage of one metric this month; decimal text. Usage of an earlier month recorded after
 * its invoice has separate lines at that month's prices.
 */
export type MeterLine = {
  metric: Metric;
  /** The amount held now. */
  held: string;
  /** This month's quantity-seconds, or count, until `Meter.at`. */
  quantity: string;
  /** Per unit, in the month of use; null: the metric has none. */
  price_usd: string | null;
  /** When the line last changed: a start, stop or count. */
  as_of: Date;
};

/** A project's accruals as of a moment: about a dozen lines, however many resources it has. */
export type Meter = { at: Date; month: Month; lines: readonly MeterLine[] };

/** A project's spend so far and running costs. */
export async function readMeter(projectId: string): Promise<Meter> {
  const meters = await readMeters(sql`p.id = ${projectId}::uuid`);
  const found = meters.get(projectId);
  if (!found) throw new Error(`there is no project ${projectId}`);
  return found;
}

/** The meters of the projects `p` that match a condition, all as of the same moment. */
export async function readMeters(where: Sql): Promise<Map<string, Meter>> {
  type Row = { project_id: string; at: Date } & (MeterLine | { [Name in keyof MeterLine]: null });
  const rows = await query<Row>(sql`
    WITH moment AS MATERIALIZED (SELECT platform_now()::timestamptz(3) AS at)
    SELECT p.id AS project_id, moment.at, line.metric, trim_scale(line.held) AS held, trim_scale(line.quantity) AS quantity,
      trim_scale(rate_in(line.metric, line.used_in)) AS price_usd, line.as_of
    FROM moment CROSS JOIN projects p LEFT JOIN LATERAL (
      SELECT a.metric, month_of(moment.at) AS used_in, a.open_quantity AS held, accrued_until(a, moment.at) AS quantity, a.as_of
      FROM accruals a WHERE a.project_id = p.id
      UNION ALL
      SELECT u.metric, date_trunc('month', u.day::timestamp)::date, 0, sum(u.quantity), (
        SELECT as_of FROM accruals a WHERE a.project_id = p.id AND a.metric = u.metric)
      FROM usage_counts u WHERE u.project_id = p.id AND u.billing_month = month_of(moment.at) AND u.day < u.billing_month GROUP BY 1, 2
    ) AS line ON true WHERE ${where} ORDER BY p.id, line.metric, line.used_in DESC`);
  const meters = new Map<string, Meter & { lines: MeterLine[] }>();
  for (const { project_id, at, ...line } of rows) {
    const meter = meters.get(project_id) ?? { at, month: monthOf(at), lines: [] };
    if (line.metric !== null) meter.lines.push(line);
    meters.set(project_id, meter);
  }
  return meters;
}

/** Month-to-date spend in USD, as of now. */
export async function spendNow(projectId: string): Promise<Decimal> {
  return spendAt(await readMeter(projectId));
}

/** The spend of all projects in the current month, in USD. */
export async function platformSpendNow(): Promise<{ month: Month; spend: Decimal }> {
  type Used = { metric: Metric; quantity: string; price_usd: string | null };
  const { month, used } = await queryRow<{ month: Month; used: Used[] }>(sql`
    WITH moment AS MATERIALIZED (SELECT platform_now()::timestamptz(3) AS at)
    SELECT to_char(month_of(moment.at), 'YYYY-MM') AS month, ARRAY(
      SELECT jsonb_build_object('metric', a.metric, 'quantity', sum(accrued_until(a, moment.at))::text,
        'price_usd', rate_in(a.metric, month_of(moment.at))::text) FROM accruals a GROUP BY a.metric
      UNION ALL
      SELECT jsonb_build_object('metric', late.metric, 'quantity', late.quantity::text, 'price_usd', rate_in(late.metric, late.used_in)::text)
      FROM (SELECT u.metric, date_trunc('month', u.day::timestamp)::date AS used_in, sum(u.quantity) AS quantity FROM usage_counts u
        WHERE u.billing_month = month_of(moment.at) AND u.day < u.billing_month GROUP BY 1, 2) AS late) AS used FROM moment`);
  return { month, spend: total(used.map((line) => costOf(line.metric, line.quantity, month, line.price_usd))) };
}

const seconds = (from: Date, to: Date) => new Money(Math.max(0, to.getTime() - from.getTime())).div(1000);
const before = (one: Date, other: Date) => (one < other ? one : other);

/** The meter's dollar-seconds, and their growth per second. */
function exactly({ month, lines }: Meter): { spent: Decimal; burn: Decimal } {
  const each = (pick: (line: MeterLine) => string) =>
    total(lines.map((line) => dollarSeconds(line.metric, pick(line), month, line.price_usd)));
  return { spent: each(({ quantity }) => quantity), burn: each((line) => heldOf(line)) };
}

/** Counted usage does not grow with time. */
const heldOf = ({ metric, held }: MeterLine) => (metrics[metric].basis === 'count' ? '0' : held);

/** The month's spend in USD at a moment of the month, not before the meter's own, if held usage continues. */
export function spendAt(meter: Meter, at: Date = meter.at): Decimal {
  const { spent, burn } = exactly(meter);
  return spent.plus(burn.times(seconds(meter.at, before(at, endOf(meter.month))))).div(secondsOf(meter.month));
}

/** The cost of the whole month if held usage continues. */
export function forecast(meter: Meter): Decimal {
  return spendAt(meter, endOf(meter.month));
}

/** The hourly cost of a line from now on, in USD. */
export function burnPerHour(line: MeterLine, month: Month): Decimal {
  return costOf(line.metric, new Money(heldOf(line)).times(3600), month, line.price_usd);
}

/**
 * When the month's spend reaches an amount, to the millisecond, if held usage continues; null: not in this month. For
 * an amount already reached, the date is as exact as the meter allows: no earlier than its last change.
 */
export function crossingAt(meter: Meter, amount_usd: Decimal.Value): Date | null {
  const { month, lines, at } = meter;
  const { spent, burn } = exactly(meter);
  const changed = Math.max(startOf(month).getTime(), ...lines.map(({ as_of }) => as_of.getTime()));
  const since = before(at, new Date(changed));
  const missing = new Money(amount_usd).times(secondsOf(month)).minus(spent.minus(burn.times(seconds(since, at))));
  if (missing.lte(0)) return since;
  if (burn.isZero()) return null;
  const crossing = missing.div(burn).times(1000).ceil().plus(since.getTime());
  return crossing.lt(endOf(month).getTime()) ? new Date(crossing.toNumber()) : null;
}

/** Whether the month's spend is at least an amount; exact. */
export function hasReached(meter: Meter, amount_usd: Decimal.Value): boolean {
  return exactly(meter).spent.gte(new Money(amount_usd).times(secondsOf(meter.month)));
}
