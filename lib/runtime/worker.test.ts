import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { execute, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { tryLock } from '@/lib/lock';
import { databaseUrl } from '@/lib/settings';
import { testDatabase } from '@/lib/testing/database';
import { environmentOf } from './process-table';

testDatabase();

const PATIENCE_MS = 60_000;
const STANDS_BY = 'another worker serves this host';

let dataDir: string;
const started: ChildProcess[] = [];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'nephele-worker-'));
  chmodSync(dataDir, 0o711);
});

afterEach(async () => {
  for (const worker of started.splice(0)) await end(worker, 'SIGKILL');
  // A program of the killed worker may still be unpacking files.
  rmSync(dataDir, { recursive: true, maxRetries: 20, retryDelay: 100 });
});

/** Starts a worker process of this host, whose database sessions have its name. */
function start(name: string) {
  const url = new URL(databaseUrl());
  url.searchParams.set('application_name', name);
  const worker = spawn(process.execPath, ['--import', 'tsx', 'lib/runtime/worker.ts'], {
    env: { ...process.env, DATA_DIR: dataDir, DATABASE_URL: url.href, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  createInterface(worker.stdout).on('line', (line) => lines.push(line));
  started.push(worker);
  return Object.assign(worker, { said: (words: string) => lines.some((line) => line.includes(words)) });
}

async function end(worker: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (worker.exitCode === null && worker.signalCode === null) {
    worker.kill(signal);
    await once(worker, 'exit');
  }
  return worker.exitCode;
}

const sessionsOf = async (name: string) =>
  (
    await queryOne<{ n: number }>(sql`SELECT count(*)::int AS n FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = ${name}::text`)
  )?.n ?? 0;

/** Waits for a new report of this host. */
async function report(): Promise<void> {
  await execute(sql`DELETE FROM cells`);
  await expect.poll(() => queryOne(sql`SELECT FROM cells`), { timeout: PATIENCE_MS }).toBeDefined();
}

/** Names of the processes that use a data folder. */
const processesOf = (folder: string) =>
  readdirSync('/proc').flatMap((name) => {
    const isIts = Number(name) > 0 && environmentOf(Number(name)).includes(`DATA_DIR=${folder}`);
    return isIts ? [readFileSync(`/proc/${name}/comm`, 'utf8').trim()] : [];
  });

test(
  'of two workers of a host the second waits until the first is gone, then takes over',
  async () => {
    const first = start('first');
    await report();
    const second = start('second');
    await expect.poll(() => second.said(STANDS_BY), { timeout: PATIENCE_MS }).toBe(true);
    expect(second.said(`"pid":"${first.pid}"`)).toBe(true);
    await report();
    expect([await sessionsOf('first'), await sessionsOf('second')]).toEqual([expect.toSatisfy((n) => n > 0), 0]);
    await end(first, 'SIGKILL');
    await report();
    expect(await sessionsOf('second')).toBeGreaterThan(0);
    expect(await end(second, 'SIGTERM')).toBe(0);
  },
  4 * PATIENCE_MS,
);

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'a standby worker ends by %s without leaving anything waiting',
  async (signal) => {
    const path = join(dataDir, 'worker.lock');
    const lock = tryLock(path);
    const worker = start('waiting');
    await expect.poll(() => worker.said(STANDS_BY), { timeout: PATIENCE_MS }).toBe(true);
    await expect.poll(() => processesOf(dataDir), { timeout: PATIENCE_MS }).toContain('flock');
    expect(await end(worker, signal)).toBe(signal === 'SIGTERM' ? 0 : null);
    await expect.poll(() => processesOf(dataDir), { timeout: PATIENCE_MS }).toEqual([]);
    if ('release' in lock) lock.release();
    expect(tryLock(path)).toHaveProperty('release');
  },
  2 * PATIENCE_MS,
);
