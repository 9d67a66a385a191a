import { now } from '@/lib/clock';
import { DatabaseAway } from '@/lib/core/db/away';
import { databaseError, execute, type Run, transaction } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { log } from '@/lib/log';
import { Journal, leftJournals } from './journal';
import { counted, type Ended, jsonbText, type NewStart, type Started } from './records';

/** Lines are in the database this much later, many at a time. */
const GATHER_MS = 200;
const AGAIN_MS = 1000;
/** Invocations of one statement, and their characters. */
const AT_ONCE = 500;
const CHARACTERS_AT_ONCE = 8 * 1024 ** 2;
/** Classes of PostgreSQL's errors that a row is to blame for: its data, a constraint, a limit. */
const OF_A_ROW = /^(22|23|54)/;

/**
 * What runs for callers that wait: each start is in the journal before its handler runs, each outcome before its caller is answered, and
 * both are in the database soon after (docs/decisions/0151).
 */
export class History {
  /** The newest line of each invocation that the database may not have. */
  private waiting = new Map<string, string>();
  /** The number of the newest line. */
  private lastLine = 0;
  /** The database has all lines up to this one. */
  private writtenLine = 0;
  private writing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly journal: Journal;
  /** Whether the other page of the journal has lines that could not be written yet. */
  private isBehind = false;

  constructor(
    private readonly cell: string,
    private readonly poolId: string,
  ) {
    this.journal = new Journal(cell, poolId);
  }

  /** Resolves when the start outlives this process. @throws where neither the disk nor the database takes it */
  async start(start: NewStart): Promise<Started> {
    const start_line = this.nextLine();
    const started_at = now().toISOString();
    await this.add(start.id, { ...start, started_at, start_line, line: start_line, status: 'running' });
    return { start, start_line, started_at };
  }

  /** Resolves when the outcome outlives this process. @throws where neither the disk nor the database takes it */
  end({ start, ...started }: Started, end: Ended): Promise<void> {
    return this.add(start.id, { ...start, ...started, ...end, line: this.nextLine() });
  }

