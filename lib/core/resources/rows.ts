import { raw, type Sql, sql } from '@/lib/core/db/sql';
import type { StepWrite } from '@/lib/core/operations/steps';
import { ifAdmitted } from '@/lib/core/quota/guarded';

/**
 * Updates a resource's row as part of a step or repair, if admitted. Conditions can follow: `sql\`${changeRow(…)} AND
 * volumes.status = 'attaching'\``.
 */
export function changeRow(table: string, id: string, set: Sql): Sql {
  return sql`UPDATE ${raw(table)} SET ${set}, updated_at = platform_now() FROM ${ifAdmitted} AND ${raw(table)}.id = ${id}::uuid`;
}

/** Sets the resource to its settled status and clears the reason. */
export function settledRow(table: string, id: string, status: string): Sql {
  return changeRow(table, id, sql`status = ${status}::text, status_reason = NULL`);
}

/** Puts the resource into `error`; `reason` is for its owner. */
export function rowInError(table: string, id: string, reason: string): Sql {
  return changeRow(table, id, sql`status = 'error', status_reason = ${reason}::text`);
}

/** Shows what the resource waits for, if that has changed. */
export function waitingFor(table: string, id: string, message: string): StepWrite {
  const news = sql`${changeRow(table, id, sql`status_reason = ${message}::text`)} AND status_reason IS DISTINCT FROM ${message}::text`;
  return { rows: { waiting: news }, waits_for: message };
}
