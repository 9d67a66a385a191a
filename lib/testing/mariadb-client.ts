import { createInterface } from 'node:readline';
import mysql, { type Connection, type ConnectionOptions } from 'mysql2/promise';

/*
 * A client of MariaDB on a tenant's network, as a process in that network. CLIENT holds its connection; each line of the
 * input is a job, each line of the output its result.
 */
type Job =
  | { kind: 'run'; statements: string[]; config?: ConnectionOptions }
  | { kind: 'write'; writers: number }
  | { kind: 'stop' };

const config: ConnectionOptions = { connectTimeout: 10_000, ...JSON.parse(process.env.CLIENT ?? '{}') };
const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);
const messageOf = (error: unknown) =>
  error instanceof Error ? `${'code' in error ? `${error.code} ` : ''}${error.message}` : String(error);

async function connect(change: ConnectionOptions = {}): Promise<Connection> {
  const client = await mysql.createConnection({ ...config, ...change });
  client.on('error', () => {});
  return client;
}

/** The rows of each statement, or its refusal. */
async function run(statements: string[], change: ConnectionOptions = {}): Promise<unknown[]> {
  const results: unknown[] = [];
  let client: Connection;
  try {
    client = await connect(change);
  } catch (error) {
    return [{ error: messageOf(error) }];
  }
  for (const statement of statements) {
    try {
      const [rows] = await client.query(statement);
      results.push({ rows: Array.isArray(rows) ? rows : [] });
    } catch (error) {
      results.push({ error: messageOf(error) });
    }
  }
  await client.end().catch(() => {});
  return results;
}

let round = 0;
let writing = false;
let writers: Promise<void>[] = [];
const acknowledged: string[] = [];
let [errors, gap, last] = [0, 0, 0];
/** Waits of more than a second, with the moment at which they began. */
let waits: { since: string; ms: number }[] = [];
const messages = new Map<string, number>();

/** Notes how long nobody has got an acknowledgement. */
function waited(): void {
  const ms = Math.round(performance.now() - last);
  gap = Math.max(gap, ms);
  if (ms > 1_000) waits.push({ since: new Date(Date.now() - ms).toISOString(), ms });
}

/** Writes row after row, each once; what was acknowledged must be found later. A connection that failed is made anew. */
async function write(writer: number): Promise<void> {
  let client: Connection | undefined;
  for (let row = 0; writing; row += 1) {
    const value = `${process.pid}-${round}-${writer}-${row}`;
    try {
      client ??= await connect();
      await client.query({ sql: 'INSERT INTO written VALUES (?)', timeout: 10_000 }, [value]);
      acknowledged.push(value);
      waited();
      last = performance.now();
    } catch (error) {
      errors += 1;
      messages.set(messageOf(error), (messages.get(messageOf(error)) ?? 0) + 1);
      client?.destroy();
      client = undefined;
    }
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  await client?.end().catch(() => {});
}

for await (const line of createInterface({ input: process.stdin })) {
  const job: Job = JSON.parse(line);
  if (job.kind === 'run') say(await run(job.statements, job.config));
  if (job.kind === 'write') {
    writing = true;
    round += 1;
    acknowledged.length = 0;
    messages.clear();
    waits = [];
    [errors, gap, last] = [0, 0, performance.now()];
    writers = Array.from({ length: job.writers }, (_, index) => write(index));
    say('writing');
  }
  if (job.kind === 'stop') {
    waited();
    writing = false;
    await Promise.all(writers);
    say({ acknowledged, errors, gap_ms: gap, waits, messages: Object.fromEntries(messages) });
  }
}
process.exit(0);
