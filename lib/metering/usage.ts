import { raw, type Sql, sql } from '@/lib/db/sql';
import { endOf, type Month, startOf } from '@/lib/rating/month';

/**
 * What was used from one moment to another, as a query of `project_id, metric, resource_type, resource_id, resource_name,
 * day (of UTC), quantity`: one row a resource, metric and day or month; `day` is the first one of the month then. What
 * runs is counted until `platform_now()`. Counted events come by whole days.
 * @param project which, as a condition on `u.project_id`
 */
export function usageBetween(project: Sql, from: Date, to: Date, per: 'day' | 'month'): Sql {
  const step = raw(per === 'day' ? "interval '1 day'" : "interval '1 month'");
  return sql`
    SELECT u.project_id, u.metric, u.resource_type, u.resource_id, min(u.resource_name) AS resource_name, slice.day::date AS day,
      sum(u.quantity * seconds_between(greatest(u.started_at, slice.begins, period.begins),
        least(u.ended_at, slice.ends, period.ends))) AS quantity
    FROM (SELECT ${from}::timestamptz AS begins, least(${to}::timestamptz, platform_now()::timestamptz(3)) AS ends OFFSET 0) AS period
    CROSS JOIN LATERAL (
      SELECT day, day AT TIME ZONE 'UTC' AS begins, (day + ${step}) AT TIME ZONE 'UTC' AS ends
      FROM generate_series(date_trunc('${raw(per)}', period.begins AT TIME ZONE 'UTC'),
        period.ends AT TIME ZONE 'UTC' - interval '1 microsecond', ${step}) AS day
    ) AS slice
    JOIN spans u ON u.started_at < least(slice.ends, period.ends)
      AND (u.ended_at IS NULL OR u.ended_at > greatest(slice.begins, period.begins))
    WHERE ${project} GROUP BY 1, 2, 3, 4, 6
    UNION ALL
    SELECT u.project_id, u.metric, u.resource_type, u.resource_id, min(u.resource_name), date_trunc('${raw(per)}', u.day)::date,
      sum(u.quantity) FROM usage_counts u
    WHERE ${project} AND u.day >= (${from}::timestamptz AT TIME ZONE 'UTC')::date AND u.day < (${to}::timestamptz AT TIME ZONE 'UTC')
    GROUP BY 1, 2, 3, 4, 6`;
}

/**
 * What the invoice of a month holds, as a query of `project_id, metric, used_in, quantity`: one row a metric, `used_in` the
 * first day of the month in which it was used, which is an earlier one for what was told late. The month has ended.
 * @param project which, as a condition on `u.project_id`
 */
export function usageToInvoice(project: Sql, month: Month): Sql {
  const [begins, ends] = [startOf(month), endOf(month)];
  return sql`
    SELECT u.project_id, u.metric, ${`${month}-01`}::date AS used_in,
      sum(u.quantity * seconds_between(greatest(u.started_at, ${begins}::timestamptz), least(u.ended_at, ${ends}::timestamptz))) AS quantity
    FROM spans u WHERE ${project} AND u.started_at < ${ends}::timestamptz AND (u.ended_at IS NULL OR u.ended_at > ${begins}::timestamptz)
    GROUP BY 1, 2
    UNION ALL
    SELECT u.project_id, u.metric, date_trunc('month', u.day)::date, sum(u.quantity) FROM usage_counts u
    WHERE ${project} AND u.billing_month = ${`${month}-01`}::date GROUP BY 1, 2, 3`;
}
