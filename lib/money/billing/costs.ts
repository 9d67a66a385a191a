import type { Decimal } from 'decimal.js';
import { query } from '@/lib/core/db/pool';
import { type Sql, sql } from '@/lib/core/db/sql';
import { type Metric, metricNames } from '@/lib/money/metering/metrics';
import { dailyUsageBilledIn, usageBilledIn, usageToInvoice } from '@/lib/money/metering/usage';
import { apportion } from '@/lib/money/rating/apportion';
import { costOf, Money, priceableUnits, toCents, total } from '@/lib/money/rating/cost';
import { type Meter, type MeterLine, spendAt } from '@/lib/money/rating/meter';
import { endOf, type Month } from '@/lib/money/rating/month';

/** A metric's usage and cost in a month. */
type MetricCost = {
  metric: Metric;
  units: Decimal;
  /** USD, rounded; null: it has no price. */
  amount: Decimal | null;
};
/** An amount that a month's invoice takes over from an earlier one. */
type CarriedOver = { name: string; amount: Decimal };
/** The costs of a month: metrics and carried-over amounts add up to the total. */
export type MonthCosts = { month: Month; metrics: MetricCost[]; carried: CarriedOver[]; total: Decimal };

/**
 * The costs of a month; the lines always add up. For the current month: the spend until the meter's moment, to six
 * decimals, divided among its metrics (`apportion`). For an ended month, closed or not: cents, each metric rounded once
 * as on its invoice, with late usage and carried-over amounts.
 */
export async function monthCosts(projectId: string, month: Month, meter: Meter): Promise<MonthCosts> {
  if (month > meter.month) return { month, metrics: [], carried: [], total: new Money(0) };
  return month === meter.month ? costsSoFar(meter) : costsInvoiced(projectId, month);
}

/** USD to the six decimals of the API. */
export const toMillionths = (amount: Decimal) => amount.toDecimalPlaces(6, Money.ROUND_HALF_EVEN);

/** Divides an amount in proportion to costs; null (no price) stays null. */
export function divide(amount: Decimal, costs: readonly (Decimal | null)[]): (Decimal | null)[] {
  const parts = apportion(
    amount,
    costs.map((cost) => cost ?? new Money(0)),
  );
  return costs.map((cost, index) => (cost === null ? null : (parts[index] ?? null)));
}

function costsSoFar(meter: Meter): MonthCosts {
  const { month } = meter;
  const metrics = new Map<Metric, MetricCost>();
  for (const { metric, quantity, price_usd } of inOrder(meter.lines.filter(isUsed))) {
    const cost = price_usd === null ? null : costOf(metric, quantity, month, price_usd);
    addTo(metrics, { metric, units: priceableUnits(metric, quantity, month), amount: cost });
  }
  const lines = [...metrics.values()];
  const spent = toMillionths(spendAt(meter));
  const amounts = divide(
    spent,
    lines.map(({ amount }) => amount),
  );
  return {
    month,
    metrics: lines.map((line, index) => ({ ...line, amount: amounts[index] ?? null })),
    carried: [],
    total: spent,
  };
}

const isUsed = ({ quantity, held }: MeterLine) => !isZero(quantity) || !isZero(held);

/** Adds usage to its metric, for example usage of earlier months. */
function addTo(metrics: Map<Metric, MetricCost>, { metric, units, amount }: MetricCost): void {
  const before = metrics.get(metric);
  metrics.set(metric, {
    metric,
    units: units.plus(before?.units ?? 0),
    amount: amount?.plus(before?.amount ?? 0) ?? before?.amount ?? null,
  });
}

async function costsInvoiced(projectId: string, month: Month): Promise<MonthCosts> {
  type Row = { metric: Metric; used_in: Month; quantity: string; price_usd: string | null };
  const [rows, carried] = await Promise.all([
    query<Row>(sql`SELECT metric, to_char(used_in, 'YYYY-MM') AS used_in, sum(quantity) AS quantity,
        (SELECT rate_in(metric, used_in)) AS price_usd
      FROM (${usageToInvoice(sql`u.project_id = ${projectId}::uuid`, month)}) AS used GROUP BY metric, used.used_in`),
    query<{ name: string; amount: string }>(sql`SELECT l.label AS name, l.amount_usd AS amount
      FROM invoices i JOIN invoice_lines l ON l.invoice_id = i.id
      WHERE i.project_id = ${projectId}::uuid AND i.month = ${`${month}-01`}::date AND l.kind = 'carried_over' ORDER BY l.position`),
  ]);
  const metrics = new Map<Metric, MetricCost>();
  for (const { metric, used_in, quantity, price_usd } of inOrder(rows)) {
    const amount = price_usd === null ? null : toCents(costOf(metric, quantity, used_in, price_usd));
    addTo(metrics, { metric, units: priceableUnits(metric, quantity, used_in), amount });
  }
  const lines = [...metrics.values()];
  const left = carried.map(({ name, amount }) => ({ name, amount: new Money(amount) }));
  const amounts = [...lines, ...left].map(({ amount }) => amount ?? new Money(0));
  return { month, metrics: lines, carried: left, total: total(amounts) };
}

/** The usage behind a month's costs, by resource and metric. */
export function usageOf(projectId: string, month: Month, meter: Meter): Sql {
  return usageBilledIn(sql`u.project_id = ${projectId}::uuid`, month, endOfUsage(month, meter), 'month');
}

/** The usage behind a month's costs, by day and metric. */
export function dailyUsageOf(projectId: string, month: Month, meter: Meter): Sql {
  return dailyUsageBilledIn(sql`u.project_id = ${projectId}::uuid`, month, endOfUsage(month, meter));
}

/** If the clock has stepped back behind the last metered change, usage counts until that change. */
const endOfUsage = (month: Month, meter: Meter) => (month < meter.month ? endOf(month) : meteredUntil(meter));

/** The moment until which a project is metered: now, or its last change. */
export function meteredUntil({ at, lines }: Meter): Date {
  return new Date(Math.max(at.getTime(), ...lines.map(({ as_of }) => as_of.getTime())));
}

const isZero = (decimal: string) => new Money(decimal).isZero();

/** Sorts lines in the order of the rate card. */
function inOrder<Line extends { metric: Metric }>(lines: readonly Line[]): Line[] {
  return [...lines].sort((a, b) => metricNames.indexOf(a.metric) - metricNames.indexOf(b.metric));
}
