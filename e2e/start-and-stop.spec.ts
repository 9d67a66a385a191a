import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { findSupervised } from '../lib/runtime/leftovers';
import { environmentOf, isAlive } from '../lib/runtime/process-table';
import { settingNames } from '../lib/settings';

let dataDir: string;
let port: number;
const started: { process: ChildProcess; output: () => string }[] = [];

/** Runs `npm start` without npm, on this test's data folder. */
function start() {
  const nothingGiven = Object.fromEntries(settingNames.map((name) => [name, '']));
  const child = spawn(process.execPath, ['lib/runtime/start.mjs'], {
    env: { ...process.env, ...nothingGiven, DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: 'warn' },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const one = { process: child, output: () => output };
  started.push(one);
  return one;
}

async function ready(platform: ReturnType<typeof start>) {
  await expect.poll(platform.output, { timeout: 120_000 }).toMatch(/is ready|cannot start/);
  expect(platform.output()).toContain('is ready');
}

const passwordOf = (email: string, output: string) => new RegExp(`${email}\\s+(\\S+)`).exec(output)?.[1] ?? '';

/** The status of a sign-in, which needs web, database and keys; 0 while nothing answers. */
const signIn = (email: string, password: string) =>
  fetch(`http://localhost:${port}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password }),
  }).then(
    ({ status }) => status,
    () => 0,
  );

const running = (name: string) =>
  findSupervised(dataDir).filter(({ pid }) => environmentOf(pid).includes(`NEPHELE_PROCESS=${name}`));

const databasePid = () => Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);

test.beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'nephele-e2e-'));
  chmodSync(dataDir, 0o711);
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  port = typeof address === 'object' && address ? address.port : 0;
  probe.close();
});

test.afterEach(async () => {
  for (const { process } of started.splice(0)) {
    if (process.exitCode !== null || process.signalCode !== null) continue;
    process.kill('SIGTERM');
    await once(process, 'exit');
  }
  rmSync(dataDir, { recursive: true });
});

test('one command starts the platform; it survives kills, keeps its data, and stops completely', async () => {
  test.setTimeout(240_000);
  const email = 'owner@demo.nephele.local';
  const first = start();
  await ready(first);
  const password = passwordOf(email, first.output());
  expect(passwordOf('admin@nephele.local', first.output())).not.toBe('');
  expect(await signIn(email, password)).toBe(200);

  await test.step('a second copy on the same data folder refuses and harms nothing', async () => {
    const second = start();
    const [code] = await once(second.process, 'exit');
    expect([code, second.output()]).toEqual([1, expect.stringContaining(`pid ${first.process.pid}`)]);
    expect(await signIn(email, password)).toBe(200);
  });

  await test.step('a killed process is restarted', async () => {
    for (const name of ['web', 'worker']) {
      const [victim] = running(name);
      expect(victim).toBeDefined();
      process.kill(victim?.pid ?? 0, 'SIGKILL');
      await expect.poll(() => running(name).some(({ pid }) => pid !== victim?.pid), { timeout: 30_000 }).toBe(true);
    }
    process.kill(databasePid(), 'SIGKILL');
    await expect.poll(() => signIn(email, password), { timeout: 30_000 }).toBe(200);
  });

  await test.step('leftovers of a killed supervisor do not hinder the next one', async () => {
    first.process.kill('SIGKILL');
    const next = start();
    await ready(next);
    expect(next.output(), 'passwords are shown on the first start only').not.toContain(email);
    expect(await signIn(email, password)).toBe(200);
  });

  await test.step('Ctrl-C stops everything', async () => {
    const last = started.at(-1);
    const parts = [...running('web'), ...running('worker')];
    expect(parts).toHaveLength(2);
    last?.process.kill('SIGINT');
    const [code] = await once(last?.process ?? first.process, 'exit');
    expect(code).toBe(0);
    expect(parts.filter(isAlive)).toEqual([]);
    expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false);
    expect(await signIn(email, password)).toBe(0);
  });
});

test('a wrong setting is reported at once', async () => {
  port = 99_999;
  const platform = start();
  const [code] = await once(platform.process, 'exit');
  expect([code, platform.output()]).toEqual([1, expect.stringContaining('PORT: must be a port from 1 to 65535')]);
});
