import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { execute, queryRow } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { engineOf } from '@/lib/engines/engines';
import { untilSettled } from '@/lib/engines/until-settled';
import { ownCell } from '@/lib/settings';
import { createCell } from '@/lib/testing/hosts';
import { type HttpRequest, loadHttp } from './load';
import { family, processorMs as totalMs } from './processor-time';
import { compare, printRatio, verdict } from './ratio';
import { createCallers } from './world';

const SECONDS = 2;
const CALLERS = 16;
const WARM_CALLS = 300;
const COLD_STARTS = 9;
const IDLE_FUNCTIONS = 200;
const AT_ONCE = 50;
const LOG_LINES = 40;
/** The kernel's clock ticks in a second, of which processor time is counted. */
const TICKS = 100;
const MB = 1024 ** 2;

const runtimes = [
  {
    template_id: 'python3.11',
    program: { name: 'python', version: '3.11' },
    aim: 300,
    code: 'def handler(event, context):\n    return event\n',
  },
  {
    template_id: 'nodejs24',
    program: { name: 'node', version: '24' },
    aim: 400,
    code: 'export const handler = async (event) => event;',
  },
  {
    template_id: 'deno2',
    program: { name: 'deno', version: '2' },
    aim: 400,
    code: 'export const handler = async (event: unknown) => event;',
  },
] as const;

const invocation = z.object({ status: z.literal('succeeded'), duration_ms: z.number(), cold_start: z.boolean() });
const deployed = z.object({ status: z.string(), status_reason: z.string().nullable() });
const created = z.object({ id: z.string() });
const state = z.object({ memory: z.number(), instances: z.number() });
type Platform = { port: number; token: string; api: ChildProcess; host: ChildProcess };

