import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { type Metric, metricNames, metrics } from '@/lib/money/metering/metrics';
import type { Pricing } from './schema';

/** The unit that is held for a time-based price: `vCPU` of `vCPU-hour`. */
export function heldUnit(metric: Metric): string {
  const { basis, unit } = metrics[metric];
  return basis === 'count' ? unit : unit.replace(/-(hour|month)$/, '');
}

/** The rate card of this month (spec 2.5) with announced price changes. */
export async function readPricing(): Promise<Pricing> {
  type Row = { metric: Metric; month: string; price: string | null; since: string | null } & (
    | { next_price: string; next_from: string }
    | { next_price: null; next_from: null }
  );
  const rows = await query<Row>(sql`
    WITH now AS MATERIALIZED (SELECT month_of(platform_now()) AS month)
    SELECT m.name AS metric, to_char(now.month, 'YYYY-MM') AS month, trim_scale(present.price_usd) AS price,
      to_char(present.effective_from, 'YYYY-MM') AS since, trim_scale(coming.price_usd) AS next_price,
      to_char(coming.effective_from, 'YYYY-MM') AS next_from
    FROM now CROSS JOIN metrics m
    LEFT JOIN LATERAL (SELECT price_usd, effective_from FROM rates WHERE metric = m.name AND effective_from <= now.month
      ORDER BY effective_from DESC, id DESC LIMIT 1) AS present ON true
    LEFT JOIN LATERAL (SELECT price_usd, effective_from FROM rates WHERE metric = m.name AND effective_from > now.month
      ORDER BY effective_from, id DESC LIMIT 1) AS coming ON true`);
  const byMetric = new Map(rows.map((row) => [row.metric, row]));
  const items = metricNames.flatMap((metric) => {
    const row = byMetric.get(metric);
    if (!row) return [];
    const { label: name, category, basis, unit: per } = metrics[metric];
    const next = row.next_price === null ? null : { unit_price_usd: row.next_price, effective_from: row.next_from };
    const price = { unit_price_usd: row.price, effective_from: row.since };
    return [{ metric, name, category, basis, unit: heldUnit(metric), per, ...price, next }];
  });
  return { month: rows[0]?.month ?? '', currency: 'USD', items };
}
