import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { asAdmin, databaseOn } from '@/lib/testing/database';
import { migrate } from './migrate';

const { adminUrl, template } = inject('postgres');
let url: string;
let folder: string;

function write(name: string, sql: string) {
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, 'migration.sql'), sql);
}

async function rows<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  const result = await client.query<Row>(sql);
  await client.end();
  return result.rows;
}

beforeEach(async () => {
  const name = `${template}_${randomBytes(6).toString('hex')}`;
  await asAdmin(adminUrl, (admin) => admin.query(`CREATE DATABASE ${name}`));
  url = databaseOn(adminUrl, name);
  folder = mkdtempSync(join(tmpdir(), 'nephele-migrations-'));
  write('1_first', 'CREATE TABLE first (id int); INSERT INTO first VALUES (1);');
});

afterEach(() => rmSync(folder, { recursive: true }));

it('applies missing migrations in order, once', async () => {
  write('2_second', 'INSERT INTO first VALUES (2);');
  expect(await migrate(url, folder)).toEqual(['1_first', '2_second']);
  write('3_third', 'INSERT INTO first VALUES (3);');
  expect(await migrate(url, folder)).toEqual(['3_third']);
  expect(await migrate(url, folder)).toEqual([]);
  expect(await rows('SELECT id FROM first ORDER BY id')).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
  expect(await rows('SELECT migration_name, applied_steps_count FROM _prisma_migrations ORDER BY 1')).toEqual(
    ['1_first', '2_second', '3_third'].map((migration_name) => ({ migration_name, applied_steps_count: 1 })),
  );
});

it('ten processes that start at once apply each migration once', async () => {
  const applied = await Promise.all(Array.from({ length: 10 }, () => migrate(url, folder)));
  expect(applied.flat()).toEqual(['1_first']);
  expect(await rows('SELECT id FROM first')).toEqual([{ id: 1 }]);
});

it('a failed migration is rolled back and can be retried', async () => {
  write('2_second', 'CREATE TABLE second (id int); SELECT 1 / 0;');
  await expect(migrate(url, folder)).rejects.toThrow('Migration 2_second failed and was rolled back: division by zero');
  expect(await rows(`SELECT to_regclass('second') AS second`)).toEqual([{ second: null }]);
  write('2_second', 'CREATE TABLE second (id int);');
  expect(await migrate(url, folder)).toEqual(['2_second']);
});

it('refuses an applied migration that was changed afterwards', async () => {
  await migrate(url, folder);
  write('1_first', 'CREATE TABLE first (id bigint);');
  await expect(migrate(url, folder)).rejects.toThrow('1_first/migration.sql was changed after');
});

it('refuses a database of a newer release and leaves it untouched', async () => {
  write('9_newer', 'CREATE TABLE newer (id int);');
  await migrate(url, folder);
  rmSync(join(folder, '9_newer'), { recursive: true });
  write('2_second', 'CREATE TABLE second (id int);');
  await expect(migrate(url, folder)).rejects.toThrow('9_newer from a newer release');
  expect(await rows(`SELECT to_regclass('second') AS second`)).toEqual([{ second: null }]);
});
