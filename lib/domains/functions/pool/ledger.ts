import { newId } from '@/lib/core/db/id';
import { execute, query, queryRow } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { usageEventsInsert } from '@/lib/money/metering/usage-events';
import type { FunctionError, InvocationStatus, Trigger } from '../schema';
import { Batch } from './batch';
import { type OpenStarts, Outcomes } from './outcomes';
import { jsonbText } from './records';

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

/** A start that is on the disk. */
export type Started = {
  start: NewStart;
  /** Those that were written down with it. */
  starts: OpenStarts;
  /** ISO 8601, by the database's clock. */
  started_at: string;
  since: number;
  isShown: boolean;
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

const AT_ONCE = 200;
const METRIC = 'function_invocations';
/** Events that run longer are in the history while they run. */
const SHOWN_AFTER_MS = 250;

/**
 * The records of what a pool runs. A start is on the disk, and billed, before its handler runs; its end outlives the process
 * before its caller is answered (docs/decisions/0106, 0151).
 */
export class Ledger {
  private readonly starts: Batch<NewStart, Started | null>;
  private readonly repeats: Batch<string, boolean>;
  private readonly repeatsEnded: Batch<Ended, true>;
  private readonly outcomes: Outcomes;
  /** What runs for callers that wait. */
  private readonly open = new Set<Started>();

  constructor(
    private readonly cell: string,
    readonly poolId: string,
    /** How many events run now. */
    running: () => number,
  ) {
    this.starts = new Batch(AT_ONCE, (items) => this.writeStarts(items), running);
    this.repeats = new Batch(AT_ONCE, (items) => this.writeRepeats(items), running);
    this.repeatsEnded = new Batch(AT_ONCE, (items) => this.writeRepeatsEnded(items), running);
    this.outcomes = new Outcomes(cell, poolId);
  }

  /** @returns null where this version of the function does not serve any more */
  async start(start: NewStart): Promise<Started | null> {
    const started = await this.starts.add(start);
    if (started) this.open.add(started);
    return started;
  }

  async end(started: Started, end: Ended): Promise<void> {
    this.open.delete(started);
    await this.outcomes.add(started, end);
  }

  /** Writes down that a queued invocation starts that this pool has claimed. @returns false where it was taken away */
  startClaimed(id: string): Promise<boolean> {
    return this.repeats.add(id);
  }

  async endClaimed(end: Ended): Promise<void> {
    await this.repeatsEnded.add(end);
  }

  /** Queues a claimed invocation again whose handler was not started. */
  async giveBack(id: string, afterS: number): Promise<void> {
    await execute(sql`UPDATE function_invocations SET status = 'queued', pool_id = NULL,
      next_attempt_at = platform_now() + ${afterS}::int * interval '1 second'
      WHERE id = ${id}::uuid AND status = 'running' AND pool_id = ${this.poolId}::uuid`);
  }

  /** Resolves when the history has all that callers were told. @throws where the database can't be reached */
  written(): Promise<void> {
    return this.outcomes.written();
  }

  async idle(): Promise<void> {
    await this.starts.idle();
    await this.repeats.idle();
    await this.repeatsEnded.idle();
    await this.written();
  }

  /** Puts what has been running for a while into the history. */
  async showRunning(): Promise<void> {
    const before = performance.now() - SHOWN_AFTER_MS;
    const shown = [...this.open].filter(({ isShown, since }) => !isShown && since < before);
    if (shown.length === 0) return;
    const ids = shown.map(({ start }) => start.id);
    const batches = [...new Set(shown.map(({ starts }) => starts.id))];
    await execute(sql`${historyInsert(sql`'running', NULL::timestamptz, NULL::jsonb`)}
      FROM function_starts s, ${givenOf(raw('s.starts'))} JOIN functions f ON f.id = given.function_id AND f.project_id = given.project_id
      WHERE s.id = ANY (${batches}::uuid[]) AND s.pool_id = ${this.poolId}::uuid AND given.id = ANY (${ids}::uuid[])
      ON CONFLICT (id) DO NOTHING`);
    for (const each of shown) each.isShown = true;
  }

  /**
   * Settles what earlier pools of this cell were running when they ended: outcomes that their callers were told are written; queued
   * events run again, because nobody knows how far they came; callers who waited have gone.
   */
  async recover(): Promise<void> {
    await this.outcomes.recover();
    const error = JSON.stringify({
      type: 'Platform.Interrupted',
      message: 'The platform was stopped while this event ran.',
      stack: null,
    });
    await execute(sql`WITH abandoned AS (
        DELETE FROM function_starts WHERE cell_id = ${this.cell}::text AND pool_id <> ${this.poolId}::uuid RETURNING *
      ) ${historyInsert(sql`'failed', platform_now(), ${error}::jsonb`)}
      FROM abandoned s, ${givenOf(raw('s.starts'))} JOIN functions f ON f.id = given.function_id AND f.project_id = given.project_id
      WHERE given.id = ANY (s.ids) ON CONFLICT (id) DO NOTHING`);
    await execute(sql`
      UPDATE function_invocations SET
        status = CASE mode WHEN 'async' THEN 'queued' ELSE 'failed' END,
        next_attempt_at = CASE mode WHEN 'async' THEN platform_now() END,
        error = CASE mode WHEN 'async' THEN error ELSE ${error}::jsonb END,
        ended_at = CASE mode WHEN 'async' THEN ended_at ELSE platform_now() END,
        pool_id = NULL
      WHERE cell_id = ${this.cell}::text AND status = 'running' AND pool_id IS DISTINCT FROM ${this.poolId}::uuid`);
  }

  private async writeStarts(items: readonly NewStart[]): Promise<(Started | null)[]> {
    const id = newId();
    const since = performance.now();
    const text = jsonbText(items);
    const { ids, at } = await queryRow<{ ids: string[] | null; at: Date }>(sql`
      WITH moment AS MATERIALIZED (SELECT platform_now() AS at), serving AS MATERIALIZED (
        SELECT given.id, given.project_id, given.function_id, f.name, 1 AS attempts FROM ${givenOf(sql`${text}::jsonb`)}
        JOIN functions f ON f.id = given.function_id AND f.project_id = given.project_id AND f.version = given.version
      ), started AS (
        INSERT INTO function_starts (id, cell_id, pool_id, ids, starts, created_at)
        SELECT ${id}::uuid, ${this.cell}::text, ${this.poolId}::uuid, array_agg(serving.id), ${text}::jsonb, moment.at
        FROM serving, moment GROUP BY moment.at RETURNING ids
      ), counted AS (${counted(raw('serving'))})
      SELECT (SELECT ids FROM started) AS ids, at FROM moment`);
    const written = new Set(ids);
    const [starts, started_at] = [{ id, left: written.size }, at.toISOString()];
    return items.map((start) => (written.has(start.id) ? { start, starts, started_at, since, isShown: false } : null));
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

  private async writeRepeatsEnded(ends: readonly Ended[]): Promise<true[]> {
    await execute(sql`
      UPDATE function_invocations i SET status = given.status, result = given.result, error = given.error, log = given.log,
        log_truncated = given.log_truncated, duration_ms = given.duration_ms, memory_mb = given.memory_mb,
        cold_start = given.cold_start, failures = i.failures + given.failed::int, ended_at = moment.at,
        next_attempt_at = moment.at + given.again_s * interval '1 second'
      FROM jsonb_to_recordset(${jsonbText(ends)}::jsonb) AS given (id uuid, status text, result text, error jsonb, log text,
        log_truncated boolean, duration_ms float8, memory_mb int, cold_start boolean, failed boolean, again_s float8),
        (SELECT platform_now() AS at) AS moment
      WHERE i.id = given.id AND i.status = 'running' AND i.pool_id = ${this.poolId}::uuid`);
    return ends.map(() => true);
  }
}

/** Starts as rows `given`. */
const givenOf = (
  json: Sql,
): Sql => sql`jsonb_to_recordset(${json}) AS given (id uuid, project_id uuid, function_id uuid,
  version int, trigger text, caller jsonb, payload text)`;

/** Inserts starts `given` of their statement `s` into the history. @param state status, ended_at and error */
const historyInsert = (state: Sql): Sql => sql`
  INSERT INTO function_invocations (id, project_id, function_id, cell_id, mode, trigger, attempts, pool_id, version, caller, payload,
    created_at, started_at, status, ended_at, error)
  SELECT given.id, given.project_id, given.function_id, s.cell_id, 'sync', given.trigger, 1, s.pool_id, given.version, given.caller,
    given.payload, s.created_at, s.created_at, ${state}`;

/**
 * Bills starts that a statement writes down: one event for those of a function, named after the first of them. Each statement of starts
 * has a row of its own, so one that is repeated fails before it counts again.
 * @param from rows with id, project_id, function_id, name and attempts, which count this start
 */
const counted = (from: Sql): Sql =>
  usageEventsInsert(sql`(SELECT 'invocation:' || min(id::text) || ':' || attempts AS key, project_id, ${METRIC}::text AS metric,
    'function' AS resource_type, function_id AS resource_id, min(name) AS resource_name, count(*) AS quantity, platform_now() AS occurred_at
    FROM ${from} GROUP BY project_id, function_id, attempts) AS events`);
