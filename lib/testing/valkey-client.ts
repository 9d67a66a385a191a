import { createInterface } from 'node:readline';
import { connect as open } from 'node:tls';
import { type Reply, RespConnection } from '@/lib/domains/databases/valkey/resp';

/* A client of a Valkey cluster on a tenant's network, as a process in that network: a line in is a job, a line out its result. */
type Job =
  | { kind: 'run'; commands: (string | number)[][] }
  | { kind: 'write'; ms: number }
  | { kind: 'start'; writers: number }
  | { kind: 'stop' }
  | { kind: 'lost'; keys: string[] };

const { endpoint, credentials } = JSON.parse(process.env.CLIENT ?? '{}');
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

async function connect(): Promise<RespConnection> {
  const { host, port, ca_certificate: ca } = endpoint;
  const socket = open({ host, port, ca });
  const connection = new RespConnection(socket);
  try {
    await connection.send('AUTH', credentials.username, credentials.password);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

async function run(commands: (string | number)[][]): Promise<(Reply | { error: string })[]> {
  const results: (Reply | { error: string })[] = [];
  let connection: RespConnection;
  try {
    connection = await connect();
  } catch (error) {
    return [{ error: messageOf(error) }];
  }
  for (const command of commands)
    results.push(await connection.send(...command).catch((error) => ({ error: messageOf(error) })));
  connection.close();
  return results;
}

let round = 0;

/** Writes key after key, each once; what was acknowledged is looked for afterwards. */
async function write(ms: number) {
  round += 1;
  const acknowledged: string[] = [];
  let connection: RespConnection | undefined;
  let [errors, gap] = [0, 0];
  const until = performance.now() + ms;
  let last = performance.now();
  for (let row = 0; performance.now() < until; row += 1) {
    const key = `written-${round}-${row}`;
    try {
      connection ??= await connect();
      await connection.send('SET', key, row);
      acknowledged.push(key);
      gap = Math.max(gap, performance.now() - last);
      last = performance.now();
    } catch {
      errors += 1;
      connection?.close();
      connection = undefined;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
  connection ??= await connect();
  let lost = 0;
  for (const key of acknowledged) if ((await connection.send('EXISTS', key)) !== 1) lost += 1;
  connection.close();
  return { acknowledged: acknowledged.length, lost, gap_ms: Math.round(gap), errors };
}

let writing = false;
let running: Promise<void>[] = [];
const kept: string[] = [];
let [failed, longest, latest] = [0, 0, 0];
const messages = new Map<string, number>();

/** Writes key after key, each once, until it is stopped. A connection that failed is made anew. */
async function writeOn(writer: number): Promise<void> {
  let connection: RespConnection | undefined;
  for (let row = 0; writing; row += 1) {
    const key = `${process.pid}-${round}-${writer}-${row}`;
    try {
      connection ??= await within(connect());
      await within(connection.send('SET', key, row));
      kept.push(key);
      longest = Math.max(longest, performance.now() - latest);
      latest = performance.now();
    } catch (error) {
      failed += 1;
      messages.set(messageOf(error), (messages.get(messageOf(error)) ?? 0) + 1);
      connection?.close();
      connection = undefined;
    }
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  connection?.close();
}

const ANSWER_MS = 10_000;

async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), ANSWER_MS);
  });
  work.catch(() => {});
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Those of these keys that the cluster does not have. */
async function lost(keys: string[]): Promise<string[]> {
  const connection = await connect();
  const found = await Promise.all(keys.map((key) => connection.send('EXISTS', key)));
  connection.close();
  return keys.filter((_, index) => found[index] !== 1);
}

async function work(job: Job): Promise<unknown> {
  if (job.kind === 'run') return run(job.commands);
  if (job.kind === 'write') return write(job.ms);
  if (job.kind === 'lost') return lost(job.keys);
  if (job.kind === 'start') {
    writing = true;
    round += 1;
    kept.length = 0;
    messages.clear();
    [failed, longest, latest] = [0, 0, performance.now()];
    running = Array.from({ length: job.writers }, (_, index) => writeOn(index));
    return 'writing';
  }
  longest = Math.max(longest, performance.now() - latest);
  writing = false;
  await Promise.all(running);
  return { acknowledged: kept, errors: failed, gap_ms: Math.round(longest), messages: Object.fromEntries(messages) };
}

for await (const line of createInterface({ input: process.stdin })) {
  const job: Job = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(await work(job))}\n`);
}
process.exit(0);
