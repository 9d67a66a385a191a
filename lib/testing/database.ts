import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { beforeAll, inject, onTestFinished } from 'vitest';
import { migrate } from '@/lib/core/db/migrate';
import { databaseUrl } from '@/lib/settings';

/**
 * Gives this test file its own migrated, empty database, named by `settings().databaseUrl`. Call it once at the top of
 * the file. The database is dropped with its server at the end of the run.
 */
export function testDatabase(): void {
  beforeAll(createTestDatabase);
}

/** Like `testDatabase`, for setups that need the database earlier. @returns its connection string */
export async function createTestDatabase(): Promise<string> {
  const { adminUrl, template } = inject('postgres');
  const name = new URL(databaseUrl()).pathname.slice(1);
  await asAdmin(adminUrl, async (admin) => {
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    // Applies the run's time zone to its server: an operator's own PostgreSQL may have any.
    const { TZ } = process.env;
    if (TZ) await admin.query(`ALTER DATABASE ${name} SET timezone TO ${pg.escapeLiteral(TZ)}`);
  });
  return databaseUrl();
}

/**
 * A separate database with the schema up to a migration, as an earlier release left it, and a client that closes at the
 * end of the test.
 */
export async function databaseAsOf(migration: string): Promise<{ url: string; client: pg.Client }> {
  const { adminUrl } = inject('postgres');
  const name = `earlier_${randomBytes(6).toString('hex')}`;
  await asAdmin(adminUrl, (admin) => admin.query(`CREATE DATABASE ${name}`));
  const url = databaseOn(adminUrl, name);
  await migrate(url, undefined, migration);
  const client = new pg.Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  return { url, client };
}

/** The address of another database on the same server. */
export function databaseOn(url: string, database: string): string {
  const address = new URL(url);
  address.pathname = `/${database}`;
  return address.href;
}

/** Runs statements on the server with the right to create databases. */
export async function asAdmin<T>(adminUrl: string, run: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client(adminUrl);
  await admin.connect();
  try {
    return await run(admin);
  } finally {
    await admin.end();
  }
}
