import type { Decimal } from 'decimal.js';
import { JsonNumber, type Sendable } from '@/lib/core/api/json';
import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { type Category, categories, categoryNames } from '@/lib/money/metering/categories';
import { type Metric, metricNames, metrics } from '@/lib/money/metering/metrics';
import { Money, total } from '@/lib/money/rating/cost';
import { type Meter, readMeter } from '@/lib/money/rating/meter';
import { endOf, type Month, startOf } from '@/lib/money/rating/month';
import { priced } from '@/lib/money/rating/priced';
import { dailyUsageOf, divide, type MonthCosts, monthCosts, usageOf } from './costs';
import type { Breakdown, BreakdownKind } from './schema';
import { costsByTag } from './tag-costs';

/** Items beyond this number are combined in one. */
const MOST_ITEMS = 500;

/** An item before rounding; `amount` null: it has no price. */
type Item = Omit<Sendable<Breakdown['items'][number]>, 'amount_usd'> & { amount: Decimal | null };

/**
 * The costs of a month in one of several views. The items of every view add up to the same total: the month to date, or
 * the invoice of an ended month (`monthCosts`). Metrics and categories have the amounts of the invoice lines; resources
 * and days get a share of the total in proportion to their exact costs.
 */
export async function readBreakdown(
  projectId: string,
  { by, group_by, month }: { by: BreakdownKind; group_by?: string | undefined; month?: Month | undefined },
): Promise<Sendable<Breakdown>> {
  const meter = await readMeter(projectId);
  const costs = await monthCosts(projectId, month ?? meter.month, meter);
  const key = group_by?.slice('tag:'.length);
  const parts = key === undefined ? views[by](projectId, costs, meter) : tagItems(projectId, costs, meter, key);
  const items = [...(await parts), ...carriedOver(costs)];
  return {
    month: costs.month,
    by: key === undefined ? by : 'tag',
    total_usd: JsonNumber.money(costs.total),
    items: items.map(({ amount, ...item }) => ({ ...item, amount_usd: amount && JsonNumber.money(amount) })),
  };
}

const views: Record<BreakdownKind, (projectId: string, costs: MonthCosts, meter: Meter) => Promise<Item[]> | Item[]> = {
  metric: (_, costs) => dearestFirst(costs.metrics.map(metricItem)),
  category: (_, costs) => dearestFirst(byCategory(costs)),
  resource: resourceItems,
  day: async (projectId, costs, meter) =>
    (await costsByDay(projectId, costs, meter)).map(({ day, amount }) => ({ key: day, name: day, day, amount })),
};

function metricItem({ metric, units, amount }: MonthCosts['metrics'][number]): Item {
  const { label, category, unit } = metrics[metric];
  return { key: metric, name: label, category, metric, quantity: JsonNumber.money(units), unit, amount };
}

function byCategory(costs: MonthCosts): Item[] {
  return categories.flatMap((category) => {
    const amounts = costs.metrics.flatMap((line) => (metrics[line.metric].category === category ? [line.amount] : []));
    if (amounts.length === 0) return [];
    return [{ key: category, name: categoryNames[category], category, amount: sumOf(amounts) }];
  });
}

/** Null only if no amount has a price. */
function sumOf(amounts: readonly (Decimal | null)[]): Decimal | null {
  const known = amounts.filter((amount) => amount !== null);
  return known.length === 0 ? null : total(known);
}

async function resourceItems(projectId: string, costs: MonthCosts, meter: Meter): Promise<Item[]> {
  type Row = { type: string; id: string; name: string; metrics: Metric[]; cost: string | null };
  const rows = await query<Row & { everything: string | null; resources: number }>(sql`
    SELECT resource_type AS type, resource_id AS id, min(resource_name) AS name, jsonb_agg(DISTINCT metric) AS metrics, sum(cost_usd) AS cost,
      sum(sum(cost_usd)) OVER () AS everything, count(*) OVER ()::int AS resources
    FROM (${priced(usageOf(projectId, costs.month, meter))}) AS usage
    GROUP BY 1, 2 ORDER BY sum(cost_usd) DESC NULLS LAST, resource_id LIMIT ${MOST_ITEMS}::int`);
  const items: Item[] = rows.map((row) => {
    const { type, id, name, cost } = row;
    const resource = { type, id, name };
    return {
      key: id,
      name,
      category: categoryOf(row.metrics),
      resource,
      amount: cost === null ? null : new Money(cost),
    };
  });
  const [first] = rows;
  const more = (first?.resources ?? 0) - rows.length;
  return divided(costs, withOthers(items, first?.everything, more, 'resources'));
}

