import { newId } from '@/lib/core/db/id';
import { execute, query, queryRow } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { Batch } from './batch';
import { Outcomes } from './outcomes';
import { counted, countedStarts, type Ended, jsonbText, type NewStart, type Started } from './records';

const AT_ONCE = 200;
/** Events that run longer are in the history, and billed, while they run. */
const SHOWN_AFTER_MS = 250;

/**
 * The records of what a pool runs. A start is on the disk before its handler runs, and is billed whatever becomes of the process; its
 * end outlives the process before its caller is answered (docs/decisions/0106, 0151).
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

  async close(): Promise<void> {
    await this.starts.idle();
    await this.repeats.idle();
    await this.repeatsEnded.idle();
    await this.outcomes.close();
  }

  /** Puts what has been running for a while into the history, and bills it. */
  async showRunning(): Promise<void> {
    const before = performance.now() - SHOWN_AFTER_MS;
    const shown = [...this.open].filter(({ isShown, since }) => !isShown && since < before);
    if (shown.length === 0) return;
    const ids = shown.map(({ start }) => start.id);
    const batches = [...new Set(shown.map(({ starts }) => starts.id))];
    await execute(sql`WITH counting AS (
        UPDATE function_starts SET is_counted = true WHERE id = ANY (${batches}::uuid[]) AND pool_id = ${this.poolId}::uuid AND NOT is_counted
        RETURNING *
      ), counted AS (${countedStarts(raw('counting'))})
      ${historyInsert(sql`'running', NULL::timestamptz, NULL::jsonb`)}
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
      ), uncounted AS (SELECT * FROM abandoned WHERE NOT is_counted), counted AS (${countedStarts(raw('uncounted'))})
      ${historyInsert(sql`'failed', platform_now(), ${error}::jsonb`)}
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
      WITH moment AS MATERIALIZED (SELECT platform_now() AS at), serving AS (
        SELECT array_agg(given.id) AS ids FROM ${givenOf(sql`${text}::jsonb`)}
        JOIN functions f ON f.id = given.function_id AND f.project_id = given.project_id AND f.version = given.version
      ), started AS (
        INSERT INTO function_starts (id, cell_id, pool_id, ids, starts, created_at)
        SELECT ${id}::uuid, ${this.cell}::text, ${this.poolId}::uuid, ids, ${text}::jsonb, at FROM serving, moment WHERE ids IS NOT NULL
      ) SELECT ids, at FROM serving, moment`);
    const written = new Set(ids);
    const [starts, started_at] = [{ id, left: written.size }, at.toISOString()];
    return items.map((start) => (written.has(start.id) ? { start, starts, started_at, since, isShown: false } : null));
  }

  private async writeRepeats(ids: readonly string[]): Promise<boolean[]> {
    const written = await query<{ id: string }>(sql`
      WITH started AS (
        UPDATE function_invocations i SET attempts = i.attempts + 1, started_at = platform_now()
        FROM functions f WHERE i.id = ANY (${[...ids]}::uuid[]) AND i.status = 'running' AND i.pool_id = ${this.poolId}::uuid
          AND f.id = i.function_id RETURNING i.id, i.project_id, i.function_id, i.attempts, i.started_at AS at, f.name
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
