import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpus, loadavg } from 'node:os';
import { z } from 'zod';
import { now } from '@/lib/clock';
import type { Call } from '@/lib/core/api/endpoint';
import { newId } from '@/lib/core/db/id';
import { closePool, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { admission } from '@/lib/core/quota/commit';
import { measureInstanceRows } from './instance-rows';
import { createInstance, instanceWrite } from './instances';
import { type HttpRequest, type Load, loadHttp } from './load';
import { measureMoney } from './money';
import { findPgbench, loadPg, loadPgbench, type Make, projectOfCaller } from './pgbench';
import { compare, printRatio } from './ratio';
import { createCallers, createSecrets, forgetInstances } from './world';

const CALLERS = [1, 16, 64];
const LIST_ROWS = 100_000;
const SECONDS = 2;

/** Measures the API and prints the results. */
export async function measure(url: string, folder: string): Promise<void> {
  const tokens = await createCallers(Math.max(...CALLERS));
  const { child, port } = await startServer();
  try {
    await printMachine();
    await measureReading(port, tokens);
    await measureCreating(port, tokens, url, folder);
    await measureList(port, tokens[0]);
    await measureMoney(url, guardedCreate);
    await measureInstanceRows(port, tokens[0] ?? '');
  } finally {
    child.disconnect();
    await once(child, 'exit');
    await closePool();
  }
}

async function startServer(): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'bench/server.ts'], {
    env: { ...process.env, LOG_LEVEL: 'info' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [message] = await once(child, 'message');
  return { child, port: z.object({ port: z.number() }).parse(message).port };
}

async function printMachine(): Promise<void> {
  const server = await queryOne<{ version: string }>(sql`SELECT current_setting('server_version') AS version`);
  console.log(
    `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}, PostgreSQL ${server?.version} without fsync;\n` +
      'the load, the server and the database share them. Rates swing with the machine, ratios within a run hold.\n',
  );
  const [busy = 0] = loadavg();
  if (busy > cpus().length / 2) {
    console.log(`The machine is busy with something else (load ${busy.toFixed(1)}): even the ratios will not hold.\n`);
  }
}

const rate = ({ perSecond }: Load) => `${Math.round(perSecond)}/s`;
const times = ({ p50_ms, p99_ms }: Load) => `p50 ${p50_ms.toFixed(1)} ms, p99 ${p99_ms.toFixed(1)} ms`;

async function measureReading(port: number, tokens: readonly string[]): Promise<void> {
  const callers = tokens.slice(0, 32);
  const quota = callers.map((token): HttpRequest => ({ method: 'GET', path: '/api/v1/tenant/quota', token }));
  const trivial = callers.map((): HttpRequest => ({ method: 'GET', path: '/healthz' }));
  await loadHttp(port, quota, 1);
  await loadHttp(port, trivial, 1);
  const [read, empty] = await compare(
    'perSecond',
    () => loadHttp(port, quota, SECONDS),
    () => loadHttp(port, trivial, SECONDS),
  );
  printRatio(
    'GET /tenant/quota to a trivial route, 32 callers',
    read.perSecond / empty.perSecond,
    `${rate(read)} (${times(read)}) to ${rate(empty)} (${times(empty)})`,
  );
}

/** The statement that `POST /bench/instances` sends. */
const guardedCreate: Make = (projectId, id) =>
  admission(benchCall(projectId), instanceWrite(benchCall(projectId), projectId, id()));

async function measureCreating(port: number, tokens: readonly string[], url: string, folder: string): Promise<void> {
  const pgbench = findPgbench();
  if (!pgbench) {
    console.log(
      '\npgbench is missing: a loop over `pg` takes its place. On Debian it comes with `apt-get install postgresql`.',
    );
  }
  for (const callers of CALLERS) {
    const requests = tokens.slice(0, callers).map(
      (token): HttpRequest => ({
        method: 'POST',
        path: '/api/v1/bench/instances',
        token,
        body: '{"flavor":"small"}',
      }),
    );
    await loadHttp(port, requests, 1, { status: 201 });
    const [created, alone] = await compare(
      'perSecond',
      async () => {
        await forgetInstances();
        return loadHttp(port, requests, SECONDS, { status: 201 });
      },
      async () => {
        await forgetInstances();
        const load = pgbench
          ? await loadPgbench(pgbench, url, guardedCreate, callers, SECONDS, folder)
          : await loadPg(url, guardedCreate, newId, callers, SECONDS);
        await requireInstances(load.answers);
        return load;
      },
    );
    const ratio = created.perSecond / alone.perSecond;
    printRatio(
      `Guarded create by API to the same by ${pgbench ? 'pgbench' : 'pg'}, ${callers}`,
      ratio,
      `${rate(created)} (${times(created)}) to ${rate(alone)} (mean ${alone.p50_ms.toFixed(1)} ms)`,
      callers === 16 ? { text: '≥ 0.35', met: ratio >= 0.35 } : undefined,
    );
  }
}

/** Refusals are fast, so check that the statements really created something. */
async function requireInstances(count: number): Promise<void> {
  const row = await queryOne<{ n: number }>(sql`SELECT count(*)::int AS n FROM bench_instances`);
  if (!row || row.n < count) throw new Error(`only ${row?.n} of ${count} instances were created`);
}

function benchCall(projectId: string): Call {
  const membership = { project_id: projectId, project_status: 'active', role: 'member' } as const;
  return {
    request_id: newId(),
    at: now(),
    address: '127.0.0.1',
    user_agent: 'bench',
    caller: {
      kind: 'user',
      user_id: newId(),
      email: 'a@b.test',
      name: 'a',
      session_id: newId(),
      via: 'bearer',
      initial_password: false,
      membership,
    },
    endpoint: createInstance,
    signal: new AbortController().signal,
    record: { audited: false },
  };
}

async function measureList(port: number, token: string | undefined): Promise<void> {
  await createSecrets(projectOfCaller(0), LIST_ROWS);
  for (const sort of ['-created_at', 'name']) {
    const first = `/api/v1/vault/secrets?limit=50&sort=${sort}`;
    const thousandth = await walk(port, first, token, 999);
    const one = (path: string) => () => loadHttp(port, [{ method: 'GET', path, token }], SECONDS / 2);
    await one(thousandth)();
    const [late, early] = await compare('p50_ms', one(thousandth), one(first));
    const ratio = late.p50_ms / early.p50_ms;
    printRatio(
      `Page 1,000 of ${LIST_ROWS.toLocaleString('en')} rows to page 1, by ${sort}`,
      ratio,
      `${times(late)} to ${times(early)}`,
      { text: '≤ 1.2', met: ratio <= 1.2 },
    );
  }
}

/** Follows `Link: rel="next"` a number of times. @returns the last path */
async function walk(port: number, path: string, token: string | undefined, steps: number): Promise<string> {
  let at = path;
  for (let step = 0; step < steps; step++) {
    const response = await fetch(`http://127.0.0.1:${port}${at}`, { headers: { Authorization: `Bearer ${token}` } });
    await response.arrayBuffer();
    const next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    if (!next) throw new Error(`the list ended at page ${step + 1}`);
    const url = new URL(next);
    at = url.pathname + url.search;
  }
  return at;
}
