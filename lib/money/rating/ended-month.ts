import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { usageToInvoice } from '@/lib/money/metering/usage';
import type { Meter, MeterLine } from './meter';
import { endOf, type Month, startOf } from './month';

/**
 * The meters of these projects at the end of an ended month: the content of its invoice. Counted events have only a
 * day, so `as_of` is that day's last millisecond.
 */
export async function metersAtEndOf(month: Month, projects: readonly string[]): Promise<Map<string, Meter>> {
  const [begins, ends] = [startOf(month), endOf(month)];
  const rows = await query<MeterLine & { project_id: string }>(sql`
    WITH used AS (
      SELECT project_id, metric, used_in, sum(quantity) AS quantity
      FROM (${usageToInvoice(sql`u.project_id = ANY (${projects}::uuid[])`, month)}) AS usage GROUP BY 1, 2, 3),
    changed AS (
      SELECT project_id, metric, ${`${month}-01`}::date AS used_in, sum(quantity) FILTER (WHERE ended_at IS NULL OR ended_at >= ${ends}::timestamptz) AS held,
        max(CASE WHEN ended_at < ${ends}::timestamptz THEN ended_at ELSE greatest(started_at, ${begins}::timestamptz) END) AS as_of
      FROM spans WHERE project_id = ANY (${projects}::uuid[]) AND started_at < ${ends}::timestamptz
        AND (ended_at IS NULL OR ended_at > ${begins}::timestamptz) GROUP BY 1, 2
      UNION ALL
      SELECT project_id, metric, date_trunc('month', day)::date, 0,
        greatest((max(day) + 1)::timestamp AT TIME ZONE 'UTC' - interval '1 millisecond', ${begins}::timestamptz)
      FROM usage_counts WHERE project_id = ANY (${projects}::uuid[]) AND billing_month = ${`${month}-01`}::date GROUP BY 1, 2, 3)
    SELECT project_id, metric, coalesce(trim_scale(held), 0) AS held, trim_scale(quantity) AS quantity,
      trim_scale(rate_in(metric, used_in)) AS price_usd, as_of
    FROM used JOIN changed USING (project_id, metric, used_in) ORDER BY project_id, metric, used_in`);
  const meters = new Map<string, Meter & { lines: MeterLine[] }>();
  for (const project_id of projects) meters.set(project_id, { at: ends, month, lines: [] });
  for (const { project_id, ...line } of rows) meters.get(project_id)?.lines.push(line);
  return meters;
}
