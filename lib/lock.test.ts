import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { lockDataDir, tryLock, waitForLock } from './lock';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nephele-lock-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Another process that takes the lock and keeps it until it is killed. */
async function holder(path: string) {
  const child = spawn(process.execPath, [
    ...['--import', 'tsx', '--input-type=module', '--eval'],
    `const { tryLock } = await import('${process.cwd()}/lib/lock.ts');
     const lock = tryLock('${path}');
     console.log('heldBy' in lock ? 'refused' : 'held');
     setInterval(() => lock, 1000);`,
  ]);
  const [word] = await once(child.stdout, 'data');
  return { pid: child.pid, word: String(word).trim(), kill: async () => child.kill('SIGKILL') && once(child, 'exit') };
}

it('one process at a time holds a lock, and a killed one releases it', async () => {
  const path = join(folder, 'lock');
  const first = await holder(path);
  expect(first.word).toBe('held');
  expect(tryLock(path)).toEqual({ heldBy: String(first.pid) });
  await first.kill();
  const lock = tryLock(path);
  expect(lock).toHaveProperty('release');
  const second = await holder(path);
  expect(second.word).toBe('refused');
  await second.kill();
  if ('release' in lock) lock.release();
});

it('waiting processes get the released lock one after the other', async () => {
  const path = join(folder, 'below', 'lock');
  let holders = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 5 }, async () => {
      const lock = await waitForLock(path);
      most = Math.max(most, ++holders);
      await new Promise(setImmediate);
      holders--;
      lock.release();
    }),
  );
  expect(most).toBe(1);
});

it('a new data folder cannot be listed by others', () => {
  const dataDir = join(folder, 'data');
  const lock = lockDataDir(dataDir);
  expect(lock).toHaveProperty('release');
  expect(statSync(dataDir).mode & 0o777).toBe(process.getuid?.() === 0 ? 0o711 : 0o700);
});
