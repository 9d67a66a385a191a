import { type Sql, sql } from '@/lib/core/db/sql';
import { usageEventsInsert } from '@/lib/money/metering/usage-events';
import type { FunctionError, InvocationStatus, Trigger } from '../schema';

/** A start of a handler whose caller waits for the result. */
export type NewStart = {
  id: string;
  project_id: string;
  function_id: string;
  /** Of the function, for the bill. */
  name: string;
  version: number;
  trigger: Trigger;
  caller: { kind: string; id: string } | null;
  /** JSON; null where it is too long to keep. */
  payload: string | null;
};

/** A start that is on the disk. */
export type Started = {
  start: NewStart;
  /** The number of its line in the journal. */
  start_line: number;
  /** ISO 8601. */
  started_at: string;
};

/** How an attempt ended. */
export type Ended = {
  id: string;
  status: InvocationStatus;
  result: string | null;
  error: FunctionError | null;
  log: string;
  log_truncated: boolean;
  duration_ms: number;
  memory_mb: number;
  cold_start: boolean;
  /** The function's own doing, which a retry may follow. */
  failed: boolean;
  ended_at: string;
  /** When the next attempt is due, in seconds from now. */
  again_s: number | null;
};

const METRIC = 'function_invocations';

/**
 * One event for the starts of a function on a day, named after the first of them.
 * @param from rows with id, project_id, function_id, name, `attempts`, which count this start, and the moment `at`
 */
export const counted = (from: Sql): Sql =>
  usageEventsInsert(sql`(SELECT 'invocation:' || min(id::text) || ':' || attempts AS key, project_id, ${METRIC}::text AS metric,
    'function' AS resource_type, function_id AS resource_id, min(name) AS resource_name, count(*) AS quantity, min(at) AS occurred_at
    FROM ${from} GROUP BY project_id, function_id, attempts, date_trunc('day', at, 'UTC')) AS events`);

/** Text in JSON that jsonb can't hold: NUL and halves of surrogate pairs, which a function may well print. */
const UNSTORABLE = /\\u(?:0000|d[89a-f][0-9a-f]{2})/g;

/** JSON for a parameter of the type jsonb. */
export function jsonbText(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes('\\u') ? text.replace(UNSTORABLE, '\\ufffd') : text;
}
