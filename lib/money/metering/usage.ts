import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { endOf, type Month, startOf } from '@/lib/money/rating/month';

/** A time, or an SQL expression for one. */
type Moment = Date | Sql;

/**
 * Usage between two times, as a query of `project_id, metric, resource_type, resource_id, resource_name, day (UTC),
 * quantity`: one row per resource, metric and day or month; for months `day` is the first one. Counted events belong to
 * whole days.
 * @param usage a condition on `u.project_id`, `u.metric` and `u.resource_id`
 * @param to not in the future; open spans count until then
 */
export function usageBetween(usage: Sql, from: Moment, to: Moment, per: 'day' | 'month'): Sql {
  return sql`${lasted(usage, from, to, per)} UNION ALL ${counted(
    sql`${usage} AND u.day >= (${from}::timestamptz AT TIME ZONE 'UTC')::date AND u.day < (${to}::timestamptz AT TIME ZONE 'UTC')`,
    per,
  )}`;
}

/**
 * Usage on a month's present or future invoice, in the rows of `usageBetween`; late usage has a day of an earlier
 * month.
 * @param to the end of the month, or a time in it that is not in the future
 */
export function usageBilledIn(usage: Sql, month: Month, to: Date, per: 'day' | 'month'): Sql {
  return sql`${lasted(usage, startOf(month), to, per)}
    UNION ALL ${counted(sql`${usage} AND u.billing_month = ${`${month}-01`}::date`, per)}`;
}

/**
 * `usageBilledIn` by day without resources, as a query of `metric, day, quantity`. Reads each span once, not once per
 * day.
 */
export function dailyUsageBilledIn(usage: Sql, month: Month, to: Date): Sql {
  return sql`${lastedDaily(usage, startOf(month), to)} UNION ALL
    SELECT u.metric, u.day, u.quantity FROM usage_counts u WHERE ${usage} AND u.billing_month = ${`${month}-01`}::date`;
}

/** Sums up spans with the same first and last day first; all days in between are whole. */
function lastedDaily(usage: Sql, from: Date, to: Date): Sql {
  return sql`
    SELECT grouped.metric, slice.day::date AS day, sum(CASE WHEN first_day = last_day THEN grouped.within WHEN slice.day = first_day THEN head
      WHEN slice.day = last_day THEN tail ELSE held * 86400 END) AS quantity
    FROM (
      SELECT metric, first_day, last_day, sum(quantity) AS held, sum(quantity * extract(epoch FROM ends - begins)) AS within,
        sum(quantity * extract(epoch FROM first_day + interval '1 day' - begins)) AS head, sum(quantity * extract(epoch FROM ends - last_day)) AS tail
      FROM (
        SELECT u.metric, u.quantity, cut.*, date_trunc('day', cut.begins) AS first_day, date_trunc('day', cut.ends - interval '1 microsecond') AS last_day
        FROM (SELECT ${from}::timestamptz AS begins, ${to}::timestamptz AS ends OFFSET 0) AS period
        JOIN spans u ON u.started_at < period.ends AND (u.ended_at IS NULL OR u.ended_at > period.begins)
        CROSS JOIN LATERAL (SELECT greatest(u.started_at, period.begins) AT TIME ZONE 'UTC' AS begins,
          least(u.ended_at, period.ends) AT TIME ZONE 'UTC' AS ends) AS cut
        WHERE ${usage}
      ) AS cuts GROUP BY 1, 2, 3
    ) AS grouped CROSS JOIN LATERAL generate_series(first_day, last_day, interval '1 day') AS slice (day) GROUP BY 1, 2`;
}

/** Cuts each span only into the days that it covers, so the cost is proportional to the result. */
function lasted(usage: Sql, from: Moment, to: Moment, per: 'day' | 'month'): Sql {
  const step = raw(`interval '1 ${per}'`);
  return sql`
    SELECT u.project_id, u.metric, u.resource_type, u.resource_id, min(u.resource_name) AS resource_name, slice.day::date AS day,
      sum(u.quantity * seconds_between(greatest(u.started_at, slice.day AT TIME ZONE 'UTC', period.begins),
        least(u.ended_at, (slice.day + ${step}) AT TIME ZONE 'UTC', period.ends))) AS quantity
    FROM (SELECT ${from}::timestamptz AS begins, ${to}::timestamptz AS ends OFFSET 0) AS period
    JOIN spans u ON u.started_at < period.ends AND (u.ended_at IS NULL OR u.ended_at > period.begins)
    CROSS JOIN LATERAL generate_series(date_trunc('${raw(per)}', greatest(u.started_at, period.begins) AT TIME ZONE 'UTC'),
      least(u.ended_at, period.ends) AT TIME ZONE 'UTC' - interval '1 microsecond', ${step}) AS slice (day)
    WHERE ${usage} GROUP BY 1, 2, 3, 4, 6`;
}

function counted(usage: Sql, per: 'day' | 'month'): Sql {
  return sql`
    SELECT u.project_id, u.metric, u.resource_type, u.resource_id, min(u.resource_name) AS resource_name,
      date_trunc('${raw(per)}', u.day)::date AS day, sum(u.quantity) AS quantity
    FROM usage_counts u WHERE ${usage} GROUP BY 1, 2, 3, 4, 6`;
}

/**
 * The content of a month's invoice, as a query of `project_id, metric, used_in, quantity`: one row per metric.
 * `used_in` is the first day of the month of use, an earlier month for late usage. The month must have ended.
 * @param project a condition on `u.project_id`
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
