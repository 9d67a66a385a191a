import type { AdministratorCall } from '@/lib/core/api/endpoint';
import { invalid } from '@/lib/core/api/errors';
import { JsonNumber, type Sendable } from '@/lib/core/api/json';
import type { Prisma } from '@/lib/core/db/generated/client';
import { newId } from '@/lib/core/db/id';
import { query } from '@/lib/core/db/pool';
import { insert, sql } from '@/lib/core/db/sql';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { type Metric, metricNames, metrics } from '@/lib/money/metering/metrics';
import type { AddRate, Rate, RatedMetric } from './schema';

type Row = {
  id: string;
  metric: Metric;
  price_usd: string;
  effective_from: string;
  created_by: string;
  created_at: Date;
};

function view({ id, metric, price_usd, effective_from, created_by, created_at }: Row): Sendable<Rate> {
  return {
    id,
    metric,
    unit_price_usd: JsonNumber.money(price_usd),
    effective_from,
    created_by,
    created_at: created_at.toISOString(),
  };
}

/** The rate card with past and future rates, in the order of invoice lines. */
export async function listRates(_: AdministratorCall): Promise<Sendable<RatedMetric>[]> {
  const rows = await query<Row & { state: RatedMetric['rates'][number]['state'] }>(sql`
    SELECT id, metric, trim_scale(price_usd) AS price_usd, to_char(effective_from, 'YYYY-MM') AS effective_from, created_by, created_at,
      CASE WHEN row_number() OVER (PARTITION BY metric, effective_from ORDER BY id DESC) > 1 THEN 'replaced'
        WHEN effective_from > month_of(platform_now()) THEN 'coming'
        WHEN effective_from = max(effective_from) FILTER (WHERE effective_from <= month_of(platform_now())) OVER (PARTITION BY metric) THEN 'current'
        ELSE 'past' END AS state
    FROM rates ORDER BY rates.effective_from DESC, id DESC`);
  return metricNames.map((metric) => {
    const { label, category, unit } = metrics[metric];
    const own = rows.filter((row) => row.metric === metric);
    const current = own.find(({ state }) => state === 'current');
    const unit_price_usd = current ? JsonNumber.money(current.price_usd) : null;
    const rates = own.map((row) => ({ ...view(row), state: row.state }));
    return { metric, name: label, category, unit, unit_price_usd, rates };
  });
}

/**
 * Adds a rate for a coming month; of several for one month the last one applies. Rates that have begun never change, so
 * that an invoice can be recomputed.
 * @throws ApiError 400 for a month that has begun
 */
export async function addRate(call: AdministratorCall, input: AddRate): Promise<Sendable<Rate>> {
  const { metric, effective_from } = input;
  // The shortest decimal text of a number is the one that was sent.
  const row: Row = {
    id: newId(),
    metric,
    price_usd: String(input.unit_price_usd),
    effective_from,
    created_by: call.caller.email,
    created_at: call.at,
  };
  const added = view(row);
  const first = `${effective_from}-01`;
  await commit(call, {
    project_id: null,
    resource: { type: 'rate', id: row.id, name: metric },
    target: sql`SELECT ${first}::date > month_of(platform_now()) AS allowed, NULL::text AS state,
      trim_scale(rate_in(${metric}::text, ${first}::date)) AS price_usd FROM k`,
    forbidden: () =>
      invalid('effective_from: must be a future month (UTC). Rates never change for a month that has started.'),
    rows: {
      rate: insert<Prisma.RateUncheckedCreateInput>('rates', { ...row, effective_from: first }, ifAdmitted),
    },
    details: sql`(SELECT jsonb_build_object('metric', ${metric}::text, 'effective_from', ${effective_from}::text,
      'unit_price_usd', jsonb_build_object('old', target.price_usd, 'new', ${row.price_usd}::numeric)) FROM target)`,
    answer: { status: 201, body: added },
  });
  return added;
}
