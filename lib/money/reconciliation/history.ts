import { join, raw, type Sql, sql } from '@/lib/core/db/sql';
import type { BillingRule } from '@/lib/money/metering/billing-rule';

/**
 * The expected billing from the statuses of resources, as CTEs ending in `history` (project_id, resource_type,
 * resource_id, metric, quantity, begins, ends). Reads the recorded statuses and no metering data.
 *
 * A lost resource counts until it was last known to run, except that an issued invoice stays as it is.
 */
export function history(until: Date, rules: readonly BillingRule[]): Sql {
  const lossy = rules.filter(({ ends_when_lost }) => ends_when_lost);
  const runs = (state: string) =>
    lossy.length === 0
      ? raw('false')
      : sql`(${join(
          lossy.map((rule) => billedIn(rule, state)),
          ' OR ',
        )})`;
  return sql`
    loss AS MATERIALIZED (
      SELECT l.id, l.resource_id, greatest(l.at, run.began, (
          SELECT max(i.month + interval '1 month') AT TIME ZONE 'UTC' FROM invoices i
          WHERE i.project_id = l.project_id AND i.issued_at <= seen.at)) AS ran_until
      FROM resource_states l
      LEFT JOIN LATERAL (SELECT n.at FROM resource_states n WHERE n.resource_id = l.resource_id AND n.id > l.id ORDER BY n.id LIMIT 1) AS seen ON true
      CROSS JOIN LATERAL (
        SELECT min(r.at) AS began FROM resource_states r
        WHERE r.resource_id = l.resource_id AND r.id < l.id AND ${runs('r')} AND r.id > coalesce((
          SELECT max(off.id) FROM resource_states off
          WHERE off.resource_id = l.resource_id AND off.id < l.id AND NOT ${runs('off')}), 0)) AS run
      WHERE l.status = 'lost' AND run.began IS NOT NULL),
    timeline AS (
      SELECT t.*, lead(t.at) OVER (PARTITION BY t.resource_id, t.metrics ORDER BY t.at, t.id) AS ends
      FROM (${join(rules.map(statesOf), ' UNION ALL ')}) AS t WHERE t.at < ${until}::timestamptz),
    history AS (
      SELECT t.project_id, t.resource_type, t.resource_id, part.metric, part.amount::numeric AS quantity, t.at AS begins, t.ends
      FROM timeline t CROSS JOIN LATERAL jsonb_each_text(t.size) AS part (metric, amount)
      WHERE t.billed AND part.metric = ANY (t.metrics) AND part.amount::numeric > 0)`;
}

/** The statuses that a rule covers, and whether each is billed. */
function statesOf(rule: BillingRule): Sql {
  const { resource_type, metrics, since, unchanged_in = [], ends_when_lost } = rule;
  const began = since
    ? sql`EXISTS (SELECT FROM resource_states first WHERE first.resource_id = s.resource_id AND first.status = ${since}::text AND first.id <= s.id)`
    : raw('true');
  const states = sql`s.resource_type = ${resource_type}::text AND s.status <> ALL (${unchanged_in}::text[])`;
  const part = (at: Sql) => sql`
    SELECT s.id, s.project_id, s.resource_type, s.resource_id, s.size, ${billedIn(rule, 's')} AND ${began} AS billed, ${at} AS at,
      ${metrics}::text[] AS metrics
    FROM resource_states s`;
  if (!ends_when_lost) return sql`${part(raw('s.at'))} WHERE ${states} AND s.status <> 'lost'`;
  return sql`${part(raw('coalesce(loss.ran_until, s.at)'))} LEFT JOIN loss ON loss.id = s.id
    WHERE ${states} AND (s.status <> 'lost' OR loss.id IS NOT NULL)
      AND NOT EXISTS (SELECT FROM loss l WHERE l.resource_id = s.resource_id AND l.id > s.id AND l.ran_until <= s.at)`;
}

/** Whether a state has the rule's resource type and a billed status. */
function billedIn({ resource_type, billed_in, free_in = [] }: BillingRule, state: string): Sql {
  const status = raw(`${state}.status`);
  return sql`(${raw(state)}.resource_type = ${resource_type}::text AND ${
    billed_in
      ? sql`${status} = ANY (${billed_in}::text[])`
      : sql`${status} <> ALL (${[...free_in, 'gone', 'lost']}::text[])`
  })`;
}
