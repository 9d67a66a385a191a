import { randomUUID } from 'node:crypto';
import { request } from 'node:https';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { QdrantClient } from '@qdrant/js-client-rest';
import { z } from 'zod';
import { messageOf } from './message-of';

/* Qdrant's own client on a tenant's network, as a process in that network: a line in is a job, a line out its result. */
const job = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('create'), collection: z.string(), size: z.int() }),
  z.object({ kind: z.literal('search'), collection: z.string(), vector: z.array(z.number()) }),
  z.object({ kind: z.literal('write'), collection: z.string() }),
  z.object({ kind: z.literal('finish'), collection: z.string() }),
  z.object({ kind: z.literal('put'), collection: z.string(), id: z.int() }),
  z.object({ kind: z.literal('drop'), collection: z.string() }),
  z.object({ kind: z.literal('count'), collection: z.string() }),
  z.object({ kind: z.literal('list') }),
  z.object({ kind: z.literal('start'), collection: z.string(), writers: z.int() }),
  z.object({ kind: z.literal('stop') }),
  z.object({ kind: z.literal('lost'), collection: z.string(), ids: z.array(z.string()) }),
  z.object({ kind: z.literal('raw'), method: z.string(), path: z.string(), body: z.unknown().optional() }),
]);

const { uri: url, key: apiKey } = z
  .object({ uri: z.string(), key: z.string().optional() })
  .parse(JSON.parse(process.env.CLIENT ?? '{}'));
const client = new QdrantClient({ url, ...(apiKey === undefined ? {} : { apiKey }), checkCompatibility: false });

const acknowledged: number[] = [];
let errors = 0;
let gap = 0;
let isEnding = false;
let writer = Promise.resolve();

/** Writes point after point, each until it is acknowledged, until it is told to end. */
async function write(collection: string): Promise<void> {
  let last = performance.now();
  while (!isEnding) {
    const id = acknowledged.length + 1_000;
    try {
      await client.upsert(collection, { wait: true, points: [{ id, vector: [id, 1, 2, 3], payload: { id } }] });
      acknowledged.push(id);
      gap = Math.max(gap, performance.now() - last);
      last = performance.now();
    } catch {
      errors += 1;
      await delay(20);
    }
  }
}

const AT_LEAST = 200;
const LONGEST_MS = 30_000;

/** Waits until so many writes are acknowledged. */
async function untilWritten(count: number): Promise<void> {
  const until = performance.now() + LONGEST_MS;
  while (acknowledged.length < count && performance.now() < until) await delay(10);
}

/** Ends the writer when it has written on for a while, and asks for all that was acknowledged. */
async function finish(collection: string) {
  await untilWritten(acknowledged.length + AT_LEAST);
  isEnding = true;
  await writer;
  const found = await client.retrieve(collection, { ids: acknowledged });
  const present = new Set(found.filter(({ id, payload }) => payload?.id === id).map(({ id }) => id));
  const lost = acknowledged.filter((id) => !present.has(id)).length;
  return { acknowledged: acknowledged.length, lost, errors, gap_ms: Math.round(gap) };
}

let isWriting = false;
let running: Promise<void>[] = [];
let [kept, messages] = [[] as string[], new Map<string, number>()];
let [failed, longest, latest] = [0, 0, 0];

/** Writes point after point, each once, until it is stopped. */
async function writeOn(collection: string): Promise<void> {
  while (isWriting) {
    const id = randomUUID();
    try {
      await client.upsert(collection, { wait: true, points: [{ id, vector: [1, 2, 3, 4], payload: { id } }] });
      kept.push(id);
      longest = Math.max(longest, performance.now() - latest);
      latest = performance.now();
    } catch (error) {
      failed += 1;
      messages.set(messageOf(error), (messages.get(messageOf(error)) ?? 0) + 1);
    }
    await delay(3);
  }
}

function startWriting(collection: string, writers: number): string {
  isWriting = true;
  [kept, messages] = [[], new Map()];
  [failed, longest, latest] = [0, 0, performance.now()];
  running = Array.from({ length: writers }, () => writeOn(collection));
  return 'writing';
}

async function stopWriting() {
  longest = Math.max(longest, performance.now() - latest);
  isWriting = false;
  await Promise.all(running);
  return { acknowledged: kept, errors: failed, gap_ms: Math.round(longest), messages: Object.fromEntries(messages) };
}

const BATCH = 1_000;

/** Those of these points that the cluster does not have with their payload. */
async function lost(collection: string, ids: readonly string[]): Promise<string[]> {
  const present = new Set<unknown>();
  for (let begin = 0; begin < ids.length; begin += BATCH) {
    const found = await client.retrieve(collection, { ids: ids.slice(begin, begin + BATCH) });
    for (const { id, payload } of found) if (payload?.id === id) present.add(id);
  }
  return ids.filter((id) => !present.has(id));
}

/** A request as no client sends it: the path goes as it is. */
function raw(method: string, path: string, body: unknown): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', ...(apiKey === undefined ? {} : { 'api-key': apiKey }) };
    const sent = request({ hostname, port, method, path, headers }, async (answer) => {
      answer.setEncoding('utf8');
      let text = '';
      for await (const part of answer) text += part;
      resolve({ status: answer.statusCode ?? 0, text });
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function run(wanted: z.output<typeof job>): Promise<unknown> {
  if (wanted.kind === 'list') return (await client.getCollections()).collections.map(({ name }) => name);
  if (wanted.kind === 'raw') return raw(wanted.method, wanted.path, wanted.body);
  if (wanted.kind === 'stop') return stopWriting();
  const { collection } = wanted;
  if (wanted.kind === 'start') return startWriting(collection, wanted.writers);
  if (wanted.kind === 'lost') return lost(collection, wanted.ids);
  if (wanted.kind === 'create')
    return client.createCollection(collection, { vectors: { size: wanted.size, distance: 'Cosine' } });
  if (wanted.kind === 'put')
    return client.upsert(collection, { wait: true, points: [{ id: wanted.id, vector: [1, 1, 1, 1] }] });
  if (wanted.kind === 'count') return (await client.count(collection, { exact: true })).count;
  if (wanted.kind === 'drop') return client.deleteCollection(collection);
  if (wanted.kind === 'finish') return finish(collection);
  if (wanted.kind === 'write') {
    acknowledged.length = 0;
    [errors, gap, isEnding] = [0, 0, false];
    writer = write(collection);
    return untilWritten(AT_LEAST);
  }
  return (await client.query(collection, { query: wanted.vector, limit: 1, with_payload: true })).points;
}

for await (const line of createInterface({ input: process.stdin })) {
  const result = await run(job.parse(JSON.parse(line))).catch((error) => ({ error: messageOf(error) }));
  process.stdout.write(`${JSON.stringify(result ?? null)}\n`);
}
