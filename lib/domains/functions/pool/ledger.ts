import { execute, query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
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

/**
 * The records of what a pool runs. A start is on the disk, and billed, before its handler runs; an end before its caller is
 * answered (docs/decisions/0106).
 */
export class Ledger {
  private readonly starts: Batch<NewStart, boolean>;
  private readonly repeats: Batch<string, boolean>;
  private readonly ends: Batch<Ended, true>;

  constructor(
    private readonly cell: string,
    readonly poolId: string,
  ) {
    this.starts = new Batch(AT_ONCE, (items) => this.writeStarts(items));
    this.repeats = new Batch(AT_ONCE, (items) => this.writeRepeats(items));
    this.ends = new Batch(AT_ONCE, (items) => this.writeEnds(items));
  }

  /** @returns false where the function does not exist any more */
  start(item: NewStart): Promise<boolean> {
    return this.starts.add(item);
  }

  async end(item: Ended): Promise<void> {
    await this.ends.add(item);
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
    await this.starts.idle();
    await this.repeats.idle();
    await this.ends.idle();
  }

  private async writeStarts(items: readonly NewStart[]): Promise<boolean[]> {
    const written = await query<{ id: string }>(sql`
      WITH given AS (
        SELECT given.*, f.name FROM jsonb_to_recordset(${forJsonb(items)}::jsonb) AS given (id uuid, project_id uuid, function_id uuid,
          version int, trigger text, caller jsonb, payload text)
        JOIN functions f ON f.id = given.function_id AND f.project_id = given.project_id
      ), started AS (
        INSERT INTO function_invocations (id, project_id, function_id, cell_id, mode, trigger, status, attempts, pool_id, version, caller,
          payload, created_at, started_at)
        SELECT id, project_id, function_id, ${this.cell}::text, 'sync', trigger, 'running', 1, ${this.poolId}::uuid, version, caller,
          payload, platform_now(), platform_now() FROM given RETURNING id
      ), counted AS (${usageEventsInsert(sql`(SELECT 'invocation:' || id || ':1' AS key, project_id, ${METRIC}::text AS metric,
        'function' AS resource_type, function_id AS resource_id, name AS resource_name, 1 AS quantity, platform_now() AS occurred_at
        FROM given) AS events`)})
      SELECT id FROM started`);
    const ids = new Set(written.map(({ id }) => id));
    return items.map(({ id }) => ids.has(id));
  }

  private async writeRepeats(ids: readonly string[]): Promise<boolean[]> {
    const written = await query<{ id: string }>(sql`
      WITH started AS (
        UPDATE function_invocations i SET attempts = i.attempts + 1, started_at = platform_now()
        FROM functions f WHERE i.id = ANY (${[...ids]}::uuid[]) AND i.status = 'running' AND i.pool_id = ${this.poolId}::uuid
          AND f.id = i.function_id RETURNING i.id, i.project_id, i.function_id, i.attempts, f.name
      ), counted AS (${usageEventsInsert(sql`(SELECT 'invocation:' || id || ':' || attempts AS key, project_id, ${METRIC}::text AS metric,
        'function' AS resource_type, function_id AS resource_id, name AS resource_name, 1 AS quantity, platform_now() AS occurred_at
        FROM started) AS events`)})
      SELECT id FROM started`);
    const started = new Set(written.map(({ id }) => id));
    return ids.map((id) => started.has(id));
  }

  private async writeEnds(items: readonly Ended[]): Promise<true[]> {
    await execute(sql`
      UPDATE function_invocations i SET status = given.status, result = given.result, error = given.error, log = given.log,
        log_truncated = given.log_truncated, duration_ms = given.duration_ms, memory_mb = given.memory_mb,
        cold_start = given.cold_start, failures = i.failures + given.failed::int, ended_at = platform_now(),
        next_attempt_at = platform_now() + given.again_s * interval '1 second'
      FROM jsonb_to_recordset(${forJsonb(items)}::jsonb) AS given (id uuid, status text, result text, error jsonb, log text,
        log_truncated boolean, duration_ms float8, memory_mb int, cold_start boolean, failed boolean, again_s float8)
      WHERE i.id = given.id AND i.status = 'running' AND i.pool_id = ${this.poolId}::uuid`);
    return items.map(() => true);
  }
}

/** jsonb can hold no NUL, which a function may well print. */
const forJsonb = (items: readonly object[]) => JSON.stringify(items).replaceAll('\\u0000', '\\ufffd');
