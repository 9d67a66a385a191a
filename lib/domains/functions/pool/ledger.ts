import { execute, query } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { Batch } from './batch';
import { History } from './history';
import { counted, type Ended, jsonbText, type NewStart, type Started } from './records';

const AT_ONCE = 200;

/**
 * The records of what a pool runs. A start is on the disk before its handler runs, and is billed whatever becomes of the process; its
 * end outlives the process before its caller is answered (docs/decisions/0106, 0151).
 */
export class Ledger {
  private readonly repeats: Batch<string, boolean>;
  private readonly repeatsEnded: Batch<Ended, true>;
  private readonly history: History;

  constructor(
    private readonly cell: string,
    readonly poolId: string,
    /** How many events run now. */
    running: () => number,
  ) {
    this.repeats = new Batch(AT_ONCE, (items) => this.writeRepeats(items), running);
    this.repeatsEnded = new Batch(AT_ONCE, (items) => this.writeRepeatsEnded(items), running);
    this.history = new History(cell, poolId);
  }

  /** Writes down that a handler starts whose caller waits. */
  start(start: NewStart): Promise<Started> {
    return this.history.start(start);
  }

  end(started: Started, end: Ended): Promise<void> {
    return this.history.end(started, end);
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
    return this.history.written();
  }

  async close(): Promise<void> {
    await this.repeats.idle();
    await this.repeatsEnded.idle();
    await this.history.close();
  }

  /**
   * Settles what earlier pools of this cell were running when they ended: outcomes that their callers were told are written; queued
   * events run again, because nobody knows how far they came; callers who waited have gone.
   */
  async recover(): Promise<void> {
    const interrupted = {
      type: 'Platform.Interrupted',
      message: 'The platform was stopped while this event ran.',
      stack: null,
    };
    await this.history.open(interrupted);
    await execute(sql`
      UPDATE function_invocations SET
        status = CASE mode WHEN 'async' THEN 'queued' ELSE 'failed' END,
        next_attempt_at = CASE mode WHEN 'async' THEN platform_now() END,
        error = CASE mode WHEN 'async' THEN error ELSE ${JSON.stringify(interrupted)}::jsonb END,
        ended_at = CASE mode WHEN 'async' THEN ended_at ELSE platform_now() END,
        pool_id = NULL
      WHERE cell_id = ${this.cell}::text AND status = 'running' AND pool_id IS DISTINCT FROM ${this.poolId}::uuid`);
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
