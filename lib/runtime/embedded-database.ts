import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type PostgresServer, startPostgres } from './postgres';

/** A running embedded database of the platform. */
export type EmbeddedDatabase = PostgresServer & { databaseUrl: string };

/** Starts the platform's own PostgreSQL inside the data folder, and makes its database on the first start. */
export async function startEmbeddedDatabase(
  dataDir: string,
  log: (line: string) => void,
  signal?: AbortSignal,
): Promise<EmbeddedDatabase> {
  const directory = join(dataDir, 'postgres');
  const server = await startPostgres({ directory, password: password(dataDir), durable: true, log, signal });
  try {
    await ensureDatabase(server.url('postgres'));
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { ...server, databaseUrl: server.url('nephele') };
}

function password(dataDir: string): string {
  const path = join(dataDir, 'keys', 'postgres');
  if (!existsSync(path)) {
    mkdirSync(join(dataDir, 'keys'), { recursive: true, mode: 0o700 });
    writeFileSync(`${path}.new`, randomBytes(24).toString('base64url'), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }
  return readFileSync(path, 'utf8');
}

async function ensureDatabase(adminUrl: string): Promise<void> {
  const client = new pg.Client(adminUrl);
  await client.connect();
  try {
    const found = await client.query(`SELECT FROM pg_database WHERE datname = 'nephele'`);
    if (found.rowCount === 0) await client.query('CREATE DATABASE nephele');
  } finally {
    await client.end();
  }
}
