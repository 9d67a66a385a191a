import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { endOf, type Month, startOf } from '@/lib/money/rating/month';

/** A moment, or an expression in SQL that is one. */
type Moment = Date | Sql;

/**
 * What was used from one moment to another, as a query of `project_id, metric, resource_type, resource_id, resource_name,
 * day (of UTC), quantity`: one row a resource, metric and day or month; `day` is the first one of the month then. Counted
 * events come by whole days, those on which they happened.
 * @param usage which, as a condition on `u.project_id`, and `u.metric` and `u.resource_id` too
 * @param to not in the future: what runs is counted until then
 */
export function usageBetween(usage: Sql, from: Moment, to: Moment, per: 'day' | 'month'): Sql {
  return sql`${lasted(usage, from, to, per)} UNION ALL ${counted(
    sql`${usage} AND u.day >= (${from}::timestamptz AT TIME ZONE 'UTC')::date AND u.day < (${to}::timestamptz AT TIME ZONE 'UTC')`,
    per,
  )}`;
}

/**
 * What is on the invoice of a month, or will be, in the rows of `usageBetween`: usage that became known late has a day of
 * an earlier month.
 * @param to the end of the month, or a moment of it that is not in the future
 */
export function usageBilledIn(usage: Sql, month: Month, to: Date, per: 'day' | 'month'): Sql {
  return sql`${lasted(usage, startOf(month), to, per)}
    UNION ALL ${counted(sql`${usage} AND u.billing_month = ${`${month}-01`}::date`, per)}`;
}

/** `usageBilledIn` by days, without resources, as a query of `metric, day, quantity`: one look at each span, not one a day. */
export function dailyUsageBilledIn(usage: Sql, month: Month, to: Date): Sql {
  return sql`${lastedDaily(usage, startOf(month), to)} UNION ALL
    SELECT u.metric, u.day, u.quantity FROM usage_counts u WHERE ${usage} AND u.billing_month = ${`${month}-01`}::date`;
}

/** Spans with the same first and last day are added up first; their days between are whole ones. */
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

/** A span is cut only into the days that it has: what is asked for costs no more than what it gives. */
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
