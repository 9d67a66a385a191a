import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { Long, MongoClient } from 'mongodb';
import { z } from 'zod';
import { messageOf } from './message-of';
import { mongodbChecks } from './mongodb-checks';

/* MongoDB's own driver on a tenant's network, as a process in that network: a line in is a job, a line out its result. */
const job = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ping') }),
  z.object({ kind: z.literal('check'), name: z.string() }),
  z.object({ kind: z.literal('command'), database: z.string(), command: z.record(z.string(), z.unknown()) }),
  z.object({ kind: z.literal('numbered'), number: z.int(), command: z.record(z.string(), z.unknown()) }),
  z.object({ kind: z.literal('insert'), count: z.int() }),
  z.object({ kind: z.literal('count'), collection: z.string() }),
  z.object({ kind: z.literal('write') }),
  z.object({ kind: z.literal('finish') }),
]);

const { uri, username, password, caFile } = z
  .object({ uri: z.string(), username: z.string(), password: z.string(), caFile: z.string().optional() })
  .parse(JSON.parse(process.env.CLIENT ?? '{}'));
const client = new MongoClient(uri, {
  auth: { username, password },
  ...(caFile === undefined ? {} : { tlsCAFile: caFile }),
  serverSelectionTimeoutMS: 15_000,
});

const session = client.startSession();

const acknowledged: number[] = [];
let added = 0;
let errors = 0;
let gap = 0;
let isEnding = false;
let writer = Promise.resolve();

const counter = () => client.db().collection<{ _id: string; n: number }>('counters');
const written = () => client.db().collection<{ _id: number }>('written');

/** Writes document after document, and counts them in another one, each until it is acknowledged. */
async function write(): Promise<void> {
  let last = performance.now();
  for (let id = 1; !isEnding; id += 1) {
    try {
      await written().insertOne({ _id: id });
      acknowledged.push(id);
      await counter().updateOne({ _id: 'all' }, { $inc: { n: 1 } }, { upsert: true });
      added += 1;
      gap = Math.max(gap, performance.now() - last);
      last = performance.now();
    } catch {
      errors += 1;
      await delay(20);
    }
  }
}

const AT_LEAST = 100;
const LONGEST_MS = 30_000;

async function untilWritten(count: number): Promise<void> {
  const until = performance.now() + LONGEST_MS;
  while (acknowledged.length < count && performance.now() < until) await delay(10);
}

async function finish() {
  await untilWritten(acknowledged.length + AT_LEAST);
  isEnding = true;
  await writer;
  const present = new Set((await written().find().toArray()).map(({ _id }) => _id));
  const counted = (await counter().findOne({ _id: 'all' }))?.n ?? 0;
  return {
    acknowledged: acknowledged.length,
    lost: acknowledged.filter((id) => !present.has(id)).length,
    added,
    counted,
    errors,
    gap_ms: Math.round(gap),
  };
}

async function run(wanted: z.output<typeof job>): Promise<unknown> {
  if (wanted.kind === 'ping') return (await client.db().command({ ping: 1 })).ok;
  if (wanted.kind === 'command') return client.db(wanted.database).command(wanted.command);
  // As a driver sends a write that it may repeat.
  if (wanted.kind === 'numbered')
    return client.db().command({ ...wanted.command, txnNumber: Long.fromNumber(wanted.number) }, { session });
  if (wanted.kind === 'count') return client.db().collection(wanted.collection).countDocuments();
  if (wanted.kind === 'insert') {
    const documents = Array.from({ length: wanted.count }, (_, n) => ({ n, text: 'x'.repeat(200) }));
    return (await client.db().collection('kept').insertMany(documents)).insertedCount;
  }
  if (wanted.kind === 'check') {
    const check = mongodbChecks[wanted.name];
    if (!check) throw new Error('no such check');
    const db = client.db();
    await check(db, client);
    return 'passed';
  }
  if (wanted.kind === 'finish') return finish();
  acknowledged.length = 0;
  [added, errors, gap, isEnding] = [0, 0, 0, false];
  await written().deleteMany({});
  await counter().deleteMany({});
  writer = write();
  return untilWritten(AT_LEAST);
}

for await (const line of createInterface({ input: process.stdin })) {
  const result = await run(job.parse(JSON.parse(line))).catch((error) => ({ error: messageOf(error) }));
  process.stdout.write(`${JSON.stringify(result ?? null)}\n`);
}
await client.close();
