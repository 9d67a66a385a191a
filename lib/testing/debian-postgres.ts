import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { postgresAccount } from '@/lib/runtime/postgres-binaries';
import { removeWhenDone, type TemporaryPostgres } from '@/lib/runtime/temporary-postgres';

const programs = (major: number) => `/usr/lib/postgresql/${major}/bin`;

/** Whether Debian's PostgreSQL of this major version is installed. */
export const hasDebianPostgres = (major: number) => existsSync(join(programs(major), 'postgres'));

/** Starts Debian's PostgreSQL of a major version in a temporary folder; nothing of it survives this process. */
export async function startDebianPostgres(major: number): Promise<TemporaryPostgres> {
  const directory = mkdtempSync(join(tmpdir(), 'nephele-test-'));
  const cluster = join(directory, 'postgres');
  const account = postgresAccount(directory);
  chmodSync(directory, 0o711);
  if (account) chownSync(directory, account.uid, account.gid);
  const initialised = spawnSync(
    join(programs(major), 'initdb'),
    [`--pgdata=${cluster}`, '--username=nephele', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'],
    { ...account, cwd: '/', encoding: 'utf8' },
  );
  if (initialised.status !== 0) throw new Error(`initdb failed: ${initialised.stderr}`);
  const settings = [
    'listen_addresses=',
    `unix_socket_directories=${directory}`,
    'fsync=off',
    'timezone=UTC',
    'jit=off',
  ];
  const server = spawn(
    join(programs(major), 'postgres'),
    ['-D', cluster, ...settings.flatMap((setting) => ['-c', setting])],
    { ...account, cwd: '/', detached: true, stdio: 'ignore' },
  );
  const url = (database: string) => `postgresql://nephele@localhost/${database}?host=${encodeURIComponent(directory)}`;
  const stop = removeWhenDone(server.pid, directory);
  while (!(await answers(url('postgres')))) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ${major} did not start.`);
    await delay(50);
  }
  return { url, directory, stop };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client(url);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
