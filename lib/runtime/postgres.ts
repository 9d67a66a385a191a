import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { type Account, postgresAccount, postgresPrograms } from './postgres-binaries';

/** Options of an embedded PostgreSQL. */
export type PostgresOptions = {
  /**
   * The cluster's folder, created on first use. When run as root, PostgreSQL's user must have access to its parents.
   */
  directory: string;
  /** The password of the superuser `nephele`, set when the cluster is created. */
  password: string;
  /** False trades safety for speed: only for disposable data. */
  durable: boolean;
  log: (line: string) => void;
  /** Aborts the start. */
  signal?: AbortSignal;
};

/** A running embedded PostgreSQL. */
export type PostgresServer = {
  pid: number | undefined;
  /** Settles with the reason when the server has ended. */
  ended: Promise<string>;
  /** The connection string of one of its databases. */
  url(database: string): string;
  /** Fast shutdown: closes connections and checkpoints the data. */
  stop(): Promise<void>;
};

const socketName = '.s.PGSQL.5432';

/**
 * Starts PostgreSQL on a Unix socket that only its owner can access, out of reach of tenants' networks, and in its own
 * session, so that Ctrl-C in a terminal does not stop it before its clients.
 */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const account = postgresAccount(options.directory);
  const programs = postgresPrograms(options.directory, account);
  if (!existsSync(join(options.directory, 'PG_VERSION'))) createCluster(options, programs, account);
  await stopPostgresIn(options.directory);
  // Backends of a killed server release its shared memory a moment later.
  for (let attempt = 1; ; attempt++) {
    const result = await launch(options, programs, account);
    if (typeof result !== 'string') return result;
    if (attempt === 50 || !result.includes('shared memory block'))
      throw new Error(`PostgreSQL did not start: ${result}`);
    await delay(200);
  }
}

/** Stops a server that still runs on a folder after its parent is gone. */
export async function stopPostgresIn(directory: string, signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
  const running = () => {
    try {
      const pid = Number(readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')[0]);
      return readlinkSync(`/proc/${pid}/cwd`) === directory ? pid : undefined;
    } catch {
      return undefined;
    }
  };
  const pid = running();
  if (!pid) return;
  process.kill(pid, signal);
  for (let waited = 0; running() === pid; waited += 50) {
    if (waited === 60_000) process.kill(pid, 'SIGQUIT');
    await delay(50);
  }
}

/** Creates the cluster atomically: an interrupted `initdb` leaves nothing that a later start would use. */
function createCluster({ directory, password, durable }: PostgresOptions, programs: string, account: Account): void {
  const draft = `${directory}.new`;
  const passwordFile = `${draft}.password`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (account) for (const path of [draft, passwordFile]) chownSync(path, account.uid, account.gid);
  if (account && spawnSync('test', ['-w', draft], { ...account, cwd: '/' }).status !== 0) {
    throw new Error(`The PostgreSQL user cannot access ${draft}. Make its parent folders accessible (chmod o+x).`);
  }
  const flags = [
    `--pgdata=${draft}`,
    '--username=nephele',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // With the built-in collation, indexes stay valid when the machine's C library changes.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    ...(durable ? [] : ['--no-sync']),
  ];
  const result = spawnSync(join(programs, 'initdb'), flags, { ...account, cwd: '/', encoding: 'utf8' });
  rmSync(passwordFile);
  if (result.status !== 0) {
    const reason = result.stderr?.trim() || result.error?.message;
    throw new Error(`PostgreSQL could not create its files in ${draft}: ${reason}`);
  }
  renameSync(draft, directory);
}

/** The connection string of a database of the cluster in a folder, running or not. */
export function postgresUrl(directory: string, password: string, database: string): string {
  return `postgresql://nephele:${password}@localhost/${database}?host=${encodeURIComponent(socketFolder(directory))}`;
}

/** The socket folder. A Unix socket's path is limited to 107 bytes; a longer one moves to a short folder. */
function socketFolder(directory: string): string {
  if (Buffer.byteLength(join(directory, socketName)) <= 107) return directory;
  return join(tmpdir(), `nephele-${createHash('sha256').update(directory).digest('hex').slice(0, 16)}`);
}

/** Creates the short folder, accessible to its owner only. */
function makeSocketFolder(folder: string, account: Account): void {
  if (!existsSync(folder)) {
    mkdirSync(folder, { mode: 0o700 });
    if (account) chownSync(folder, account.uid, account.gid);
  }
  const { uid, mode } = statSync(folder);
  if (uid !== (account?.uid ?? process.getuid?.()) || (mode & 0o777) !== 0o700) {
    throw new Error(`${folder} belongs to another user. Use a shorter DATA_DIR.`);
  }
}

async function launch(options: PostgresOptions, programs: string, account: Account): Promise<PostgresServer | string> {
  const { directory, password, durable, log } = options;
  const host = socketFolder(directory);
  makeSocketFolder(host, account);
  const configuration = {
    listen_addresses: '',
    unix_socket_directories: host,
    unix_socket_permissions: '0700',
    max_connections: '300',
    shared_buffers: durable ? '256MB' : '64MB',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '',
    log_min_messages: 'log',
    log_checkpoints: 'off',
    // Omits error details, which can contain rows.
    log_error_verbosity: 'terse',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  const settings = Object.entries(configuration).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(join(programs, 'postgres'), ['-D', directory, ...settings], {
    ...account,
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lastLines: string[] = [];
  createInterface(child.stderr).on('line', (line) => {
    if (lastLines.push(line) > 10) lastLines.shift();
    log(line);
  });
  const ended = new Promise<string>((resolve) => {
    child.once('close', (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`));
    child.once('error', (error) => {
      lastLines.push(error.message);
      resolve(error.message);
    });
  });
  const giveUp = () => child.kill('SIGINT');
  options.signal?.addEventListener('abort', giveUp);
  const server: PostgresServer = {
    pid: child.pid,
    ended,
    url: (database) => postgresUrl(directory, password, database),
    async stop() {
      child.kill('SIGINT');
      const impatience = setTimeout(() => child.kill('SIGQUIT'), 60_000);
      await ended;
      clearTimeout(impatience);
      if (host !== directory) rmSync(host, { recursive: true, force: true });
    },
  };
  const ready = await waitUntilReady(directory, child, ended);
  options.signal?.removeEventListener('abort', giveUp);
  return ready ? server : lastLines.join('\n');
}

/**
 * True when it accepts connections, false when it ended before. Crash recovery may take minutes, so there is no time
 * limit.
 */
async function waitUntilReady(directory: string, child: ChildProcess, ended: Promise<unknown>): Promise<boolean> {
  while (child.pid && child.exitCode === null && child.signalCode === null) {
    // The file that pg_ctl watches: its last line changes from "starting" to "ready".
    const status = readIfPresent(join(directory, 'postmaster.pid')).split('\n');
    if (status[0] === String(child.pid) && status[7]?.trim() === 'ready') return true;
    await Promise.race([delay(10), ended]);
  }
  return false;
}

function readIfPresent(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
