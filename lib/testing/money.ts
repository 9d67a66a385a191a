import { newId } from '@/lib/core/db/id';
import { execute, queryOne } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { addCredit } from '@/lib/money/credit/ledger';
import type { Metric } from '@/lib/money/metering/metrics';
import { foldUsage, recordUsage } from '@/lib/money/metering/usage-events';

/** A test resource whose held amounts are set directly, as the triggers of real ones do. */
export type TestResource = { project_id: string; id: string; name: string };

export const testResource = (project_id: string, name = 'web'): TestResource => ({ project_id, id: newId(), name });

/** Sets the amount that it holds from now on. */
export async function holds(resource: TestResource, metric: Metric, quantity: string): Promise<void> {
  await queryOne(sql`SELECT meter(${resource.project_id}::uuid, ${metric}::text, 'instance', ${resource.id}::uuid,
    ${resource.name}::text, ${quantity}::numeric, platform_now())`);
}

const TOKENS_PER_MILLIONTH = 5n;

/** Spends this many millionths of a USD at once, by prompt tokens at 0.20 per million. */
export async function spend(projectId: string, millionths: number): Promise<void> {
  await recordUsage([
    {
      key: `test:${newId()}`,
      project_id: projectId,
      metric: 'ai_prompt_tokens',
      resource_type: 'model',
      resource_id: projectId,
      resource_name: 'model',
      quantity: BigInt(millionths) * TOKENS_PER_MILLIONTH,
      occurred_at: new Date(0),
    },
  ]);
  // Dated by the test's clock, which may be frozen.
  await execute(
    sql`UPDATE usage_events SET occurred_at = platform_now() WHERE NOT folded AND project_id = ${projectId}::uuid`,
  );
  await foldUsage();
}

/** Adds prepaid credit like a payment. */
export async function credit(projectId: string, amount_usd: string, source = `test:${newId()}`): Promise<void> {
  const entry = { project_id: projectId, source, amount_usd, reason: 'test', created_by: 'test', at: new Date() };
  await execute(addCredit('top_up', entry, raw('(SELECT) AS always')));
}
