import { type Sql, sql } from '@/lib/core/db/sql';

/**
 * Adds `units` (those of the rate card, such as GB-months) and `cost_usd` to usage, unrounded; null: no price.
 * Divisions keep at least forty decimals.
 * @param usage a query with `metric`, `day` (which determines the month of the prices) and `quantity`
 */
export function priced(usage: Sql): Sql {
  return sql`
    WITH used AS MATERIALIZED (${usage}),
    rated AS MATERIALIZED (
      SELECT m.name, pairs.month, m.unit_share, rate_in(m.name, pairs.month) AS price_usd, CASE m.basis WHEN 'hour' THEN 3600
        WHEN 'month' THEN seconds_between(pairs.month::timestamp AT TIME ZONE 'UTC', (pairs.month + interval '1 month') AT TIME ZONE 'UTC')
        ELSE 1 END AS divisor
      FROM (SELECT DISTINCT metric, date_trunc('month', day)::date AS month FROM used) AS pairs JOIN metrics m ON m.name = pairs.metric)
    SELECT used.*, used.quantity * rated.unit_share / rated.divisor AS units,
      used.quantity * rated.unit_share * rated.price_usd / rated.divisor AS cost_usd
    FROM used JOIN rated ON rated.name = used.metric AND rated.month = date_trunc('month', used.day)::date`;
}
