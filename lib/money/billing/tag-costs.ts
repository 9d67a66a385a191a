import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { taggedWith } from '@/lib/core/tags/filter';
import type { Meter } from '@/lib/money/rating/meter';
import type { Month } from '@/lib/money/rating/month';
import { priced } from '@/lib/money/rating/priced';
import { usageOf } from './costs';

/** The cost of a tag's value; `value` null: of resources without the tag. Totals over all values are on every row. */
type TagCost = { value: string | null; cost: string | null; everything: string | null; values: number };

/**
 * The costs of a month by the values of a tag, highest first, before rounding. Current tags apply until the month has an
 * invoice, and then those of the invoice.
 */
export function costsByTag(
  projectId: string,
  month: Month,
  meter: Meter,
  key: string,
  most: number,
): Promise<TagCost[]> {
  return query<TagCost>(sql`
    WITH invoice AS MATERIALIZED (
      SELECT id FROM invoices WHERE project_id = ${projectId}::uuid AND month = ${`${month}-01`}::date),
    tagged AS MATERIALIZED (
      SELECT resource_id, value FROM invoice_tags WHERE invoice_id = (SELECT id FROM invoice) AND key = ${key}::text
      UNION ALL
      SELECT resource_id, value FROM (${taggedWith(projectId, key)}) AS present WHERE NOT EXISTS (SELECT FROM invoice))
    SELECT tagged.value, sum(cost_usd) AS cost, sum(sum(cost_usd)) OVER () AS everything, count(*) OVER ()::int AS values
    FROM (${priced(usageOf(projectId, month, meter))}) AS usage LEFT JOIN tagged USING (resource_id)
    GROUP BY 1 ORDER BY sum(cost_usd) DESC NULLS LAST, 1 LIMIT ${most}::int`);
}
