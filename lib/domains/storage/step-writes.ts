import { type Sql, sql } from '@/lib/core/db/sql';
import { again, failure, type Step, type StepWrite } from '@/lib/core/operations/steps';
import { EngineError } from '@/lib/engines/error';

const CROWDED_MS = 5000;
/** What goes wrong so often in a row will not go right by itself. */
const MOST_ATTEMPTS = 5;

type Table = 'volumes' | 'snapshots';

/** A change of a row, as part of a step or repair; written only if that is admitted. */
export function change(table: Table, id: string, set: Sql): Sql {
  return table === 'volumes'
    ? sql`UPDATE volumes SET ${set}, updated_at = platform_now() FROM verdict WHERE verdict.ok AND volumes.id = ${id}::uuid`
    : sql`UPDATE snapshots SET ${set}, updated_at = platform_now() FROM verdict WHERE verdict.ok AND snapshots.id = ${id}::uuid`;
}

/** Shows what a volume or snapshot waits for, where that is news. */
export function waitingFor(table: Table, id: string, message: string): StepWrite {
  const news = sql`${change(table, id, sql`status_reason = ${message}::text`)} AND status_reason IS DISTINCT FROM ${message}::text`;
  return { rows: { waiting: news }, waits_for: message };
}

/** What an engine's error means for a step: that it can never succeed, that room may come, or that trying again helps. */
export function meaning({ operation }: Step<unknown>, table: Table, error: unknown) {
  if (!(error instanceof EngineError)) throw error;
  switch (error.code) {
    case 'INVALID':
    case 'NOT_FOUND':
      return failure(error.message);
    case 'CAPACITY_EXHAUSTED':
    case 'ENGINE_UNAVAILABLE':
    case 'IN_USE':
      return again(CROWDED_MS, waitingFor(table, operation.resource_id, error.message));
    case 'ENGINE_ERROR':
      if (operation.attempts + 1 >= MOST_ATTEMPTS) return failure(error.message);
      throw error;
  }
}