  /** Resolves when the database has all that was added until now. @throws where it can't be reached */
  async written(): Promise<void> {
    const lastLine = this.lastLine;
    while (this.writtenLine < lastLine) {
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
    await execute(sql`DELETE FROM function_pools WHERE id = ${this.poolId}::uuid`);
  }

  /** Writes what killed pools of this cell left in their journals. Events without an outcome are marked as interrupted. */
  async open(interrupted: object): Promise<void> {
    await execute(sql`INSERT INTO function_pools (id, cell_id) VALUES (${this.poolId}::uuid, ${this.cell}::text)
      ON CONFLICT DO NOTHING`);
    for await (const { poolId, records, remove } of leftJournals(this.cell, this.poolId)) {
      const ended = { status: 'failed', error: interrupted, ended_at: now().toISOString() };
      const texts = [...records.values()].map((record) =>
        jsonbText(record.status === 'running' ? { ...record, ...ended } : record),
      );
      // Not as arguments of a function: there may be more than it takes.
      const lastLine = [...records.values()].reduce((last, { line }) => Math.max(last, line), 0);
      await this.insert(texts, poolId, lastLine);
      await remove();
    }
    await execute(sql`DELETE FROM function_pools WHERE cell_id = ${this.cell}::text AND id <> ${this.poolId}::uuid`);
  }

  private nextLine(): number {
    this.lastLine += 1;
    return this.lastLine;
  }

  private async add(id: string, record: object): Promise<void> {
    const text = jsonbText(record);
    this.waiting.set(id, text);
    try {
      await this.journal.add(text);
    } catch (error) {
      log.warn({ err: error }, 'the journal of functions takes nothing; the database is waited for');
      await this.written();
      return;
    }
    if (this.waiting.size >= AT_ONCE && !this.writing) this.writeNow();
    else this.timer ??= setTimeout(() => this.writeNow(), GATHER_MS);
  }

  private writeNow(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.written().catch((error) => {
      log.warn({ err: error }, 'the history of functions could not be written; it is tried again');
      this.timer ??= setTimeout(() => this.writeNow(), AGAIN_MS);
    });
  }

  private async write(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const [taken, lastLine] = [this.waiting, this.lastLine];
    this.waiting = new Map();
    if (!this.isBehind) this.journal.turn();
    this.isBehind = true;
    try {
      await this.insert([...taken.values()], this.poolId, lastLine);
    } catch (error) {
      this.waiting = new Map([...taken, ...this.waiting]);
      throw error;
    }
    this.isBehind = false;
    this.writtenLine = lastLine;
  }

  /** Writes lines, and that the history has all up to the last of them: both or neither. */
  private async insert(texts: readonly string[], poolId: string, lastLine: number): Promise<void> {
    const parts = inParts(texts);
    try {
      const [only] = parts;
      if (only && parts.length === 1) await execute(historyInsert(only, poolId, lastLine));
      else
        await transaction(async (run) => {
          for (const part of parts) await run(historyInsert(part, poolId, 0));
          await run(historyInsert([], poolId, lastLine));
        });
    } catch (error) {
      if (error instanceof DatabaseAway || !OF_A_ROW.test(databaseError(error)?.code ?? '')) throw error;
      await transaction(async (run) => {
        for (const text of texts) await insertAlone(run, historyInsert([text], poolId, 0));
        await run(historyInsert([], poolId, lastLine));
      });
    }
  }
}

/** One of several rows is to blame; the others are not lost for it. */
async function insertAlone(run: Run, insert: Sql): Promise<void> {
  await run(sql`SAVEPOINT alone`);
  try {
    await run(insert);
  } catch (error) {
    await run(sql`ROLLBACK TO SAVEPOINT alone`);
    log.error({ err: error }, 'an event of a function could not be written to the history');
  }
}

/**
 * Puts lines into the history that it does not have yet, and bills the starts among them: a function that is deleted takes its history with it,
 * but not its bill. @param lastLine the history has all lines up to this one; 0: there are more
 */
const historyInsert = (texts: readonly string[], poolId: string, lastLine: number): Sql => sql`
  WITH before AS (
    UPDATE function_pools p SET written_line = greatest(p.written_line, ${lastLine}::bigint)
    FROM (SELECT id, written_line FROM function_pools WHERE id = ${poolId}::uuid FOR UPDATE) AS old
    WHERE p.id = old.id RETURNING old.written_line
  ), given AS MATERIALIZED (
    SELECT given.*, given.start_line > before.written_line AS is_new
    FROM before, jsonb_to_recordset(${`[${texts.join(',')}]`}::jsonb) AS given (id uuid, project_id uuid, function_id uuid, name text,
      version int, trigger text, caller jsonb, payload text, started_at timestamptz, start_line bigint, line bigint, status text,
      failed boolean, result text, error jsonb, log text, log_truncated boolean, duration_ms float8, memory_mb int, cold_start boolean,
      ended_at timestamptz)
    WHERE given.line > before.written_line
  ), counted AS (${counted(raw('(SELECT *, 1 AS attempts, started_at AS at FROM given WHERE is_new) AS started'))})
  INSERT INTO function_invocations AS i (id, project_id, function_id, cell_id, mode, trigger, status, attempts, failures, pool_id,
    version, caller, payload, result, error, log, log_truncated, duration_ms, memory_mb, cold_start, created_at, started_at, ended_at)
  SELECT given.id, given.project_id, given.function_id, f.cell_id, 'sync', given.trigger, given.status, 1,
    coalesce(given.failed, false)::int, ${poolId}::uuid, given.version, given.caller, given.payload, given.result, given.error, given.log,
    coalesce(given.log_truncated, false), given.duration_ms, given.memory_mb, given.cold_start, given.started_at, given.started_at,
    greatest(given.ended_at, CASE WHEN given.ended_at IS NOT NULL THEN given.started_at END)
  FROM given JOIN (
    SELECT id, project_id, cell_id FROM functions WHERE id IN (SELECT function_id FROM given) FOR KEY SHARE
  ) AS f ON f.id = given.function_id AND f.project_id = given.project_id
  ON CONFLICT (id) DO UPDATE SET status = excluded.status, failures = excluded.failures, result = excluded.result,
    error = excluded.error, log = excluded.log, log_truncated = excluded.log_truncated, duration_ms = excluded.duration_ms,
    memory_mb = excluded.memory_mb, cold_start = excluded.cold_start, ended_at = excluded.ended_at
    WHERE i.status = 'running' AND i.pool_id = excluded.pool_id`;

/** Lines by statements. */
function inParts(texts: readonly string[]): string[][] {
  const parts: string[][] = [];
  let [part, characters]: [string[], number] = [[], 0];
  for (const text of texts) {
    if (part.length === 0 || part.length >= AT_ONCE || characters + text.length > CHARACTERS_AT_ONCE) {
      [part, characters] = [[], 0];
      parts.push(part);
    }
    part.push(text);
    characters += text.length;
  }
  return parts;
}
