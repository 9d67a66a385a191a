import { z } from 'zod';
import type { ProjectCall } from '@/lib/core/api/endpoint';
import { invalid } from '@/lib/core/api/errors';
import { JsonNumber, type Sendable } from '@/lib/core/api/json';
import { Page } from '@/lib/core/api/pagination';
import { query } from '@/lib/core/db/pool';
import { join, raw, type Sql, sql } from '@/lib/core/db/sql';
import { type Metric, metrics } from '@/lib/money/metering/metrics';
import { usageBetween } from '@/lib/money/metering/usage';
import { type Meter, readMeter } from '@/lib/money/rating/meter';
import { startOf } from '@/lib/money/rating/month';
import { priced } from '@/lib/money/rating/priced';
import { meteredUntil } from './costs';
import type { Usage } from './schema';

export type UsageFilters = {
  from?: string | undefined;
  to?: string | undefined;
  metric?: Metric | undefined;
  resource_id?: string | undefined;
};

type Row = {
  day: string;
  metric: Metric;
  type: string;
  id: string;
  name: string;
  units: string;
  cost: string | null;
};

const DAY_MS = 86_400_000;
const MOST_DAYS = 366;

/** A period from the start of a day to the start of a day or now. */
type Period = { from: Date; to: Date };

/** @throws ApiError 400 for an invalid or too long period */
function periodOf({ from, to }: UsageFilters, meter: Meter): Period {
  const begins = from === undefined ? startOf(meter.month) : new Date(from);
  const ends = to === undefined ? meteredUntil(meter) : new Date(new Date(to).getTime() + DAY_MS);
  if (ends <= begins && from !== undefined && to !== undefined) throw invalid('to: must not be before `from`.');
  if (ends.getTime() - begins.getTime() > MOST_DAYS * DAY_MS)
    throw invalid(`from: the range may span at most ${MOST_DAYS} days.`);
  return { from: begins, to: new Date(Math.min(ends.getTime(), meteredUntil(meter).getTime())) };
}

/** Rows of a period, newest day first. Amounts are exact to six decimals, whereas invoices round once per line. */
async function usageRows(
  projectId: string,
  { metric, resource_id }: UsageFilters,
  { from, to }: Period,
  after: Sql = raw('true'),
  limit: number | null = null,
): Promise<Row[]> {
  const which = [sql`u.project_id = ${projectId}::uuid`];
  if (metric !== undefined) which.push(sql`u.metric = ${metric}::text`);
  if (resource_id !== undefined) which.push(sql`u.resource_id = ${resource_id}::uuid`);
  return query<Row>(sql`
    SELECT to_char(day, 'YYYY-MM-DD') AS day, metric, resource_type AS type, resource_id AS id, resource_name AS name, units, cost_usd AS cost
    FROM (${priced(usageBetween(join(which, ' AND '), from, to, 'day'))}) AS usage WHERE ${after}
    ORDER BY usage.day DESC, metric COLLATE "C", resource_id LIMIT ${limit}::int`);
}

function view({ day, metric, type, id, name, units, cost }: Row): Sendable<Usage> {
  return {
    day,
    metric,
    resource: { type, id, name },
    quantity: JsonNumber.money(units),
    unit: metrics[metric].unit,
    amount_usd: cost === null ? null : JsonNumber.money(cost),
  };
}

const place = z.tuple([z.iso.date(), z.string(), z.uuid()]);

function readPlace(cursor: string): z.output<typeof place> {
  try {
    return place.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch {
    throw invalid('cursor: pass it unchanged from the `Link` header of the previous page.');
  }
}

/**
 * Usage by day and resource, newest day first. Each page reads backwards from its first day, so later pages cost less
 * than the first.
 */
export async function listUsage(
  { project_id }: ProjectCall,
  { limit, cursor, ...filters }: UsageFilters & { limit: number; cursor?: string | undefined },
): Promise<Page<Sendable<Usage>>> {
  const period = periodOf(filters, await readMeter(project_id));
  let after: Sql | undefined;
  if (cursor !== undefined) {
    const [day, metric, id] = readPlace(cursor);
    period.to = new Date(Math.min(period.to.getTime(), new Date(day).getTime() + DAY_MS));
    after = sql`(usage.day < ${day}::date OR (metric COLLATE "C", resource_id) > (${metric}::text, ${id}::uuid))`;
  }
  const rows = await usageRows(project_id, filters, period, after, limit + 1);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const next = last ? Buffer.from(JSON.stringify([last.day, last.metric, last.id])).toString('base64url') : null;
  return new Page(shown.map(view), next);
}

export const csvColumns = [
  'day',
  'metric',
  'resource_type',
  'resource_id',
  'resource_name',
  'quantity',
  'unit',
  'amount_usd',
] as const;
type CsvRow = Record<(typeof csvColumns)[number], string | JsonNumber | null>;

/** The same rows for a spreadsheet, day by day. */
export async function usageForCsv(call: ProjectCall, filters: UsageFilters): Promise<AsyncGenerator<CsvRow[]>> {
  return days(call, filters, periodOf(filters, await readMeter(call.project_id)));
}

async function* days({ project_id }: ProjectCall, filters: UsageFilters, { from, to }: Period) {
  const last = Math.floor((to.getTime() - 1) / DAY_MS) * DAY_MS;
  for (let day = last; day >= from.getTime(); day -= DAY_MS) {
    const period = { from: new Date(day), to: new Date(Math.min(day + DAY_MS, to.getTime())) };
    const rows = await usageRows(project_id, filters, period);
    if (rows.length > 0) yield rows.map(csvRow);
  }
}

function csvRow(row: Row): CsvRow {
  const { day, metric, quantity, unit, amount_usd, resource } = view(row);
  const number = (value: number | JsonNumber | null) => (typeof value === 'number' ? String(value) : value);
  return {
    day,
    metric,
    resource_type: resource.type,
    resource_id: resource.id,
    resource_name: resource.name,
    quantity: number(quantity),
    unit,
    amount_usd: number(amount_usd),
  };
}
