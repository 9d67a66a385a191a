import { query } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { metricNames } from '@/lib/money/metering/metrics';
import { usageBilledIn } from '@/lib/money/metering/usage';
import type { Meter } from '@/lib/money/rating/meter';
import { priced } from '@/lib/money/rating/priced';
import { meteredUntil, usageOf } from './costs';
import { perHour, ratesNow } from './running';

/** Costs in USD, exact decimals. */
export type ResourceCost = { hourly: string; month_to_date: string };

/** The costs of these resources at the moment of the meter; those without usage this month are absent. One statement. */
export async function costsOfResources(
  projectId: string,
  ids: readonly string[],
  meter: Meter,
): Promise<Map<string, ResourceCost>> {
  // Naming the metrics lets PostgreSQL read counts by their primary key.
  const which = sql`u.project_id = ${projectId}::uuid AND u.resource_id = ANY (${ids}::uuid[])
    AND u.metric = ANY (${metricNames}::text[])`;
  const rows = await query<ResourceCost & { id: string }>(sql`
    WITH ${raw(ratesNow)},
    held AS (SELECT u.resource_id AS id, ${raw(perHour)} AS hourly FROM spans u JOIN rated r ON r.name = u.metric
      WHERE ${which} AND u.ended_at IS NULL GROUP BY 1),
    used AS (SELECT resource_id AS id, sum(cost_usd) AS month_to_date
      FROM (${priced(usageBilledIn(which, meter.month, meteredUntil(meter), 'month'))}) AS usage GROUP BY 1)
    SELECT id, coalesce(hourly, 0)::text AS hourly, coalesce(month_to_date, 0)::text AS month_to_date FROM held FULL JOIN used USING (id)`);
  return new Map(rows.map(({ id, ...cost }) => [id, cost]));
}

/** The month's costs so far in USD, by type of resource. */
export async function costsOfTypes(projectId: string, meter: Meter): Promise<Map<string, string>> {
  const rows = await query<{ type: string; cost: string }>(sql`
    SELECT resource_type AS type, coalesce(sum(cost_usd), 0)::text AS cost
    FROM (${priced(usageOf(projectId, meter.month, meter))}) AS usage GROUP BY 1`);
  return new Map(rows.map(({ type, cost }) => [type, cost]));
}