/** Measures functions with the API and their pool in processes of their own, as on a platform. */
export async function measureFunctions(): Promise<void> {
  const [token = ''] = await createCallers(1);
  await createCell(ownCell());
  await execute(sql`UPDATE project_accounts SET serverless_functions_limit = ${IDLE_FUNCTIONS + 20}::int`);
  for (const { program } of runtimes) await untilSettled(() => engineOf(ownCell()).functions.prepare(program));
  const start = (file: string, args: string[] = []) =>
    spawn(process.execPath, [...args, '--import', 'tsx', file], {
      env: process.env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
  const [host, api] = [start('bench/functions-host.ts', ['--expose-gc']), start('bench/server.ts')];
  const [[message]] = await Promise.all([once(api, 'message'), once(host, 'message')]);
  const platform = { port: z.object({ port: z.number() }).parse(message).port, token, api, host };
  try {
    await measureWarm(platform);
    await measureLog(platform);
    await measureCold(platform);
    await measureIdle(platform);
    await measureMany(platform);
  } finally {
    for (const child of [host, api]) {
      child.disconnect();
      await once(child, 'exit');
    }
  }
}

async function ask(platform: Platform, method: string, path: string, body?: object): Promise<unknown> {
  const answer = await fetch(`http://127.0.0.1:${platform.port}/api/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${platform.token}`, 'Content-Type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
  return answer.status === 204 ? null : answer.json();
}

async function deploy(platform: Platform, body: object): Promise<string> {
  const { id } = created.parse(await ask(platform, 'POST', '/functions', body));
  for (;;) {
    const { status, status_reason } = deployed.parse(await ask(platform, 'GET', `/functions/${id}`));
    if (status === 'active') return id;
    if (status === 'error') throw new Error(`function ${id} could not be deployed: ${status_reason}`);
    await delay(50);
  }
}

const invoke = async (platform: Platform, id: string, payload: unknown = 1) =>
  invocation.parse(await ask(platform, 'POST', `/functions/${id}/invoke`, { payload }));

const middle = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Milliseconds of processor time that a process has used. */
function processorMs({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
}

async function transactions(): Promise<number> {
  const row = await queryRow<{ n: number }>(
    sql`SELECT xact_commit::float8 AS n FROM pg_stat_database WHERE datname = current_database()`,
  );
  return row.n;
}

async function measureWarm(platform: Platform): Promise<void> {
  const { template_id, code } = runtimes[0];
  const id = await deploy(platform, { name: 'warm', template_id, code, concurrency: AT_ONCE, memory_mb: 64 });
  for (let call = 0; call < 20; call += 1) await invoke(platform, id);
  const overheads: number[] = [];
  const before = {
    api: processorMs(platform.api),
    host: processorMs(platform.host),
    transactions: await transactions(),
  };
  for (let call = 0; call < WARM_CALLS; call += 1) {
    const begun = performance.now();
    const { duration_ms } = await invoke(platform, id, call);
    overheads.push(performance.now() - begun - duration_ms);
  }
  const overhead = middle(overheads);
  console.log(
    `warm invocation, overhead p50                  ${overhead.toFixed(1)} ms${verdict({ text: '≤ 5 ms', met: overhead <= 5 })}`,
  );
  // Statistics of the database appear when its connections have been idle for a moment.
  await delay(2000);
  const each = (ms: number) => (ms / WARM_CALLS).toFixed(2);
  console.log(
    `    processor time of each: API ${each(processorMs(platform.api) - before.api)} ms, pool ${each(processorMs(platform.host) - before.host)} ms; ` +
      `${each((await transactions()) - before.transactions)} transactions`,
  );
  const request = (method: string, path: string, body?: string): HttpRequest => ({
    method,
    path: `/api/v1${path}`,
    token: platform.token,
    ...(body ? { body } : {}),
  });
  const runs = Array.from({ length: CALLERS }, () => request('POST', `/functions/${id}/invoke`, '{"payload":1}'));
  const reads = Array.from({ length: CALLERS }, () => request('GET', '/tenant/quota'));
  await loadHttp(platform.port, runs, 1);
  const [ran, read] = await compare(
    'perSecond',
    () => loadHttp(platform.port, runs, SECONDS),
    () => loadHttp(platform.port, reads, SECONDS),
  );
  await printShares(platform, runs, reads);
  const ratio = ran.perSecond / read.perSecond;
  printRatio(
    `POST invoke to GET /tenant/quota, ${CALLERS} callers`,
    ratio,
    `${Math.round(ran.perSecond)}/s (p50 ${ran.p50_ms.toFixed(1)} ms) to ${Math.round(read.perSecond)}/s (p50 ${read.p50_ms.toFixed(1)} ms)`,
    { text: '≥ 0.7', met: ratio >= 0.7 },
  );
}

/** Processor time of each request by process, while 16 callers load the platform. */
async function printShares(platform: Platform, runs: HttpRequest[], reads: HttpRequest[]): Promise<void> {
  const of = (pid = 0) => ({ alone: totalMs([pid]), all: totalMs(family(pid)) });
  const spent = () => {
    const [api, host] = [of(platform.api.pid), of(platform.host.pid)];
    return { API: api.all, pool: host.alone, instances: host.all - host.alone };
  };
  for (const [what, requests] of [
    ['invoke', runs],
    ['quota', reads],
  ] as const) {
    const before = spent();
    const { answers } = await loadHttp(platform.port, requests, SECONDS);
    const after = Object.entries(spent()).map(
      ([name, ms]) => `${name} ${((ms - before[name as keyof typeof before]) / answers).toFixed(2)} ms`,
    );
    console.log(`    processor time of each ${what}, ${CALLERS} callers: ${after.join(', ')}`);
  }
}

/** From `print` in the handler to the client of the log's stream, by the host's clock. */
async function measureLog(platform: Platform): Promise<void> {
  const code = `import time
def handler(event, context):
    for number in range(${LOG_LINES}):
        print(f"at {time.time() * 1000}")
        time.sleep(0.05)
`;
  const id = await deploy(platform, { name: 'log', template_id: 'python3.11', code });
  const ending = new AbortController();
  const stream = await fetch(`http://127.0.0.1:${platform.port}/api/v1/functions/${id}/logs`, {
    headers: { Authorization: `Bearer ${platform.token}`, Accept: 'text/event-stream' },
    signal: ending.signal,
  });
  const running = invoke(platform, id);
  const delays: number[] = [];
  for await (const piece of stream.body ?? []) {
    const text = Buffer.from(piece).toString();
    for (const [, at] of text.matchAll(/"message":"at ([\d.]+)"/g)) delays.push(Date.now() - Number(at));
    if (text.includes('REPORT RequestId')) break;
  }
  ending.abort();
  await running;
  const slowest = Math.max(...delays);
  const isMet = delays.length === LOG_LINES && slowest <= 300;
  console.log(
    `line of a log to its stream                    p50 ${middle(delays).toFixed(0)} ms, slowest ${slowest.toFixed(0)} ms of ${delays.length}${verdict({ text: '≤ 300 ms', met: isMet })}`,
  );
}

async function measureCold(platform: Platform): Promise<void> {
  for (const { template_id, code, aim } of runtimes) {
    const times: number[] = [];
    const name = `cold-${template_id.replace('.', '-')}`;
    const id = await deploy(platform, { name, template_id, code });
    for (let start = 0; start < COLD_STARTS; start += 1) {
      // Deployment loads the code once, and leaves a warm instance: two events at once need another.
      const busy = invoke(platform, id);
      const begun = performance.now();
      const [one, other] = await Promise.all([busy, invoke(platform, id)]);
      if (one.cold_start || other.cold_start) times.push(performance.now() - begun);
      await ask(platform, 'PUT', `/functions/${id}`, { template_id, code });
      await active(platform, id);
    }
    const [time, text] = [middle(times), `≤ ${aim} ms`];
    console.log(
      `cold start of ${template_id.padEnd(32)} ${time.toFixed(0)} ms (${times.length} starts)${verdict({ text, met: time <= aim })}`,
    );
  }
}

async function active(platform: Platform, id: string): Promise<void> {
  for (;;) {
    const { status } = z.object({ status: z.string() }).parse(await ask(platform, 'GET', `/functions/${id}`));
    if (status === 'active') return;
    await delay(20);
  }
}

async function stateOf(host: ChildProcess) {
  host.send('state');
  const [message] = await once(host, 'message');
  return state.parse(message);
}

async function measureIdle(platform: Platform): Promise<void> {
  const { template_id, code } = runtimes[0];
  const before = await stateOf(platform.host);
  for (let n = 0; n < IDLE_FUNCTIONS; n += 1) {
    await deploy(platform, { name: `idle-${n}`, template_id, code, memory_mb: 64 });
  }
  const after = await stateOf(platform.host);
  console.log(
    `${IDLE_FUNCTIONS} functions: the pool takes ${((after.memory - before.memory) / MB).toFixed(0)} MB more; ${after.instances} instances are still warm`,
  );
}

async function measureMany(platform: Platform): Promise<void> {
  const code = 'import time\ndef handler(event, context):\n    time.sleep(1)\n    return event\n';
  const id = await deploy(platform, {
    name: 'many',
    template_id: 'python3.11',
    code,
    concurrency: AT_ONCE,
    memory_mb: 64,
  });
  const begun = performance.now();
  const ran = await Promise.allSettled(Array.from({ length: AT_ONCE }, () => invoke(platform, id)));
  const failed = ran.filter(({ status }) => status === 'rejected').length;
  console.log(
    `${AT_ONCE} instances at once: all answered after ${((performance.now() - begun) / 1000).toFixed(1)} s, ${failed} refused`,
  );
}
