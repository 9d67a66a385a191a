import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { now } from '@/lib/clock';
import { newId } from '@/lib/core/db/id';
import { execute, queryRow } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { readChunks, streamsOf } from '@/lib/domains/observability/logs/read';
import { mergeChunks } from '@/lib/domains/observability/logs/upkeep';
import { type LogEntry, writeLogs } from '@/lib/domains/observability/logs/write';
import { printRatio } from './ratio';

const LINES = 400_000;
const STREAMS = 20;
/** Log entries per batch of one source. */
const BATCH = 5000;
const DAY_MS = 24 * 60 * 60 * 1000;
const RUNS = 5;
const NEEDLE = 'request-id-of-last-night';

/** Compares ingest, disk size and search of the log store with plain files and `grep` on the same lines. */
export async function measureLogs(folder: string): Promise<void> {
  const project_id = newId();
  const at = now();
  await execute(sql`INSERT INTO projects (id, name, slug, created_at, updated_at)
    VALUES (${project_id}::uuid, 'logs', 'logs', ${at}::timestamptz, ${at}::timestamptz)`);
  const start = at.getTime() - DAY_MS;
  const entries = Array.from({ length: LINES }, (_, index) => entryOf(project_id, index, start));
  const [writing] = await timed(async () => {
    for (let first = 0; first < LINES; first += BATCH) await writeLogs(entries.slice(first, first + BATCH));
  });
  console.log(`Ingest: ${Math.round(LINES / writing).toLocaleString('en')} lines/s  aim ≥ 20,000`);
  const [merging] = await timed(() => mergeChunks(new AbortController().signal));
  console.log(`Merging them: ${merging.toFixed(1)} s`);
  await execute(raw('VACUUM FULL log_chunks'));
  const plain = entries.reduce((sum, { text }) => sum + Buffer.byteLength(text) + 1, 0);
  const { bytes } = await queryRow<{ bytes: number }>(
    sql`SELECT pg_total_relation_size('log_chunks')::float8 AS bytes`,
  );
  printRatio('Log lines on disk to plain text', bytes / plain, `${mb(bytes)} to ${mb(plain)}`, {
    text: '≤ 0.2',
    met: bytes / plain <= 0.2,
  });

  const file = join(folder, 'one.log');
  const own = entries.filter(({ labels }) => labels.resource_id === 'resource-0');
  writeFileSync(file, own.map(({ text }) => `${text}\n`).join(''));
  const search = middleOf(await times(() => searchDay(project_id, 'resource-0', start)));
  const grep = middleOf(
    await times(async () => {
      spawnSync('grep', ['-c', NEEDLE, file], { env: { ...process.env, LC_ALL: 'C' } });
    }),
  );
  printRatio(
    `A day of one stream (${own.length.toLocaleString('en')} lines) to grep`,
    search / grep,
    `${ms(search)} to ${ms(grep)}`,
    { text: '< 200 ms', met: search < 0.2 },
  );
}

async function searchDay(project_id: string, resource: string, start: number): Promise<void> {
  const streams = (await streamsOf(project_id, { audit: true })).filter(
    ({ labels }) => labels.resource_id === resource,
  );
  const stats = { chunks: 0, lines: 0, bytes: 0, damaged: 0 };
  const span = { from_us: start * 1000, to_us: (start + DAY_MS) * 1000 };
  let found = 0;
  for await (const { chunks } of readChunks(project_id, streams, span, 'backward', stats)) {
    for (const { chunk } of chunks) found += chunk.linesWith(Buffer.from(NEEDLE)).length;
  }
  if (found !== 1) throw new Error(`found ${found} lines, not the one that was written`);
}

const PATHS = ['/api/v1/compute/instances', '/healthz', '/login', '/static/app.js', '/api/v1/storage/volumes'];

/**
 * Half JSON, half access log, with ids that do not compress. The first stream has half of the lines, like one busy
 * service.
 */
function entryOf(project_id: string, index: number, start: number): LogEntry {
  const resource = `resource-${index % 2 === 0 ? 0 : 1 + (index % (STREAMS - 1))}`;
  const at = new Date(start + Math.floor((index / LINES) * DAY_MS));
  const path = PATHS[index % PATHS.length];
  const status = index % 50 === 0 ? 500 : 200;
  const id = index === LINES / 2 ? NEEDLE : (Math.imul(index, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0');
  const text =
    index % 4 < 2
      ? JSON.stringify({
          time: at.toISOString(),
          level: 'info',
          request_id: id,
          method: 'GET',
          path,
          status,
          ms: index % 397,
        })
      : `${at.toISOString()} 10.0.${index % 7}.${index % 251} "GET ${path} HTTP/1.1" ${status} ${(index * 7919) % 90_000} id=${id}`;
  const labels = {
    service: 'compute',
    resource_id: resource,
    resource_name: resource,
    level: 'info',
    stream: 'stdout',
  } as const;
  return { project_id, labels, at, text };
}

async function timed<T>(work: () => Promise<T>): Promise<[number, T]> {
  const begun = performance.now();
  const result = await work();
  return [(performance.now() - begun) / 1000, result];
}

async function times(work: () => Promise<unknown>): Promise<number[]> {
  const seconds: number[] = [];
  for (let run = 0; run < RUNS; run += 1) seconds.push((await timed(work))[0]);
  return seconds;
}

const middleOf = (values: readonly number[]) => values.toSorted((one, other) => one - other)[RUNS >> 1] ?? 0;
const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
const ms = (seconds: number) => `${(seconds * 1000).toFixed(0)} ms`;
