import pg from 'pg';
import { log } from '@/lib/log';
import { databaseUrl, settings } from '@/lib/settings';
import { DatabaseAway, isConnectionLoss } from './away';
import { compile, type Sql, sql } from './sql';

// A `date` is a UTC day and is read as text. By default, pg writes a Date as the day in this process's time zone, and
// reads a day as local midnight.
pg.defaults.parseInputDatesAsUTC = true;
pg.types.setTypeParser(pg.types.builtins.DATE, (day) => day);

declare global {
  // One pool per process, even if a bundler loads this file twice.
  var nephelePool: pg.Pool | undefined;
}

/** The connection pool of this process. */
export function pool(): pg.Pool {
  if (!globalThis.nephelePool) {
    const created = new pg.Pool({
      connectionString: databaseUrl(),
      max: settings().databasePoolSize,
      connectionTimeoutMillis: 10_000,
      application_name: 'nephele',
    });
    created.on('error', (error) => {
      // The error object holds the whole connection; only the message is useful.
      if (!created.ending) log.warn({ reason: error.message }, 'an idle database connection was lost');
    });
    globalThis.nephelePool = created;
  }
  return globalThis.nephelePool;
}

/**
 * A cache of what the database holds. It lives as long as the pool: a process that turns to another database begins with
 * an empty one.
 */
export function databaseCache<T>(create: () => T): () => T {
  const caches = new WeakMap<pg.Pool, { value: T }>();
  return () => {
    const present = pool();
    const known = caches.get(present) ?? { value: create() };
    caches.set(present, known);
    return known.value;
  };
}

/** Runs a statement, prepared once per connection, and returns its rows. */
export async function query<Row extends object>(piece: Sql): Promise<Row[]> {
  const { rows } = await send<Row>(piece);
  return rows;
}

/** PostgreSQL ended a statement that took too long. */
export const QUERY_CANCELED = '57014';

/** As `query`; PostgreSQL ends the statement after so many milliseconds, with `QUERY_CANCELED`. */
export function queryWithin<Row extends pg.QueryResultRow>(ms: number, piece: Sql): Promise<Row[]> {
  return transaction(async (run) => {
    await run(sql`SELECT set_config('statement_timeout', ${String(ms)}::text, true)`);
    return run<Row>(piece);
  });
}

/** The first row, or undefined. */
export async function queryOne<Row extends object>(piece: Sql): Promise<Row | undefined> {
  const [row] = await query<Row>(piece);
  return row;
}

/** The row of a statement that always returns one. */
export async function queryRow<Row extends object>(piece: Sql): Promise<Row> {
  const row = await queryOne<Row>(piece);
  if (!row) throw new Error('a statement that gives a row whatever there is gave none');
  return row;
}

/** Runs a statement and returns the number of affected rows. */
export async function execute(piece: Sql): Promise<number> {
  const { rowCount } = await send(piece);
  return rowCount ?? 0;
}

/** Sends a statement inside a transaction. */
export type Run = <Row extends pg.QueryResultRow>(piece: Sql) => Promise<Row[]>;

/** Runs several statements in one transaction. Each statement sees everything committed before it began. */
export async function transaction<Result>(work: (run: Run) => Promise<Result>): Promise<Result> {
  const client = await pool().connect();
  // A lost connection fails the pending statement. An unhandled `error` event would also end the process.
  const ignore = () => {};
  client.on('error', ignore);
  try {
    await client.query('BEGIN');
    const result = await work(
      async <Row extends pg.QueryResultRow>(piece: Sql) => (await client.query<Row>(compile(piece))).rows,
    );
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    if (isConnectionLoss(error)) throw new DatabaseAway('The database is out of reach.', { cause: error });
    throw error;
  } finally {
    client.off('error', ignore);
    client.release();
  }
}

const DEADLOCK = '40P01';
const MOST_ATTEMPTS = 5;

/** Runs a statement; one that PostgreSQL cancelled to resolve a deadlock has had no effect and is retried. */
async function send<Row extends object>(piece: Sql, attempt = 1): Promise<pg.QueryResult<Row>> {
  try {
    return await pool().query<Row>(compile(piece));
  } catch (error) {
    if (isConnectionLoss(error)) throw new DatabaseAway('The database is unavailable.', { cause: error });
    if (databaseError(error)?.code !== DEADLOCK || attempt === MOST_ATTEMPTS) throw error;
    return send(piece, attempt + 1);
  }
}

/** Closes all connections; the next use opens new ones. */
export async function closePool(): Promise<void> {
  const closing = globalThis.nephelePool;
  globalThis.nephelePool = undefined;
  await closing?.end();
}

/** The PostgreSQL code and constraint of an error, if it has them. */
export function databaseError(error: unknown): { code: string; constraint?: string } | undefined {
  return error instanceof pg.DatabaseError && error.code
    ? { code: error.code, constraint: error.constraint }
    : undefined;
}
