import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

/** A migration from the checkout. */
export type Migration = { name: string; sql: string; checksum: string };

/** Thrown when the database does not fit the migrations of this release; the message says how to fix it. */
export class MigrationError extends Error {
  override name = 'MigrationError';
}

/** An arbitrary number that must stay the same in all releases. */
const advisoryLock = 5_271_009_382;

/** The table that Prisma's own tools use, so that they agree with this runner on what was applied. */
const createTable = `
  CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id varchar(36) PRIMARY KEY,
    checksum varchar(64) NOT NULL,
    finished_at timestamptz,
    migration_name varchar(255) NOT NULL,
    logs text,
    rolled_back_at timestamptz,
    started_at timestamptz NOT NULL DEFAULT now(),
    applied_steps_count integer NOT NULL DEFAULT 0
  )`;

/** The migrations of a folder, oldest first. */
export function readMigrations(folder: string): Migration[] {
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, 'migration.sql')))
    .sort()
    .map((name) => {
      const sql = readFileSync(join(folder, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    });
}

/**
 * Migrates a database to this release. Each missing migration and its record are one transaction, under a lock that
 * admits one process at a time.
 * @param upTo the last migration to apply; default: all
 * @returns the names of the applied migrations
 * @throws MigrationError when an applied migration has changed, failed half-way, or belongs to a newer release
 */
export async function migrate(databaseUrl: string, folder = 'prisma/migrations', upTo?: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'nephele-migrate' });
  await client.connect();
  try {
    await requireVersion(client);
    await client.query('SELECT pg_advisory_lock($1)', [advisoryLock]);
    await client.query(createTable);
    const wanted = readMigrations(folder).filter(({ name }) => upTo === undefined || name <= upTo);
    const missing = await missingMigrations(client, wanted);
    for (const migration of missing) await apply(client, migration);
    return missing.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

async function requireVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ number: number; version: string }>(
    `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version`,
  );
  const [server] = rows;
  if (server && server.number < 150_000) {
    throw new MigrationError(`PostgreSQL ${server.version} is too old: version 15 or later is required`);
  }
}

async function missingMigrations(client: pg.Client, known: Migration[]): Promise<Migration[]> {
  const { rows } = await client.query<{ name: string; checksum: string; finished: boolean }>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
       FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY migration_name`,
  );
  for (const applied of rows) {
    const migration = known.find(({ name }) => name === applied.name);
    if (!migration) {
      throw new MigrationError(
        `The database contains migration ${applied.name} from a newer release. ` +
          'Start that release, or restore a backup taken before the upgrade.',
      );
    }
    if (!applied.finished) {
      throw new MigrationError(`Migration ${applied.name} failed half-way in another tool. Restore a backup.`);
    }
    if (migration.checksum !== applied.checksum) {
      throw new MigrationError(
        `prisma/migrations/${applied.name}/migration.sql was changed after it was applied to this database. ` +
          'Restore the file, and write a new migration for the change.',
      );
    }
  }
  const applied = new Set(rows.map(({ name }) => name));
  return known.filter(({ name }) => !applied.has(name));
}

async function apply(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(sql);
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, clock_timestamp(), 1)`,
      [randomUUID(), checksum, name],
    );
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    const reason = error instanceof Error ? error.message : String(error);
    throw new MigrationError(`Migration ${name} failed and was rolled back: ${reason}`, { cause: error });
  }
}
