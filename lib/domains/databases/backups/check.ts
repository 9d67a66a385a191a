import pg from 'pg';
import { execute, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import {
  again,
  type CellStep,
  done,
  failure,
  goTo,
  type OperationSteps,
  operationSteps,
} from '@/lib/core/operations/steps';
import { engineOf } from '@/lib/engines/engines';
import { OPTIONS } from '../postgres/connections';
import { PORT, READER, SUPERUSER } from '../postgres/settings-file';
import { checkSpec } from '../postgres/specs';
import { checkBackupKind } from './operations';
import { bringData } from './recover';

const AGAIN_MS = 200;
const MOST_ATTEMPTS = 3;
const CONNECT_MS = 5_000;

type Checked = {
  id: string;
  cluster_id: string;
  version: string;
  storage_gb: number;
  group_no: number;
  start_segment: string;
};

const backupOf = (id: string): Promise<Checked | undefined> =>
  queryOne(sql`UPDATE database_backups SET checking = true WHERE id = ${id}::uuid AND status = 'available' AND start_segment IS NOT NULL
    RETURNING id, cluster_id, version, storage_gb, group_no, start_segment`);

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
 * @returns how many tables
 */
async function readAll(cell: string, id: string): Promise<number> {
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
  return tables;
}

const remove = async ({ cell, operation }: CellStep<unknown>) => {
  await engineOf(cell).services.removeService(operation.resource_id);
  await execute(sql`UPDATE database_backups SET checking = false WHERE id = ${operation.resource_id}::uuid`);
};

export const checkSteps: OperationSteps[] = [
  operationSteps(
    checkBackupKind,
    {
      async restoring(step) {
        const { operation, cell } = step;
        const backup = await backupOf(operation.resource_id);
        if (!backup) return goTo('removing');
        if (operation.attempts >= MOST_ATTEMPTS) return failure('The backup could not be restored.');
        const answer = await engineOf(cell).services.ensureService(checkSpec(backup));
        if (answer.settled) return goTo('reading');
        await bringData(
          { cell, id: backup.id },
          { ...backup, backup_id: backup.id, source_id: backup.cluster_id, at: null },
        );
        return again(AGAIN_MS, { waits_for: answer.waits_for });
      },
      async reading({ operation, cell }) {
        if (operation.attempts >= MOST_ATTEMPTS) return failure('The restored backup could not be read.');
        const client = await connectTo(cell, operation.resource_id, 'postgres').catch(() => null);
        if (!client) return again(AGAIN_MS, { waits_for: 'the restored server to answer' });
        await client.end();
        const tables = await readAll(cell, operation.resource_id);
        await execute(
          sql`UPDATE database_backups SET verified_at = platform_now(), updated_at = platform_now() WHERE id = ${operation.resource_id}::uuid`,
        );
        return goTo('removing', { log: `${tables} tables were read to their end.` });
      },
      async removing(step) {
        await remove(step);
        return done();
      },
    },
    {
      async failed(step, reason) {
        await remove(step);
        await execute(sql`UPDATE database_backups SET status_reason = ${`The check failed: ${reason}`.slice(0, 500)}::text, updated_at = platform_now()
          WHERE id = ${step.operation.resource_id}::uuid`);
        return done();
      },
      concurrency: 1,
    },
  ),
];
