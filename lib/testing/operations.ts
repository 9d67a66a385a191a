import { query, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';

/** The columns of an operation that tests read. */
export type OperationState = {
  id: string;
  kind: string;
  status: string;
  stage: string;
  attempts: number;
  error: string | null;
  lease_owner: string | null;
  lease_token: number;
};

/** The operations of a resource, oldest first. */
export async function operationsOf(resourceId: string): Promise<OperationState[]> {
  return query<OperationState>(sql`SELECT id, kind, status, stage, attempts, error, lease_owner, lease_token
    FROM operations WHERE resource_id = ${resourceId}::uuid ORDER BY id`);
}

/** The log of a resource's operations, one `level stage message` per line. */
export async function logOf(resourceId: string): Promise<string[]> {
  const rows = await query<{ line: string }>(sql`
    SELECT rtrim(l.level || ' ' || l.stage || ' ' || l.message) AS line FROM operation_logs l JOIN operations o ON o.id = l.operation_id
    WHERE o.resource_id = ${resourceId}::uuid ORDER BY l.at, l.id`);
  return rows.map(({ line }) => line);
}

/** A widget's status and reason; undefined when deleted. */
export async function widgetState(id: string): Promise<{ status: string; reason: string | null } | undefined> {
  return queryOne(sql`SELECT status, status_reason AS reason FROM widgets WHERE id = ${id}::uuid`);
}
