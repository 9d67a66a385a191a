import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type PostgresServer, postgresUrl, startPostgres } from './postgres';

/** The platform's embedded database, running. */
export type EmbeddedDatabase = PostgresServer & { databaseUrl: string };

const database = 'nephele';
const folderOf = (dataDir: string) => join(dataDir, 'postgres');

/** The connection string of a data folder's database, running or not; undefined when there is none. */
export function embeddedDatabaseUrl(dataDir: string): string | undefined {
  const directory = folderOf(dataDir);
  return existsSync(directory) ? postgresUrl(directory, password(dataDir), database) : undefined;
}

/** Starts the embedded PostgreSQL of a data folder, and creates its database on the first start. */
export async function startEmbeddedDatabase(
  dataDir: string,
  log: (line: string) => void,
  signal?: AbortSignal,
): Promise<EmbeddedDatabase> {
  const server = await startPostgres({
    directory: folderOf(dataDir),
    password: password(dataDir),
    durable: true,
    log,
    signal,
  });
  try {
    await ensureDatabase(server.url('postgres'));
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { ...server, databaseUrl: server.url(database) };
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
    const found = await client.query('SELECT FROM pg_database WHERE datname = $1', [database]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${database}`);
  } finally {
    await client.end();
  }
}
