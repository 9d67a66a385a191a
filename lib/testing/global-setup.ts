import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '@/lib/core/db/migrate';
import { ensureKeys } from '@/lib/runtime/keys';
import { startTemporaryPostgres } from '@/lib/runtime/temporary-postgres';
import { asAdmin, databaseOn } from './database';
import { applyTestSettings } from './environment';

declare module 'vitest' {
  interface ProvidedContext {
    /** The server of this run, for creating databases, and the migrated template that they are copied from. */
    postgres: { adminUrl: string; template: string };
    /** The DATA_DIR of every test, with keys. */
    dataDir: string;
  }
}

/**
 * Runs once per test run: starts PostgreSQL with one migrated database, which each test file copies. TEST_DATABASE_URL
 * selects another server (with a superuser or CREATEDB role); databases created there are dropped at the end.
 */
export default async function setup(project: TestProject) {
  const external = process.env.TEST_DATABASE_URL;
  const server = external ? undefined : await startTemporaryPostgres();
  const directory = server?.directory ?? mkdtempSync(join(tmpdir(), 'nephele-test-'));
  const dataDir = join(directory, 'data');
  applyTestSettings({ DATA_DIR: dataDir });
  ensureKeys();
  const adminUrl = external ?? server?.url('postgres') ?? '';
  const template = `nephele_test_${randomBytes(4).toString('hex')}`;

  await asAdmin(adminUrl, (admin) => admin.query(`CREATE DATABASE ${template}`));
  await migrate(databaseOn(adminUrl, template));
  project.provide('postgres', { adminUrl, template });
  project.provide('dataDir', dataDir);

  return async () => {
    if (external) await asAdmin(adminUrl, (admin) => dropAll(admin, template));
    await server?.stop();
    rmSync(directory, { recursive: true, force: true });
  };
}

async function dropAll(admin: pg.Client, prefix: string) {
  const made = await admin.query<{ name: string }>('SELECT datname AS name FROM pg_database WHERE datname ^@ $1', [
    prefix,
  ]);
  for (const { name } of made.rows) await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
}
