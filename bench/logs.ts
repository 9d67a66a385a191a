import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { now } from '@/lib/clock';
import { newId } from '@/lib/core/db/id';
import { execute, queryRow } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { grouped } from '@/lib/domains/observability/logs/logql/vectors';
import { evaluate, findLines, readQuery } from '@/lib/domains/observability/logs/query';
import { mergeChunks } from '@/lib/domains/observability/logs/upkeep';
import { type LogEntry, writeLogs } from '@/lib/domains/observability/logs/write';
import { type Rival, startRival } from './loki';
import { type Aim, printRatio } from './ratio';

const DEFAULT_LINES = 400_000;
const STREAMS = 20;
/** Log entries per batch of one source. */
const BATCH = 5000;
const DAY_MS = 24 * 60 * 60 * 1000;
const RUNS = 5;
const NEEDLE = 'request-id-of-last-night';
const ERRORS = 'sum by (status) (count_over_time({service="compute"} |= "status" | json | status >= 500 [1h]))';

/**
 * Compares ingest, disk size and queries of the log store with plain files and `grep`, and with Loki where it is installed,
 * on the same lines, a day of them: 10,000,000 when run in full.
 */
export async function measureLogs(folder: string, lines = DEFAULT_LINES): Promise<void> {
  const loki = await startRival();
  if (!loki) console.log('Not compared with Loki: it is not on PATH.');
  try {
    await compareLogs(folder, lines, loki);
  } finally {
    await loki?.stop();
  }
}

async function compareLogs(folder: string, lines: number, loki: Rival): Promise<void> {
  const project_id = newId();
  const at = now();
  await execute(sql`INSERT INTO projects (id, name, slug, created_at, updated_at)
    VALUES (${project_id}::uuid, 'logs', 'logs', ${at}::timestamptz, ${at}::timestamptz)`);
  const start = at.getTime() - DAY_MS;
  const files = join(folder, 'plain');
  mkdirSync(files);
  let writing = 0;
  let plain = 0;
  let lokiWriting = 0;
  for (let first = 0; first < lines; first += BATCH) {
    const count = Math.min(BATCH, lines - first);
    const entries = Array.from({ length: count }, (_, index) => entryOf(project_id, first + index, lines, start));
    writing += (await timed(() => writeLogs(entries)))[0];
    if (loki) lokiWriting += (await timed(() => loki.push(entries)))[0];
    for (const [resource, own] of grouped(entries, ({ labels }) => labels.resource_id ?? '')) {
      const text = own.map((entry) => `${entry.text}\n`).join('');
      appendFileSync(join(files, resource), text);
      plain += Buffer.byteLength(text);
    }
  }
  console.log(`Ingest: ${Math.round(lines / writing).toLocaleString('en')} lines/s  aim ≥ 20,000`);
  if (loki)
    printRatio(
      'Ingest, in time to Loki',
      writing / lokiWriting,
      `${writing.toFixed(1)} s to ${lokiWriting.toFixed(1)} s`,
    );
  // Two minutes later: nobody follows these lines.
  await execute(sql`DELETE FROM log_arrivals`);
  const [merging] = await timed(() => mergeChunks(new AbortController().signal));
  console.log(`Merging them: ${merging.toFixed(1)} s`);
  await execute(raw('VACUUM FULL log_chunks'));
  const { bytes } = await queryRow<{ bytes: number }>(
    sql`SELECT pg_total_relation_size('log_chunks')::float8 AS bytes`,
  );
  printRatio('Log lines on disk to plain text', bytes / plain, `${mb(bytes)} to ${mb(plain)}`, {
    text: '≤ 0.2',
    met: bytes / plain <= 0.2,
  });
  if (loki) {
    const theirs = await loki.stored();
    printRatio('Log lines on disk to Loki', bytes / theirs, `${mb(bytes)} to ${mb(theirs)}`);
  }

  const all = `all ${lines.toLocaleString('en')} lines`;
  const span = { start: `${start}000000`, end: `${start + DAY_MS}000000` };
  const one = `{resource_id="resource-0"} |= "${NEEDLE}"`;
  const aim = (search: number) => ({ text: '< 200 ms', met: search < 0.2 });
  await toGrep('A line in a day of one stream, half of the lines', () => search(project_id, start, one, 1), {
    args: ['-c', NEEDLE, join(files, 'resource-0')],
    loki: loki && (() => loki.query({ query: one, ...span, limit: '100' })),
    aim: lines === DEFAULT_LINES ? aim : undefined,
  });
  const any = `{service="compute"} |= "${NEEDLE}"`;
  await toGrep(`A line in ${all}`, () => search(project_id, start, any, 1), {
    args: ['-rc', NEEDLE, files],
    loki: loki && (() => loki.query({ query: any, ...span, limit: '100' })),
  });
  await toGrep('Errors of an hour, by status', () => countErrors(project_id, start), {
    args: ['-rc', 'status":500', files],
    loki: loki && (() => loki.query({ query: ERRORS, time: span.end })),
  });
  const newest = middleOf(await times(() => search(project_id, start, '{service="compute"}', 100)));
  console.log(`The newest 100 of ${all}: ${ms(newest)}`);
  const filtered = middleOf(await times(() => search(project_id, start, any, 1)));
  await execute(raw('UPDATE log_chunks SET grams = NULL'));
  await execute(raw('VACUUM FULL log_chunks'));
  const unfiltered = middleOf(await times(() => search(project_id, start, any, 1)));
  printRatio(
    `A line in ${all}, to chunks without filters`,
    filtered / unfiltered,
    `${ms(filtered)} to ${ms(unfiltered)}`,
  );
}

