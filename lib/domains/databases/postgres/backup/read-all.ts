import pg from 'pg';
import { engineOf } from '@/lib/engines/engines';
import type { Place } from '../../backups/engine';
import { OPTIONS } from '../connections';
import { PORT, READER, SUPERUSER } from '../settings-file';

const CONNECT_MS = 5_000;

const connectTo = async (cell: string, id: string, database: string, user = SUPERUSER): Promise<pg.Client> => {
  const client = new pg.Client({
    host: engineOf(cell).services.socketFolder(id),
    port: PORT,
    user,
    database,
    options: OPTIONS,
    connectionTimeoutMillis: CONNECT_MS,
  });
  client.on('error', () => {});
  await client.connect();
  return client;
};

/** Lets the reader into every database. @returns their names */
async function admitReader(cell: string, id: string): Promise<string[]> {
  const client = await connectTo(cell, id, 'postgres');
  try {
    // A repeated step finds the reader of the first.
    const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [READER]);
    if (rowCount === 0) await client.query(`CREATE ROLE ${READER} LOGIN BYPASSRLS IN ROLE pg_read_all_data`);
    const { rows } = await client.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE datallowconn ORDER BY datname',
    );
    const names = rows.map(({ datname }) => datname);
    for (const name of names) await client.query(`GRANT CONNECT ON DATABASE ${pg.escapeIdentifier(name)} TO ${READER}`);
    return names;
  } finally {
    await client.end();
  }
}

/**
 * Reads every row of every table: each page has a checksum, which the server verifies. A tenant's index expressions may run
 * while a query is planned, so the reader is no superuser.
 * @returns what it has read; null while the server does not answer
 */
export async function readAll({ cell, id }: Place): Promise<string | null> {
  const first = await connectTo(cell, id, 'postgres').catch(() => null);
  if (!first) return null;
  await first.end();
  const names = await admitReader(cell, id);
  let tables = 0;
  for (const name of names) {
    const client = await connectTo(cell, id, name, READER);
    try {
      const { rows } = await client.query<{ name: string }>(
        `SELECT c.oid::regclass::text AS name FROM pg_class c WHERE c.relkind IN ('r', 'm', 't') AND c.relpersistence = 'p'`,
      );
      for (const { name: table } of rows) await client.query(`SELECT count(*) FROM ONLY ${table}`);
      tables += rows.length;
    } finally {
      await client.end().catch(() => {});
    }
  }
  return `${tables} tables`;
}
