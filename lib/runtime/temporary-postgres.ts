import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from './postgres';

/** A PostgreSQL for one run; stopping it removes its folder. */
export type TemporaryPostgres = { url(database: string): string; directory: string; stop(): Promise<void> };

/** Waits for its input to end, however this process ends, then stops the server and removes the folder. */
const guard = `
  cat > /dev/null
  kill -INT "$1"
  for try in $(seq 200); do [ -e "$2/postgres/postmaster.pid" ] || break; sleep 0.05; done
  kill -QUIT "$1" 2> /dev/null
  rm -rf "$2"`;

/**
 * Starts an embedded PostgreSQL in a temporary folder; nothing of it survives this process, not even a kill -9.
 * @param durable whether it syncs its files, as in production: for measurements
 */
export async function startTemporaryPostgres(durable = false): Promise<TemporaryPostgres> {
  const directory = mkdtempSync(join(tmpdir(), 'nephele-test-'));
  chmodSync(directory, 0o711);
  const lines: string[] = [];
  const server = await startPostgres({
    directory: join(directory, 'postgres'),
    password: 'test',
    durable,
    log: (line) => lines.push(line),
  }).catch((error) => {
    rmSync(directory, { recursive: true });
    throw error;
  });
  return { url: server.url, directory, stop: removeWhenDone(server.pid, directory) };
}

/**
 * Stops a server and removes its folder, which contains the cluster `postgres`, when called or when this process ends.
 */
export function removeWhenDone(pid: number | undefined, directory: string): () => Promise<void> {
  const watcher = spawn('/bin/sh', ['-c', guard, 'guard', String(pid), directory], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  return async () => {
    const ended = once(watcher, 'exit');
    watcher.stdin.end();
    await ended;
  };
}
