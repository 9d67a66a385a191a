import { createInterface } from 'node:readline';
import { connect as open } from 'node:tls';
import { type Reply, RespConnection } from '@/lib/domains/databases/valkey/resp';

/* A client of a Valkey cluster on a tenant's network, as a process in that network: a line in is a job, a line out its result. */
type Job = { kind: 'run'; commands: (string | number)[][] } | { kind: 'write'; ms: number };

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

for await (const line of createInterface({ input: process.stdin })) {
  const job: Job = JSON.parse(line);
  const result = job.kind === 'run' ? await run(job.commands) : await write(job.ms);
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
