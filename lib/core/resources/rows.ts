import { raw, type Sql, sql } from '@/lib/core/db/sql';
import type { StepWrite } from '@/lib/core/operations/steps';
import { ifAdmitted } from '@/lib/core/quota/guarded';

/**
 * A change of a resource's row by its own domain, as part of a step or repair; written only if that is admitted.
 * Conditions may follow: `sql\`${changeRow(…)} AND volumes.status = 'attaching'\``.
 */
export function changeRow(table: string, id: string, set: Sql): Sql {
  return sql`UPDATE ${raw(table)} SET ${set}, updated_at = platform_now() FROM ${ifAdmitted} AND ${raw(table)}.id = ${id}::uuid`;
}

/** The resource is what it should be, and no reason is left to read. */
export function settledRow(table: string, id: string, status: string): Sql {
  return changeRow(table, id, sql`status = ${status}::text, status_reason = NULL`);
}

/** The resource has failed; `reason` is for its owner. */
export function rowInError(table: string, id: string, reason: string): Sql {
  return changeRow(table, id, sql`status = 'error', status_reason = ${reason}::text`);
}

/** Shows what a resource waits for, where that is news. */
export function waitingFor(table: string, id: string, message: string): StepWrite {
  const news = sql`${changeRow(table, id, sql`status_reason = ${message}::text`)} AND status_reason IS DISTINCT FROM ${message}::text`;
  return { rows: { waiting: news }, waits_for: message };
}
