import { createHash, randomBytes } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { migrate } from '@/lib/core/db/migrate';
import { databaseUrl } from '@/lib/settings';
import { asAdmin, databaseOn, testDatabase } from '@/lib/testing/database';
import { createCell, NANO } from '@/lib/testing/hosts';
import { becomes, instanceRow } from '@/lib/testing/metered';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { backUp, restore } from './backup';

testDatabase();
const { adminUrl, template } = inject('postgres');
const call = api();
const folders = mkdtempSync(join(tmpdir(), 'nephele-backup-'));
const plainRoles: string[] = [];
let acme: TestProject;

const store = (name: string) =>
  call('POST', '/vault/secrets', {
    token: acme.users.member.token,
    body: { name, type: 'opaque', payload: 'tab\tnewline\n\\N "quoted" ž漢🦆' },
  });

beforeAll(async () => {
  acme = await createProject('acme');
  await store('first');
  await createCell();
  await becomes('instances', await instanceRow(acme, NANO), 'active');
});

afterAll(async () => {
  rmSync(folders, { recursive: true });
  await asAdmin(adminUrl, async (admin) => {
    for (const name of plainRoles) {
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.query(`DROP ROLE ${name}`);
    }
  });
});

async function emptyDatabase(): Promise<string> {
  const name = `${template}_${randomBytes(6).toString('hex')}`;
  await asAdmin(adminUrl, (admin) => admin.query(`CREATE DATABASE ${name}`));
  return databaseOn(adminUrl, name);
}

async function ask<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

/** All rows of each table, as one text per table. */
async function contents(url: string): Promise<Record<string, string>> {
  const tables = await ask<{ name: string }>(
    url,
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations' ORDER BY 1",
  );
  const entries = tables.map(async ({ name }) => {
    const [row] = await ask<{ all: string }>(
      url,
      `SELECT coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '') AS all FROM "${name}" t`,
    );
    return [name, row?.all ?? ''] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

describe('a backup', () => {
  test('restores every row of every table, and nothing else', async () => {
    const folder = join(folders, 'whole');
    const before = await contents(databaseUrl());
    await backUp(databaseUrl(), folder, ['k1']);
    const url = await emptyDatabase();
    await restore(url, folder);
    const after = await contents(url);
    expect(Object.keys(after).length).toBeGreaterThan(50);
    expect(after.secrets).toContain('first');
    expect(after).toEqual(before);
  });

  test('continues sequences after the last number', async () => {
    const folder = join(folders, 'sequences');
    await backUp(databaseUrl(), folder, []);
    const url = await emptyDatabase();
    await restore(url, folder);
    const sequences = "SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = 'public' ORDER BY 1";
    const kept = await ask(url, sequences);
    expect(kept.some(({ last_value }) => last_value !== null)).toBe(true);
    expect(kept).toEqual(await ask(databaseUrl(), sequences));
  });

  test('is of one moment, whatever is written meanwhile', async () => {
    let stop = false;
    const writing = (async () => {
      for (let n = 0; !stop; n++) expect((await store(`meanwhile-${n}`)).status).toBe(201);
    })();
    const folder = join(folders, 'meanwhile');
    await backUp(databaseUrl(), folder, []);
    stop = true;
    await writing;
    const url = await emptyDatabase();
    await restore(url, folder);
    const [found] = await ask<{ secrets: string; audited: string }>(
      url,
      `SELECT (SELECT count(*) FROM secrets) AS secrets,
              (SELECT count(*) FROM audit_entries WHERE action = 'secret.create' AND result = 'succeeded') AS audited`,
    );
    expect(Number(found?.secrets)).toBeGreaterThan(0);
    expect(found?.audited).toBe(found?.secrets);
  });

  test('appears only when complete, and is never overwritten', async () => {
    const folder = join(folders, 'once');
    await expect(backUp(databaseOn(adminUrl, 'no_such_database'), folder, [])).rejects.toThrow();
    expect(existsSync(folder)).toBe(false);
    await backUp(databaseUrl(), folder, []);
    await expect(backUp(databaseUrl(), folder, [])).rejects.toThrow('already exists');
  });
});

/** A separate database, owned by a role with login and no other rights. */
async function databaseOfPlainRole(): Promise<string> {
  const name = `${template}_${randomBytes(6).toString('hex')}`;
  await asAdmin(adminUrl, async (admin) => {
    await admin.query(`CREATE ROLE ${name} LOGIN PASSWORD 'plain' NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION`);
    await admin.query(`CREATE DATABASE ${name} OWNER ${name}`);
  });
  plainRoles.push(name);
  const address = new URL(databaseOn(adminUrl, name));
  address.username = name;
  address.password = 'plain';
  return address.href;
}

/** The constraints and triggers that a restore temporarily removes. */
const guards = (url: string) =>
  ask(
    url,
    `SELECT conrelid::regclass::text AS place, conname AS name, pg_get_constraintdef(oid) || convalidated AS definition
       FROM pg_constraint WHERE connamespace = 'public'::regnamespace
     UNION ALL SELECT tgrelid::regclass::text, tgname, pg_get_triggerdef(oid) || tgenabled::text FROM pg_trigger WHERE NOT tgisinternal
     ORDER BY 1, 2, 3`,
  );

describe('a restore by a role without special rights', () => {
  test('restores every row, meters nothing twice, and leaves every foreign key and trigger in force', async () => {
    const folder = join(folders, 'plain');
    const before = await contents(databaseUrl());
    await backUp(databaseUrl(), folder, []);
    const url = await databaseOfPlainRole();
    await expect(ask(url, 'SET session_replication_role = replica')).rejects.toThrow(/permission denied/);
    await restore(url, folder);
    const after = await contents(url);
    expect(after).toEqual(before);
    expect(after.spans).toContain(acme.id);
    const inForce = await guards(url);
    expect(inForce.length).toBeGreaterThan(100);
    expect(inForce).toEqual(await guards(databaseUrl()));
  });

  test('refuses a backup with dangling references, and writes nothing of it', async () => {
    const folder = join(folders, 'dangling');
    const manifest = await backUp(databaseUrl(), folder, []);
    const empty = gzipSync('');
    writeFileSync(join(folder, 'users.copy.gz'), empty);
    const tables = manifest.tables.map((table) =>
      table.name === 'users' ? { ...table, rows: 0, sha256: createHash('sha256').update(empty).digest('hex') } : table,
    );
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ ...manifest, tables }));
    const url = await databaseOfPlainRole();
    await expect(restore(url, folder)).rejects.toThrow(/violates foreign key constraint/);
    expect(await ask(url, 'SELECT FROM projects')).toEqual([]);
  });
});

