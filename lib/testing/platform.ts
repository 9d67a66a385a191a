import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findSupervised } from '@/lib/runtime/leftovers';
import { environmentOf } from '@/lib/runtime/process-table';
import { settingNames } from '@/lib/settings';
import { administrator, owner } from './accounts';
import { freePort } from './loopback';

/** The whole platform, started with the user's command. */
export type Platform = {
  url: string;
  dataDir: string;
  /** The pid of one of its processes; undefined while it restarts. */
  pidOf(part: 'web' | 'worker' | 'database'): number | undefined;
  /** Ctrl-C: settles when everything has ended. @returns exit code and output */
  stop(): Promise<{ code: number | null; output: string }>;
  /** kill -9 of the supervisor; settles when it has ended, even if other processes continue. */
  kill(): Promise<void>;
  /** Stops what is still running, and removes the data folder. */
  dispose(): Promise<void>;
};

/** The code and user of a platform, if not this checkout and this user. */
export type Installation = { folder: string; uid: number; gid: number };

/** Starts a platform on its own data folder, or on that of an earlier one. */
export async function startPlatform(
  given: Record<string, string> = {},
  dataDir: string = newDataDir(),
  installation?: Installation,
): Promise<Platform> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const nothingGiven = Object.fromEntries(settingNames.map((name) => [name, '']));
  const child = spawn(process.execPath, ['lib/runtime/start.mjs'], {
    ...(installation ? { cwd: installation.folder, uid: installation.uid, gid: installation.gid } : {}),
    env: {
      ...process.env,
      ...nothingGiven,
      PORT: String(port),
      GATEWAY_HTTP_PORT: String(await freePort()),
      GATEWAY_HTTPS_PORT: String(await freePort()),
      S3_PORT: String(await freePort()),
      DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
      BOOTSTRAP_ADMIN_PASSWORD: administrator.password,
      BOOTSTRAP_TENANT_PASSWORD: owner.password,
      // As npm's child it ends with its parent, however the parent ends.
      npm_lifecycle_event: 'test',
      ...given,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const stop = async () => {
    const code = await ended(child);
    return { code, output };
  };
  const platform: Platform = {
    url,
    dataDir,
    pidOf: (part) => (part === 'database' ? databasePid(dataDir) : supervisedPid(dataDir, part)),
    stop,
    async kill() {
      await ended(child, 'SIGKILL');
    },
    async dispose() {
      await stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  while (!output.includes('Nephele is ready')) {
    if (child.exitCode !== null) {
      await platform.dispose();
      throw new Error(`The platform did not start: ${output}`);
    }
    await delay(100);
  }
  return platform;
}

/** A new data folder that reuses the tiny image built by other tests. */
function newDataDir(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'nephele-platform-'));
  chmodSync(dataDir, 0o711);
  const cache = join(tmpdir(), `nephele-test-cache-${userInfo().uid}`);
  mkdirSync(join(dataDir, 'engine'), { mode: 0o711 });
  mkdirSync(cache, { recursive: true });
  symlinkSync(cache, join(dataDir, 'engine', 'cache'));
  return dataDir;
}

async function ended(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  }
  return child.exitCode;
}

function supervisedPid(dataDir: string, name: string): number | undefined {
  return findSupervised(dataDir).find(({ pid }) => environmentOf(pid).includes(`NEPHELE_PROCESS=${name}`))?.pid;
}

function databasePid(dataDir: string): number | undefined {
  try {
    return Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]) || undefined;
  } catch {
    return undefined;
  }
}
