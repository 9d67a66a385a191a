import { newId } from '@/lib/core/db/id';
import { execute, queryOne } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { addCredit } from '@/lib/money/credit/ledger';
import type { Metric } from '@/lib/money/metering/metrics';
import { foldUsage, recordUsage } from '@/lib/money/metering/usage-events';

/** A resource that tests say how much it has of a metric, as the triggers of real ones do. */
export type TestResource = { project_id: string; id: string; name: string };

export const testResource = (project_id: string, name = 'web'): TestResource => ({ project_id, id: newId(), name });

/** Says how much it has from now on. */
export async function holds(resource: TestResource, metric: Metric, quantity: string): Promise<void> {
  await queryOne(sql`SELECT meter(${resource.project_id}::uuid, ${metric}::text, 'instance', ${resource.id}::uuid,
    ${resource.name}::text, ${quantity}::numeric, platform_now())`);
}

const TOKENS_PER_MILLIONTH = 5n;

/** Spends so many millionths of a USD at once, by prompt tokens at 0.20 a million. */
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
  // Happened when the clock of the test says, which may be stopped.
  await execute(
    sql`UPDATE usage_events SET occurred_at = platform_now() WHERE NOT folded AND project_id = ${projectId}::uuid`,
  );
  await foldUsage();
}

/** Adds prepaid credit, as a payment does. */
export async function credit(projectId: string, amount_usd: string, source = `test:${newId()}`): Promise<void> {
  const entry = { project_id: projectId, source, amount_usd, reason: 'test', created_by: 'test', at: new Date() };
  await execute(addCredit('top_up', entry, raw('(SELECT) AS always')));
}
