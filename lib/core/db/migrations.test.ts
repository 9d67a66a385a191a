import pg from 'pg';
import { expect, it } from 'vitest';
import { createTestDatabase } from '@/lib/testing/database';
import { schemaDifference } from './schema-engine';

it('the migrations and the schema agree, and a difference is detected', async () => {
  const url = await createTestDatabase();
  expect(await schemaDifference(url)).toBe('');

  const client = new pg.Client(url);
  await client.connect();
  await client.query(`
    CREATE FUNCTION two() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; RETURN 2; END $$;
    ALTER TABLE users ADD CONSTRAINT by_hand CHECK (name <> '');
    CREATE UNIQUE INDEX partly ON users (name) WHERE administrator;
    CREATE INDEX expression ON users (lower(name));`);
  expect(await schemaDifference(url), 'SQL by hand that the schema cannot say').toBe('');
  await client.query('ALTER TABLE users DROP COLUMN name');
  await client.end();
  expect(await schemaDifference(url)).toContain('ALTER TABLE "users" ADD COLUMN     "name" TEXT NOT NULL');
});
