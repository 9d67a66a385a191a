import { JsonNumber, type Sendable } from '@/lib/core/api/json';
import { listOf, ofProject } from '@/lib/core/api/list';
import { pageQuery } from '@/lib/core/api/pagination';
import { raw } from '@/lib/core/db/sql';
import { type Metric, metricNames, metrics } from '@/lib/money/metering/metrics';
import { categoryOf } from './breakdown';
import { heldUnit } from './pricing';
import type { Running } from './schema';

type Row = {
  id: string;
  type: string;
  name: string;
  held: { metric: Metric; quantity: string }[];
  per_hour: string | null;
  per_month: string | null;
  since: Date;
};

/** CTEs: the current prices of all metrics, as `rated`. */
export const ratesNow = `now AS MATERIALIZED (SELECT platform_now() AS at),
    rated AS MATERIALIZED (
      SELECT m.name, m.unit_share, m.unit_share * rate_in(m.name, month_of(now.at)) AS price, m.basis, now.at,
        div(seconds_between(month_start(now.at), month_end(now.at)), 3600) AS hours
      FROM metrics m CROSS JOIN now)`;

/** The hourly cost in USD of open spans `u` with their prices `r`. */
export const perHour = "sum(u.quantity * r.price / CASE r.basis WHEN 'month' THEN r.hours ELSE 1 END)";

/** Resources that cost money now, highest cost first; unpriced ones come last. */
export const listRunning = listOf({
  query: pageQuery,
  columns: raw('id, type, name, held, per_hour, per_month, since'),
  from: raw(`(
    WITH ${ratesNow}
    SELECT u.project_id, u.resource_id AS id, u.resource_type AS type, min(u.resource_name) AS name, min(u.started_at) AS since,
      jsonb_agg(jsonb_build_object('metric', u.metric, 'quantity', trim_scale(u.quantity * r.unit_share)::text)) AS held,
      ${perHour} AS per_hour,
      sum(u.quantity * r.price * CASE r.basis WHEN 'month' THEN 1 ELSE r.hours END) AS per_month,
      -- The keyset compares texts: as many digits for all.
      lpad(coalesce(round(sum(u.quantity * r.price * CASE r.basis WHEN 'month' THEN 1 ELSE r.hours END) * 1000000000000), 0)::text, 60, '0')
        COLLATE "C" AS cost
    FROM spans u JOIN rated r ON r.name = u.metric WHERE u.ended_at IS NULL GROUP BY 1, 2, 3
  ) AS running`),
  where: ofProject(),
  filters: {},
  sort: { cost: 'cost' },
  view: ({ id, type, name, held, per_hour, per_month, since }: Row): Sendable<Running> => ({
    resource: { type, id, name },
    category: categoryOf(held.map(({ metric }) => metric)),
    metrics: metricNames.flatMap((metric) => {
      const found = held.find((line) => line.metric === metric);
      if (!found) return [];
      const quantity = JsonNumber.money(found.quantity);
      return [{ metric, name: metrics[metric].label, quantity, unit: heldUnit(metric) }];
    }),
    usd_per_hour: per_hour === null ? null : JsonNumber.money(per_hour),
    usd_per_month: per_month === null ? null : JsonNumber.money(per_month),
    since: since.toISOString(),
  }),
});
