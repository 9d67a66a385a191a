import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { endLeftovers, supervisedMark } from './leftovers';

const children: ChildProcess[] = [];

/** Starts a process that reports when it is up; `script` handles signals. */
async function start(dataDir: string, script = '') {
  const child = spawn(process.execPath, ['--eval', `${script}; console.log('up'); setInterval(() => {}, 1000)`], {
    env: { ...process.env, ...supervisedMark(dataDir) },
  });
  children.push(child);
  const end = once(child, 'exit').then(([code, signal]) => signal ?? code);
  await once(child.stdout, 'data');
  return { child, end };
}

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

it('ends processes of this data folder’s former supervisor, and none of another one', async () => {
  const mine = [await start('/data/a'), await start('/data/a')];
  const other = await start('/data/ab');
  await endLeftovers('/data/a', 5000);
  expect(await Promise.all(mine.map(({ end }) => end))).toEqual(['SIGTERM', 'SIGTERM']);
  expect([other.child.exitCode, other.child.signalCode]).toEqual([null, null]);
});

it('a process that ignores the signal is killed after the grace period', async () => {
  const deaf = await start('/data/a', `process.on('SIGTERM', () => {})`);
  await endLeftovers('/data/a', 100);
  expect(await deaf.end).toBe('SIGKILL');
});

it('a process can finish within its grace period', async () => {
  const busy = await start('/data/a', `process.on('SIGTERM', () => setTimeout(() => process.exit(7), 200))`);
  await endLeftovers('/data/a', 5000);
  expect(await busy.end).toBe(7);
});