async function toGrep(
  what: string,
  work: () => Promise<unknown>,
  {
    args,
    aim,
    loki,
  }: { args: string[]; aim?: ((seconds: number) => Aim) | undefined; loki?: (() => Promise<void>) | undefined },
): Promise<void> {
  const ours = middleOf(await times(work));
  const grep = middleOf(
    await times(async () => {
      spawnSync('grep', args, { env: { ...process.env, LC_ALL: 'C' } });
    }),
  );
  printRatio(`${what}, to grep`, ours / grep, `${ms(ours)} to ${ms(grep)}`, aim?.(ours));
  if (!loki) return;
  const theirs = middleOf(await times(loki));
  printRatio(`${what}, to Loki`, ours / theirs, `${ms(ours)} to ${ms(theirs)}`);
}

const forever = new AbortController().signal;

async function search(project_id: string, start: number, text: string, expected: number): Promise<void> {
  const reader = { project_id, audit: false };
  const log = readQuery(text, reader);
  if (log.kind !== 'log') throw new Error('not a query for lines');
  const span = { from_us: start * 1000, to_us: (start + DAY_MS) * 1000 };
  const { result } = await findLines(log, reader, { span, limit: 100, direction: 'backward', signal: forever });
  const found = result.reduce((sum, { entries }) => sum + entries.length, 0);
  if (found !== expected) throw new Error(`found ${found} lines, not ${expected}`);
}

async function countErrors(project_id: string, start: number): Promise<void> {
  const reader = { project_id, audit: false };
  const query = readQuery(ERRORS, reader);
  if (query.kind === 'log') throw new Error('not a metric query');
  await evaluate(query, reader, { steps: [(start + DAY_MS) * 1000], signal: forever });
}

const PATHS = ['/api/v1/compute/instances', '/healthz', '/login', '/static/app.js', '/api/v1/storage/volumes'];

/**
 * Half JSON, half access log, with ids that do not compress. The first stream has half of the lines, like one busy
 * service.
 */
function entryOf(project_id: string, index: number, lines: number, start: number): LogEntry {
  const resource = `resource-${index % 2 === 0 ? 0 : 1 + (index % (STREAMS - 1))}`;
  const at = new Date(start + Math.floor((index / lines) * DAY_MS));
  const path = PATHS[index % PATHS.length];
  const status = index % 50 === 0 ? 500 : 200;
  const id = index === lines / 2 ? NEEDLE : (Math.imul(index, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0');
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
