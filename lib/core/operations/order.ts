import { now } from '@/lib/clock';
import { signalChange } from '@/lib/core/db/changes';
import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { type NewOperation, operationInsert } from './enqueue';

/**
 * Orders internal work, unless the resource already has an unfinished operation.
 * @returns whether it was ordered
 */
export async function orderOperation(operation: NewOperation, projectId: string | null): Promise<boolean> {
  const idle = sql`(SELECT WHERE NOT EXISTS (SELECT FROM operations o
    WHERE o.resource_id = ${operation.resource.id}::uuid AND o.status IN ('pending', 'running'))) AS idle`;
  const ordered = await execute(operationInsert({ at: now(), request_id: null }, operation, projectId, idle));
  if (ordered > 0) signalChange();
  return ordered > 0;
}
