import { execute, query } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { usageEventsInsert } from '@/lib/money/metering/usage-events';
import type { FunctionError, InvocationStatus, Trigger } from '../schema';
import { Batch } from './batch';

/** A start of a handler whose caller waits for the result. */
export type NewStart = {
  id: string;
  project_id: string;
  function_id: string;
  version: number;
  trigger: Trigger;
  caller: { kind: string; id: string } | null;
  /** JSON; null where it is too long to keep. */
  payload: string | null;
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
  /** When the next attempt is due, in seconds from now. */
  again_s: number | null;
};

const AT_ONCE = 200;
const METRIC = 'function_invocations';

/** One record to write: a start or an end. */
type Entry = { start: NewStart } | { end: Ended };

/**
 * The records of what a pool runs. A start is on the disk, and billed, before its handler runs; an end before its caller is
 * answered (docs/decisions/0106). Starts and ends that come together are one statement (docs/decisions/0135).
 */
export class Ledger {
  private readonly entries: Batch<Entry, boolean>;
  private readonly repeats: Batch<string, boolean>;

  constructor(
    private readonly cell: string,
    readonly poolId: string,
    /** How many events run now. */
    running: () => number,
  ) {
    this.entries = new Batch(AT_ONCE, (items) => this.write(items), running);
    this.repeats = new Batch(AT_ONCE, (items) => this.writeRepeats(items), running);
  }

  /** @returns false where this version of the function does not serve any more */
  start(start: NewStart): Promise<boolean> {
    return this.entries.add({ start });
  }

  async end(end: Ended): Promise<void> {
    await this.entries.add({ end });
  }

  /** The same for a queued invocation that this pool has claimed. */
  startClaimed(id: string): Promise<boolean> {
    return this.repeats.add(id);
  }

  /** Queues a claimed invocation again whose handler was not started. */
  async giveBack(id: string, afterS: number): Promise<void> {
    await execute(sql`UPDATE function_invocations SET status = 'queued', pool_id = NULL,
      next_attempt_at = platform_now() + ${afterS}::int * interval '1 second'
      WHERE id = ${id}::uuid AND status = 'running' AND pool_id = ${this.poolId}::uuid`);
  }

  async idle(): Promise<void> {
    await this.entries.idle();
    await this.repeats.idle();
  }

  private async write(entries: readonly Entry[]): Promise<boolean[]> {
    const starts = entries.flatMap((entry) => ('start' in entry ? [entry.start] : []));
    const ends = entries.flatMap((entry) => ('end' in entry ? [entry.end] : []));
    if (starts.length === 0) {
      await execute(this.ended(ends));
      return entries.map(() => true);
    }
    const written = await query<{ id: string }>(sql`
      WITH moment AS MATERIALIZED (SELECT platform_now() AS at), given AS MATERIALIZED (
        SELECT given.*, f.name, 1 AS attempts FROM jsonb_to_recordset(${forJsonb(starts)}::jsonb) AS given (id uuid, project_id uuid, function_id uuid,
          version int, trigger text, caller jsonb, payload text)
        JOIN functions f ON f.id = given.function_id AND f.project_id = given.project_id AND f.version = given.version
      ), started AS (
        INSERT INTO function_invocations (id, project_id, function_id, cell_id, mode, trigger, status, attempts, pool_id, version, caller,
          payload, created_at, started_at)
        SELECT id, project_id, function_id, ${this.cell}::text, 'sync', trigger, 'running', 1, ${this.poolId}::uuid, version, caller,
          payload, at, at FROM given, moment RETURNING id
      ), counted AS (${counted(raw('given'))}) ${ends.length === 0 ? raw('') : sql`, ended AS (${this.ended(ends)})`}
      SELECT id FROM started`);
    const ids = new Set(written.map(({ id }) => id));
    return entries.map((entry) => 'end' in entry || ids.has(entry.start.id));
  }

  private async writeRepeats(ids: readonly string[]): Promise<boolean[]> {
    const written = await query<{ id: string }>(sql`
      WITH started AS (
        UPDATE function_invocations i SET attempts = i.attempts + 1, started_at = platform_now()
        FROM functions f WHERE i.id = ANY (${[...ids]}::uuid[]) AND i.status = 'running' AND i.pool_id = ${this.poolId}::uuid
          AND f.id = i.function_id RETURNING i.id, i.project_id, i.function_id, i.attempts, f.name
      ), counted AS (${counted(raw('started'))})
      SELECT id FROM started`);
    const started = new Set(written.map(({ id }) => id));
    return ids.map((id) => started.has(id));
  }

  private readonly ended = (ends: readonly Ended[]): Sql => sql`
    UPDATE function_invocations i SET status = given.status, result = given.result, error = given.error, log = given.log,
      log_truncated = given.log_truncated, duration_ms = given.duration_ms, memory_mb = given.memory_mb,
      cold_start = given.cold_start, failures = i.failures + given.failed::int, ended_at = moment.at,
      next_attempt_at = moment.at + given.again_s * interval '1 second'
    FROM jsonb_to_recordset(${forJsonb(ends)}::jsonb) AS given (id uuid, status text, result text, error jsonb, log text,
      log_truncated boolean, duration_ms float8, memory_mb int, cold_start boolean, failed boolean, again_s float8),
      (SELECT platform_now() AS at) AS moment
    WHERE i.id = given.id AND i.status = 'running' AND i.pool_id = ${this.poolId}::uuid`;
}

/**
 * Bills starts that a statement writes down: one event for those of a function, named after the first of them. A start has one row
 * of its own, so a statement that is repeated fails before it counts again.
 * @param from rows with id, project_id, function_id, name and attempts, which count this start
 */
const counted = (from: Sql): Sql =>
  usageEventsInsert(sql`(SELECT 'invocation:' || min(id::text) || ':' || attempts AS key, project_id, ${METRIC}::text AS metric,
    'function' AS resource_type, function_id AS resource_id, min(name) AS resource_name, count(*) AS quantity, platform_now() AS occurred_at
    FROM ${from} GROUP BY project_id, function_id, attempts) AS events`);

/** jsonb can hold no NUL, which a function may well print. */
const forJsonb = (items: readonly object[]) => JSON.stringify(items).replaceAll('\\u0000', '\\ufffd');
