import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type PostgresServer, postgresUrl, startPostgres, stopPostgresIn } from './postgres';

let folder: string;
let server: PostgresServer | undefined;

const start = async (directory: string, durable = false) => {
  server = await startPostgres({ directory, password: 'right', durable, log: () => {} });
  return server;
};

async function value(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query(sql);
    return Object.values(rows[0] ?? {})[0];
  } finally {
    await client.end();
  }
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nephele-postgres-'));
  chmodSync(folder, 0o711);
});

afterEach(async () => {
  await server?.stop();
  server = undefined;
  rmSync(folder, { recursive: true });
});

it('keeps its data after a crash, and opens only with the password', async () => {
  const directory = join(folder, 'data');
  const first = await start(directory, true);
  await value(first.url('postgres'), 'CREATE TABLE kept AS SELECT 42 AS answer');
  await expect(value(postgresUrl(directory, 'wrong', 'postgres'), 'SELECT 1')).rejects.toThrow('password');
  expect(await value(first.url('postgres'), `SELECT current_setting('listen_addresses')`)).toBe('');
  expect(await value(first.url('postgres'), `SELECT current_setting('max_connections')::int`)).toBeGreaterThanOrEqual(
    200,
  );
  expect(statSync(directory).mode & 0o077).toBe(0);

  process.kill(first.pid ?? 0, 'SIGKILL');
  expect(await first.ended).toBe('signal SIGKILL');
  const second = await start(directory, true);
  expect(await value(second.url('postgres'), 'SELECT answer FROM kept')).toBe(42);
});

it('a leftover server is stopped before the next one starts', async () => {
  const directory = join(folder, 'data');
  const left = await start(directory);
  const next = await start(directory);
  expect(await left.ended).toBe('exit code 0');
  expect(await value(next.url('postgres'), 'SELECT 1')).toBe(1);
  await stopPostgresIn(directory);
  expect(await next.ended).toBe('exit code 0');
  await stopPostgresIn(directory);
});

it('an interrupted first start is repeated from scratch', async () => {
  const directory = join(folder, 'data');
  mkdirSync(`${directory}.new`);
  mkdirSync(`${directory}.new/base`);
  const started = await start(directory);
  expect(await value(started.url('postgres'), 'SELECT 1')).toBe(1);
  expect(existsSync(`${directory}.new`)).toBe(false);
});

it('a folder with a path too long for a socket works, and leaves nothing outside it', async () => {
  const directory = join(folder, 'x'.repeat(120));
  const started = await start(directory);
  const sockets = await value(started.url('postgres'), `SELECT current_setting('unix_socket_directories')`);
  expect(statSync(String(sockets)).mode & 0o777).toBe(0o700);
  await started.stop();
  expect(existsSync(String(sockets))).toBe(false);
});

it('reports why it did not start', async () => {
  const directory = join(folder, 'data');
  await (await start(directory)).stop();
  rmSync(join(directory, 'global'), { recursive: true });
  await expect(start(directory)).rejects.toThrow(/PostgreSQL did not start: .*global/s);
});

it.runIf(process.getuid?.() === 0)('as root it runs as another user', async () => {
  const { pid } = await start(join(folder, 'data'));
  const uid = readFileSync(`/proc/${pid}/status`, 'utf8').match(/^Uid:\s+(\d+)/m)?.[1];
  expect(uid).not.toBe('0');
  expect(spawnSync('id', ['-un', String(uid)]).status).toBe(0);
});