async function tagItems(projectId: string, costs: MonthCosts, meter: Meter, key: string): Promise<Item[]> {
  const rows = await costsByTag(projectId, costs.month, meter, key, MOST_ITEMS);
  const items: Item[] = rows.map(({ value, cost }) => ({
    key: value === null ? 'untagged' : `value:${value}`,
    name: value === null ? `Without ${key}` : value,
    tag: { key, value },
    amount: cost === null ? null : new Money(cost),
  }));
  const [first] = rows;
  return divided(costs, withOthers(items, first?.everything, (first?.values ?? 0) - rows.length, 'values'));
}

/** Adds an item for the rest, if not all items are there. */
function withOthers(
  items: readonly Item[],
  everything: string | null | undefined,
  more: number,
  nouns: string,
): Item[] {
  if (more <= 0) return [...items];
  const amount = new Money(everything ?? 0).minus(sumOf(items.map((item) => item.amount)) ?? 0);
  return [...items, { key: 'others', name: `${more} more ${nouns}`, amount }];
}

/** The category under which people look for a resource: an instance is compute, although its disk is storage. */
export function categoryOf(used: readonly Metric[]): Category {
  const first = metricNames.find((metric) => used.includes(metric));
  return first ? metrics[first].category : 'compute';
}

const DAY_MS = 86_400_000;

/** The costs of each day of a month until now, including days without costs; late usage comes first. */
export async function costsByDay(
  projectId: string,
  costs: MonthCosts,
  meter: Meter,
): Promise<{ day: string; amount: Decimal | null }[]> {
  if (costs.month > meter.month) return [];
  const rows = await query<{ day: string; cost: string }>(sql`
    SELECT to_char(day, 'YYYY-MM-DD') AS day, coalesce(sum(cost_usd), 0) AS cost
    FROM (${priced(dailyUsageOf(projectId, costs.month, meter))}) AS usage GROUP BY 1`);
  const days = new Map(daysOf(costs.month, meter.at).map((day) => [day, new Money(0)]));
  for (const { day, cost } of rows) days.set(day, new Money(cost));
  const items = [...days].map(([day, amount]) => ({ day, amount })).sort((a, b) => (a.day < b.day ? -1 : 1));
  return divided(costs, items);
}

/** The days of a month that have begun. */
function daysOf(month: Month, until: Date): string[] {
  const first = startOf(month).getTime();
  const last = Math.min(endOf(month).getTime() - 1, Math.max(first, until.getTime()));
  const count = Math.floor((last - first) / DAY_MS) + 1;
  return Array.from({ length: count }, (_, index) => new Date(first + index * DAY_MS).toISOString().slice(0, 10));
}

/** Divides the costs of a month's usage among items with exact costs. */
function divided<Part extends { amount: Decimal | null }>(costs: MonthCosts, items: readonly Part[]): Part[] {
  const used = sumOf(costs.metrics.map(({ amount }) => amount)) ?? new Money(0);
  const amounts = divide(
    used,
    items.map(({ amount }) => amount),
  );
  return items.map((item, index) => ({ ...item, amount: amounts[index] ?? null }));
}

function carriedOver({ carried }: MonthCosts): Item[] {
  return carried.map(({ name, amount }, index) => ({
    key: index === 0 ? 'carried_over' : `carried_over_${index + 1}`,
    name,
    amount,
  }));
}

function dearestFirst(items: readonly Item[]): Item[] {
  const worth = ({ amount }: Item) => amount ?? new Money(-1);
  return [...items].sort((a, b) => worth(b).cmp(worth(a)));
}
