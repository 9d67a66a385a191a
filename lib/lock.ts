import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A lock that the kernel holds for this process and releases when it ends, even by kill -9. */
export type Lock = { release(): void };

/** Takes a lock without waiting. @returns the lock, or the pid of its holder */
export function tryLock(path: string): Lock | { heldBy: string } {
  const file = openLockFile(path);
  // flock(1) locks the inherited open file, and with it ours: no native module is needed.
  const { status, error } = spawnSync('flock', ['--exclusive', '--nonblock', '3'], {
    stdio: ['ignore', 'ignore', 'ignore', file],
  });
  if (error) throw new Error('The program `flock` is missing. Install the package util-linux.', { cause: error });
  if (status !== 0) {
    closeSync(file);
    return { heldBy: readFileSync(path, 'utf8').trim() };
  }
  return held(file);
}

/** Creates the data folder if missing, and takes its lock; the holder may run or change its content. */
export function lockDataDir(dataDir: string): Lock | { heldBy: string } {
  if (!existsSync(dataDir)) {
    // Root's database and machines run as other users, who need access to subfolders.
    mkdirSync(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  }
  return tryLock(join(dataDir, 'lock'));
}

/**
 * Waits for a lock.
 * @throws when the signal aborts first; nothing keeps waiting after that, or after this process is killed
 */
export async function waitForLock(path: string, signal?: AbortSignal): Promise<Lock> {
  const file = openLockFile(path);
  const command = ['--pdeathsig', 'KILL', '--', 'flock', '--exclusive', '3'];
  try {
    const child = spawn('setpriv', command, { stdio: ['ignore', 'ignore', 'ignore', file], signal });
    const [code, killedBy] = await once(child, 'exit');
    if (code !== 0) throw new Error(`waiting for ${path} ended early (${killedBy ?? `exit code ${code}`})`);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  return held(file);
}

function openLockFile(path: string): number {
  mkdirSync(dirname(path), { recursive: true });
  return openSync(path, 'a+', 0o600);
}

function held(file: number): Lock {
  ftruncateSync(file);
  writeSync(file, `${process.pid}\n`);
  return { release: () => closeSync(file) };
}
