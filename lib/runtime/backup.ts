import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { z } from 'zod';
import { migrate, readMigrations } from '@/lib/core/db/migrate';

const manifestSchema = z.object({
  format: z.literal(1),
  taken_at: z.string(),
  migrations: z.array(z.string()).min(1),
  /** Ids of the keys that may seal stored secrets. The keys themselves are stored separately. */
  encryption_keys: z.array(z.string()),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()), rows: z.number(), sha256: z.string() })),
  sequences: z.array(z.object({ name: z.string(), last_value: z.string().nullable() })),
});

/** The content and time of a backup. */
export type Manifest = z.output<typeof manifestSchema>;

/**
 * Writes the whole database to a new folder, as of one moment, while the platform runs. The folder gets its name when
 * it is complete.
 * @param encryptionKeyIds ids of the keys that seal secrets, so that a restore can check that it has them
 */
export async function backUp(databaseUrl: string, folder: string, encryptionKeyIds: string[]): Promise<Manifest> {
  if (existsSync(folder)) throw new Error(`${folder} already exists. Give a new folder for the backup.`);
  const partial = `${folder}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true, mode: 0o700 });
  const manifest = await connected(databaseUrl, async (client) => {
    // One snapshot for all tables, without locks that affect a running platform.
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const { rows: applied } = await client.query<{ name: string }>(
      'SELECT migration_name AS name FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY migration_name',
    );
    const tables: Manifest['tables'] = [];
    for (const { name, columns } of await tablesOf(client)) {
      const copy = client.query(copyTo(`COPY ${quoted(name)} (${columns.map(quoted).join(', ')}) TO STDOUT`));
      const sum = checksum();
      const file = createWriteStream(join(partial, `${name}.copy.gz`), { mode: 0o600 });
      await pipeline(copy, createGzip(), sum.stream, file);
      tables.push({ name, columns, rows: copy.rowCount, sha256: sum.hex() });
    }
    const { rows: sequences } = await client.query<Manifest['sequences'][number]>(
      `SELECT sequencename AS name, last_value::text FROM pg_sequences WHERE schemaname = 'public' ORDER BY 1`,
    );
    return manifestSchema.parse({
      format: 1,
      taken_at: new Date().toISOString(),
      migrations: applied.map(({ name }) => name),
      encryption_keys: encryptionKeyIds,
      tables,
      sequences,
    });
  });
  await writeFile(join(partial, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  await rename(partial, folder);
  return manifest;
}

/** The manifest of a backup. @throws Error when the folder is not a complete backup */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, 'manifest.json');
  if (!existsSync(path)) throw new Error(`${folder} is not a backup: it has no manifest.json.`);
  const result = manifestSchema.safeParse(JSON.parse(await readFile(path, 'utf8')));
  if (!result.success) throw new Error(`${path} is damaged`, { cause: result.error });
  return result.data;
}

/**
 * Restores an empty database from a backup, completely or not at all. The schema is that of the backup; the next start
 * migrates it to this release.
 * @throws Error when the database has data, a file has changed, or the backup is of a newer release
 */
export async function restore(
  databaseUrl: string,
  folder: string,
  migrations = 'prisma/migrations',
): Promise<Manifest> {
  const manifest = await readManifest(folder);
  await verify(folder, manifest);
  const known = readMigrations(migrations).map(({ name }) => name);
  const unknown = manifest.migrations.find((name) => !known.includes(name));
  if (unknown)
    throw new Error(`The backup is from a newer release, with migration ${unknown}. Restore it with that release.`);
  await connected(databaseUrl, async (client) => {
    const { rowCount } = await client.query("SELECT FROM pg_tables WHERE schemaname = 'public' LIMIT 1");
    if (rowCount) throw new Error('The database is not empty. Restore into a new one so that no data is lost.');
  });
  await migrate(databaseUrl, migrations, manifest.migrations.at(-1));
  await connected(databaseUrl, async (client) => {
    await client.query('BEGIN');
    // Tables are not restored in the order of their references, and rows must not be metered or announced again.
    const setAside = await setAsideChecksAndTriggers(client);
    // Migrations insert rows of their own, such as flavors; replace them with those of the backup.
    await client.query(`TRUNCATE ${manifest.tables.map(({ name }) => quoted(name)).join(', ')}`);
    for (const { name, columns, rows } of manifest.tables) {
      const copy = client.query(copyFrom(`COPY ${quoted(name)} (${columns.map(quoted).join(', ')}) FROM STDIN`));
      await pipeline(createReadStream(join(folder, `${name}.copy.gz`)), createGunzip(), copy);
      if (copy.rowCount !== rows) throw new Error(`${name}: expected ${rows} rows, got ${copy.rowCount}`);
    }
    for (const { name, last_value } of manifest.sequences) {
      if (last_value !== null)
        await client.query('SELECT setval($1::regclass, $2::bigint)', [quoted(name), last_value]);
    }
    await setAside.putBack();
    await client.query('COMMIT');
    await client.query('ANALYZE');
  });
  return manifest;
}

/**
 * Drops foreign keys and disables triggers during the import, which the tables' owner may do without further rights.
 * Restoring the foreign keys checks every row, so a backup with a dangling reference is refused completely.
 */
async function setAsideChecksAndTriggers(client: pg.Client): Promise<{ putBack(): Promise<void> }> {
  const { rows: references } = await client.query<{ table: string; name: string; definition: string }>(
    `SELECT conrelid::regclass::text AS table, conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
     WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND conparentid = 0 ORDER BY conrelid, conname`,
  );
  const { rows: triggers } = await client.query<{ table: string; name: string }>(
    `SELECT tgrelid::regclass::text AS table, tgname AS name FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
     WHERE NOT tgisinternal AND tgenabled = 'O' AND c.relnamespace = 'public'::regnamespace ORDER BY tgrelid, tgname`,
  );
  for (const { table, name } of references) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${quoted(name)}`);
  for (const { table, name } of triggers) await client.query(`ALTER TABLE ${table} DISABLE TRIGGER ${quoted(name)}`);
  return {
    async putBack() {
      for (const { table, name } of triggers) await client.query(`ALTER TABLE ${table} ENABLE TRIGGER ${quoted(name)}`);
      for (const { table, name, definition } of references) {
        await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${quoted(name)} ${definition}`);
      }
    },
  };
}

/** Checks all files before anything is written. */
async function verify(folder: string, { tables }: Manifest): Promise<void> {
  for (const { name, sha256 } of tables) {
    const path = join(folder, `${name}.copy.gz`);
    if (!existsSync(path)) throw new Error(`The backup is incomplete: ${path} is missing.`);
    const sum = checksum();
    await pipeline(createReadStream(path) as Readable, sum.stream, new PassThrough().resume());
    if (sum.hex() !== sha256) throw new Error(`${path} is damaged: its checksum does not match.`);
  }
}

/** All tables except the record of migrations, with their writable columns. */
async function tablesOf(client: pg.Client): Promise<{ name: string; columns: string[] }[]> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE n.nspname = 'public' AND c.relkind = 'r' AND c.relname <> '_prisma_migrations'
        AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
      GROUP BY c.relname ORDER BY c.relname`,
  );
  return rows;
}

function checksum(): { stream: Transform; hex: () => string } {
  const hash = createHash('sha256');
  const stream = new Transform({
    transform(chunk, _, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  return { stream, hex: () => hash.digest('hex') };
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

async function connected<Result>(databaseUrl: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'nephele-backup' });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
