import { DatabaseAway } from '@/lib/core/db/away';
import { databaseError, execute } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { log } from '@/lib/log';
import { Journal, leftJournals } from './journal';
import { countedStarts, type Ended, jsonbText, type OpenStarts, type Started } from './records';

/** Outcomes are in the database this much later, many at a time. */
const GATHER_MS = 50;
const AGAIN_MS = 1000;
/** Outcomes of one statement, and their characters. */
const AT_ONCE = 200;
const CHARACTERS_AT_ONCE = 8 * 1024 ** 2;
const FOREIGN_KEY_VIOLATION = '23503';

type Waiting = { text: string; starts: OpenStarts | undefined };

/**
 * The outcomes of events whose callers wait. They are in the journal before the caller is answered, and in the database soon after
 * (docs/decisions/0151).
 */
export class Outcomes {
  private waiting: Waiting[] = [];
  private writing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly journal: Journal;
  /** Whether the other page of the journal has outcomes that could not be written yet. */
  private isBehind = false;

  constructor(
    private readonly cell: string,
    private readonly poolId: string,
  ) {
    this.journal = new Journal(cell, poolId);
  }

  /** Resolves when the outcome outlives this process. @throws where neither the disk nor the database takes it */
  async add({ start, starts, started_at }: Started, end: Ended): Promise<void> {
    const text = jsonbText({ ...start, ...end, started_at, start_id: starts.id });
    this.waiting.push({ text, starts });
    try {
      this.journal.add(text);
    } catch (error) {
      log.warn({ err: error }, 'the journal of functions takes nothing; the database is waited for');
      await this.written();
      return;
    }
    if (this.waiting.length === AT_ONCE) this.writeNow();
    else this.timer ??= setTimeout(() => this.writeNow(), GATHER_MS);
  }

  /** Resolves when the database has all that was added. @throws where it can't be reached */
  async written(): Promise<void> {
    while (this.waiting.length > 0 || this.writing) {
      this.writing ??= this.write().finally(() => {
        this.writing = undefined;
      });
      await this.writing;
    }
  }

  /** Ends the journal, when the database has all. @throws where it can't be reached; the journal stays */
  async close(): Promise<void> {
    await this.written();
    this.journal.remove();
  }

  /** Writes what pools before this one have told their callers and not written. */
  async recover(): Promise<void> {
    for await (const { poolId, lines, remove } of leftJournals(this.cell, this.poolId)) {
      for (const part of inParts(lines.map((text) => ({ text, starts: undefined })))) await this.insert(part, poolId);
      await remove();
    }
  }

  private writeNow(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.written().catch((error) => {
      log.warn({ err: error }, 'outcomes of functions could not be written; they are tried again');
      this.timer ??= setTimeout(() => this.writeNow(), AGAIN_MS);
    });
  }

  private async write(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const taken = this.waiting;
    this.waiting = [];
    if (!this.isBehind) this.journal.turn();
    this.isBehind = true;
    const parts = inParts(taken);
    try {
      for (let part = parts[0]; part; part = parts[0]) {
        await this.insert(part, this.poolId);
        parts.shift();
      }
    } catch (error) {
      this.waiting = [...parts.flat(), ...this.waiting];
      throw error;
    }
    this.isBehind = false;
  }

  private async insert(items: readonly Waiting[], poolId: string): Promise<void> {
    try {
      await this.insertAll(items, poolId);
    } catch (error) {
      if (error instanceof DatabaseAway) throw error;
      if (items.length > 1) {
        // One of them may be to blame; the others are not lost for it.
        for (const item of items) await this.insert([item], poolId);
        return;
      }
      // A function that is deleted takes its history with it.
      if (databaseError(error)?.code !== FOREIGN_KEY_VIOLATION)
        log.error({ err: error }, 'the outcome of an event could not be written');
    }
  }

  private async insertAll(items: readonly Waiting[], poolId: string): Promise<void> {
    const ended = new Map<OpenStarts, number>();
    for (const { starts } of items) if (starts) ended.set(starts, (ended.get(starts) ?? 0) + 1);
    const over = [...ended].flatMap(([{ id, left }, count]) => (left === count ? [id] : []));
    await execute(sql`
      WITH over AS (DELETE FROM function_starts WHERE id = ANY (${over}::uuid[]) AND pool_id = ${poolId}::uuid RETURNING *),
        uncounted AS (SELECT * FROM over WHERE NOT is_counted), counted AS (${countedStarts(raw('uncounted'))})
      INSERT INTO function_invocations AS i (id, project_id, function_id, cell_id, mode, trigger, status, attempts, failures, pool_id,
        version, caller, payload, result, error, log, log_truncated, duration_ms, memory_mb, cold_start, created_at, started_at, ended_at)
      SELECT given.id, given.project_id, given.function_id, s.cell_id, 'sync', given.trigger, given.status, 1, given.failed::int, s.pool_id,
        given.version, given.caller, given.payload, given.result, given.error, given.log, given.log_truncated, given.duration_ms,
        given.memory_mb, given.cold_start, given.started_at, given.started_at, greatest(given.ended_at, given.started_at)
      FROM jsonb_to_recordset(${`[${items.map(({ text }) => text).join(',')}]`}::jsonb) AS given (id uuid, project_id uuid,
        function_id uuid, trigger text, status text, failed boolean, version int, caller jsonb, payload text, result text, error jsonb,
        log text, log_truncated boolean, duration_ms float8, memory_mb int, cold_start boolean, started_at timestamptz,
        ended_at timestamptz, start_id uuid)
      JOIN function_starts s ON s.id = given.start_id AND s.pool_id = ${poolId}::uuid
      JOIN functions f ON f.id = given.function_id AND f.project_id = given.project_id
      ON CONFLICT (id) DO UPDATE SET status = excluded.status, failures = excluded.failures, result = excluded.result,
        error = excluded.error, log = excluded.log, log_truncated = excluded.log_truncated, duration_ms = excluded.duration_ms,
        memory_mb = excluded.memory_mb, cold_start = excluded.cold_start, ended_at = excluded.ended_at
        WHERE i.status = 'running' AND i.pool_id = excluded.pool_id`);
    for (const [starts, count] of ended) starts.left -= count;
  }
}

/** Outcomes by statements. */
function inParts(outcomes: readonly Waiting[]): Waiting[][] {
  const parts: Waiting[][] = [];
  let [part, characters]: [Waiting[], number] = [[], 0];
  for (const outcome of outcomes) {
    if (part.length === 0 || part.length >= AT_ONCE || characters + outcome.text.length > CHARACTERS_AT_ONCE) {
      [part, characters] = [[], 0];
      parts.push(part);
    }
    part.push(outcome);
    characters += outcome.text.length;
  }
  return parts;
}
