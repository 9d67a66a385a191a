import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, test, vi } from 'vitest';
import { query, queryRow } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { foldUsage } from '@/lib/money/metering/usage-events';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { freePort } from '@/lib/testing/loopback';
import { useMemoryEngines } from '@/lib/testing/memory-engines';
import { seededRandom } from '@/lib/testing/random';
import { isLong } from '@/lib/testing/samples';
import { api, createProject } from '@/lib/testing/world';

testDatabase();
const call = api();
const EVENTS = isLong ? 50_000 : 1_500;
/** Enough for every sample to have some of each kind. */
const LEAST_KILLS = isLong ? 40 : 3;
const CALLERS = 24;
const CONCURRENCY = 16;
/** Of so many events one is queued, and one ends its instance. */
const [QUEUED_EVERY, CRASH_EVERY] = [10, 13];
const random = seededRandom(Number(process.env.FAULT_SEED ?? 20));

const folder = mkdtempSync(join(tmpdir(), 'kills-'));
const [starts, socket] = [join(folder, 'starts'), join(folder, 'pool.sock')];
const children = new Set<ChildProcess>();
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

test('each start of a handler is billed exactly once while the platform is killed at random, as its clients and handlers count', {
  timeout: 3_600_000,
}, async () => {
  await createCell();
  useMemoryEngines();
  const acme = await createProject('acme');
  const { token } = acme.users.member;
  const body = { name: 'hello', template_id: 'python3.11', code: 'x = 1', concurrency: CONCURRENCY };
  const { id } = (await call('POST', '/functions', { token, body })).body as { id: string };
  const port = await freePort();
  const env = {
    ...process.env,
    STARTS: starts,
    POOL_SOCKET: socket,
    CRASH_EVERY: String(CRASH_EVERY),
    API_PORT: String(port),
    DATABASE_POOL_SIZE: '8',
    LOG_LEVEL: 'fatal',
    RATE_LIMIT_PER_MINUTE: '1000000000',
    RATE_LIMIT_BURST: '1000000000',
    RATE_LIMIT_PROJECT_WRITES_PER_MINUTE: '1000000000',
    RATE_LIMIT_PROJECT_WRITES_BURST: '1000000000',
  };
  const start = (file: string) => {
    const child = spawn(process.execPath, ['--import', 'tsx', file], { env, stdio: ['ignore', 'inherit', 'inherit'] });
    children.add(child);
    return child;
  };
  const files = ['lib/testing/function-worker.ts', 'lib/testing/function-api.ts'] as const;
  const processes = files.map(start);
  const invoke = async (event: number, attempt = ''): Promise<string> => {
    const isQueued = event % QUEUED_EVERY === 1;
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/functions/${id}/invoke`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        ...(isQueued ? { 'Idempotency-Key': `event-${event}${attempt}` } : {}),
      },
      body: JSON.stringify({ payload: event, mode: isQueued ? 'async' : 'sync' }),
    });
    const answer = (await response.json()) as { status?: string };
    return response.ok ? (answer.status ?? 'unknown') : String(response.status);
  };
  await vi.waitFor(async () => expect(await invoke(0)).toBe('failed'), { timeout: 60_000, interval: 200 });

  let [next, answered, isOver, kills] = [1, 0, false, 0];
  const seen = new Map<number, string>();
  const caller = async () => {
    while (answered < EVENTS || kills < LEAST_KILLS) {
      const event = next;
      next += 1;
      const outcome = await invoke(event).catch(() => 'lost');
      seen.set(event, outcome);
      if (outcome === 'lost' || outcome === '503') await delay(100);
      else answered += 1;
    }
  };
  const killing = async () => {
    while (!isOver) {
      // By answers and not by time: on a busy host, a platform that has just started would be killed before its first one.
      const due = answered + 1 + random() * 2 * (EVENTS / LEAST_KILLS - 1);
      while (!isOver && answered < due) await delay(5);
      const index = random() < 0.7 ? 0 : 1;
      const [victim, file] = [processes[index], files[index]];
      if (isOver || !victim || !file) return;
      victim.kill('SIGKILL');
      await once(victim, 'exit');
      processes[index] = start(file);
      kills += 1;
    }
  };
  const ends = killing();
  await Promise.all(Array.from({ length: CALLERS }, caller));
  isOver = true;
  await ends;

  await vi.waitFor(
    async () => {
      const rows = await query(
        sql`SELECT FROM function_invocations WHERE project_id = ${acme.id}::uuid AND status IN ('queued', 'running')
          AND failures = 0`,
      );
      expect(rows.length).toBe(0);
    },
    { timeout: 300_000, interval: 500 },
  );
  for (const child of processes) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  const begun = readFileSync(starts, 'utf8').trim().split('\n').map(Number);
  const times = new Map<number, number>();
  for (const event of begun) times.set(event, (times.get(event) ?? 0) + 1);
  const of = (...outcomes: string[]) =>
    [...seen].flatMap(([event, outcome]) => (outcomes.includes(outcome) ? event : []));

  // What its client was told of, once: a waiting caller's event starts at most once, and never when it was refused.
  expect(of('succeeded').length).toBeGreaterThan(EVENTS / 4);
  for (const event of of('succeeded', 'failed')) expect(times.get(event), `event ${event}`).toBe(1);
  for (const event of of('429')) expect(times.has(event), `event ${event}`).toBe(false);
  for (const event of of('503', 'lost'))
    if (event % QUEUED_EVERY !== 1) expect(times.get(event) ?? 0).toBeLessThanOrEqual(1);
  for (const event of of('queued')) expect(times.has(event), `event ${event} was lost`).toBe(true);

  await foldUsage();
  const { billed } = await queryRow<{ billed: number }>(sql`SELECT sum(quantity)::float8 AS billed FROM usage_counts
    WHERE project_id = ${acme.id}::uuid AND metric = 'function_invocations'`);
  const rows = await query<{ payload: string; attempts: number; statuses: string[] }>(
    sql`SELECT payload, sum(attempts)::float8 AS attempts, array_agg(coalesce(error ->> 'type', status)) AS statuses
      FROM function_invocations WHERE project_id = ${acme.id}::uuid GROUP BY payload`,
  );
  // What callers were told is what the history says, whatever was killed a moment later.
  const history = new Map(rows.map(({ payload, statuses }) => [Number(payload), statuses]));
  for (const event of of('succeeded')) expect(history.get(event), `event ${event}`).toEqual(['succeeded']);
  for (const event of of('failed')) expect(history.get(event), `event ${event}`).not.toContain('Platform.Interrupted');
  const recorded = new Map(rows.map(({ payload, attempts }) => [Number(payload), attempts]));
  for (const [event, count] of times) expect(recorded.get(event), `event ${event}`).toBeGreaterThanOrEqual(count);
  expect(billed).toBe([...recorded.values()].reduce((sum, attempts) => sum + attempts, 0));
  // A kill between the record and its handler bills a start that did not happen: at most one for each event under way.
  expect(billed).toBeGreaterThanOrEqual(begun.length);
  expect(billed - begun.length).toBeLessThanOrEqual(kills * CONCURRENCY);
  const told = ['succeeded', 'failed', 'queued', '429', '503', 'lost'].map(
    (outcome) => `${of(outcome).length} ${outcome}`,
  );
  console.log(
    `${seen.size} events, ${kills} kills: ${told.join(', ')}; ${begun.length} handlers began, ${billed} were billed`,
  );
});