describe('a restore', () => {
  const damaged = async (name: string, damage: (folder: string) => void) => {
    const folder = join(folders, name);
    await backUp(databaseUrl(), folder, []);
    damage(folder);
    const url = await emptyDatabase();
    const refusal = await restore(url, folder).then(
      () => 'restored',
      (error: Error) => error.message,
    );
    const tables = await ask(url, "SELECT FROM pg_tables WHERE schemaname = 'public'");
    return { refusal, tables: tables.length };
  };

  test('from a changed or incomplete file writes nothing', async () => {
    const changed = await damaged('changed', (folder) => appendFileSync(join(folder, 'secrets.copy.gz'), 'x'));
    expect(changed).toEqual({ refusal: expect.stringMatching(/secrets\.copy\.gz is damaged/), tables: 0 });
    const lost = await damaged('lost', (folder) => rmSync(join(folder, 'users.copy.gz')));
    expect(lost).toEqual({ refusal: expect.stringMatching(/users\.copy\.gz is missing/), tables: 0 });
  });

  test('of a newer release’s backup is refused', async () => {
    const newer = await damaged('newer', (folder) => {
      const path = join(folder, 'manifest.json');
      const manifest = JSON.parse(readFileSync(path, 'utf8'));
      manifest.migrations.push('29990101000000_to_come');
      writeFileSync(path, JSON.stringify(manifest));
    });
    expect(newer).toEqual({ refusal: expect.stringMatching(/newer release/), tables: 0 });
  });

  test('never overwrites a database with data', async () => {
    const folder = join(folders, 'over');
    await backUp(databaseUrl(), folder, []);
    const before = await contents(databaseUrl());
    await expect(restore(databaseUrl(), folder)).rejects.toThrow('not empty');
    expect(await contents(databaseUrl())).toEqual(before);
  });

  test('of an older release’s backup has the schema of that time, and the next start migrates it', async () => {
    const folder = join(folders, 'older');
    await backUp(databaseUrl(), folder, []);
    const release = join(folders, 'release');
    cpSync('prisma/migrations', release, { recursive: true });
    mkdirSync(join(release, '29990101000000_to_come'));
    writeFileSync(join(release, '29990101000000_to_come/migration.sql'), 'ALTER TABLE secrets DROP COLUMN size_bytes');
    const url = await emptyDatabase();
    await restore(url, folder, release);
    expect((await contents(url)).secrets).toContain('first');
    expect(await migrate(url, release)).toEqual(['29990101000000_to_come']);
  });
});
