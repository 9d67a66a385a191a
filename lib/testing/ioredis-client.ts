import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { messageOf } from './message-of';

/* The ioredis client on a tenant's network, as a process in that network: a line in is a job, a line out its result. */
export type IoredisJob =
  | { kind: 'run'; commands: [string, ...(string | number)[]][] }
  | { kind: 'transaction'; key: string }
  | { kind: 'start' }
  | { kind: 'stop' };

const client = new Redis(JSON.parse(process.env.CLIENT ?? '{}'));
let trouble: string | undefined;
let connections = 0;
client.on('error', (error) => {
  trouble = messageOf(error);
});
client.on('ready', () => {
  connections += 1;
});

/** Why a command failed, with the latest connection error. */
const reasonOf = (error: unknown) => ({ error: [messageOf(error), trouble].filter(Boolean).join(': ') });

const AT_LEAST = 50;
let writing = false;
let running = Promise.resolve();
let acknowledged: string[] = [];
const errors: string[] = [];

/** Writes one key after another. The client itself repeats commands that a lost connection left unanswered. */
async function write(): Promise<void> {
  for (let row = 0; writing; row += 1) {
    const key = `ioredis-${row}`;
    try {
      await client.set(key, row);
      acknowledged.push(key);
    } catch (error) {
      errors.push(messageOf(error));
    }
    await delay(2);
  }
}

async function work(job: IoredisJob): Promise<unknown> {
  if (job.kind === 'run') {
    return Promise.all(job.commands.map(([name, ...args]) => client.call(name, ...args).catch(reasonOf)));
  }
  if (job.kind === 'transaction') {
    return client.multi().set(job.key, 1).incr(job.key).get(job.key).exec().catch(reasonOf);
  }
  if (job.kind === 'start') {
    writing = true;
    acknowledged = [];
    running = write();
    return 'writing';
  }
  // On the connection of after the switch too.
  const enough = acknowledged.length + errors.length + AT_LEAST;
  while (acknowledged.length + errors.length < enough) await delay(10);
  writing = false;
  await running;
  const found = await Promise.all(acknowledged.map((key) => client.get(key)));
  const lost = acknowledged.filter((key, index) => `ioredis-${found[index]}` !== key).length;
  return { acknowledged: acknowledged.length, lost, errors, connections };
}

for await (const line of createInterface({ input: process.stdin })) {
  const job: IoredisJob = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(await work(job))}\n`);
}
process.exit(0);
