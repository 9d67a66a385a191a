import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { migrate } from '@/lib/core/db/migrate';
import { closePool, queryRow } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { type PostgresServer, postgresUrl, startPostgres } from '@/lib/runtime/postgres';
import { settings } from '@/lib/settings';
import { createBucket } from '@/lib/testing/domains/objects';
import { createPair, objectWorld, type Pair } from '@/lib/testing/object-world';
import { api, createProject } from '@/lib/testing/world';
import { deleteFreed, scrub, sweepFiles } from './store/housekeeping';
import { foldBucketChanges } from './store/usage';

const MIB = 1024 ** 2;
const folder = mkdtempSync(join(tmpdir(), 'nephele-full-database-'));
const disk = join(folder, 'disk');
chmodSync(folder, 0o711);
mkdirSync(disk);
/** A disk for PostgreSQL alone, which can be filled safely; needs root. Files of objects have room elsewhere. */
const hasDisk = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=320m', 'tmpfs', disk]).status === 0;
const directory = join(disk, 'postgres');
Object.assign(process.env, { DATA_DIR: folder, DATABASE_URL: postgresUrl(directory, 'x', 'postgres') });
let database: PostgresServer;

async function startDatabase(): Promise<void> {
  database = await startPostgres({ directory, password: 'x', durable: true, log: () => {} });
}

describe.runIf(hasDisk)('a full disk of the database', () => {
  const call = api();
  let pair: Pair;
  let bucket: string;

  beforeAll(async () => {
    await startDatabase();
    await migrate(database.url('postgres'));
    cpSync(join(inject('dataDir'), 'keys'), join(folder, 'keys'), { recursive: true });
  });
  const world = objectWorld();
  beforeAll(async () => {
    const acme = await createProject('acme');
    pair = await createPair(acme, call);
    bucket = await createBucket(acme, call);
  });
  afterAll(async () => {
    await closePool();
    await database.stop();
    spawnSync('umount', ['-l', disk]);
    rmSync(folder, { recursive: true, force: true });
  });

  const filler = join(disk, 'filler');
  function fill(): void {
    const { bavail, bsize } = statfsSync(disk);
    const { status } = spawnSync('fallocate', ['-l', String(bavail * bsize - MIB), filler]);
    expect(status).toBe(0);
  }
  const put = (key: string, size: number) =>
    world.client(pair).send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: Buffer.alloc(size, key) }));
  const get = async (key: string) => {
    const { Body } = await world.client(pair).send(new GetObjectCommand({ Bucket: bucket, Key: key }));
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  };

  test('refuses writes; every answered one is there afterwards, no other, and nothing is left over', async () => {
    const answered = new Map<string, number>();
    let refused = 0;
    const codes = new Set<string>();
    const write = async (key: string, size: number) => {
      await put(key, size).then(
        () => answered.set(key, size),
        (error) => {
          // The server is away where PostgreSQL stops because it cannot write its log.
          expect(['ServiceUnavailable', 'InsufficientStorage']).toContain(error.name);
          codes.add(error.name);
          refused += 1;
        },
      );
    };
    await write('before', 100_000);
    fill();
    // Small ones are stored in the database, large ones in files.
    for (let round = 0; round < 3000 && refused < 40; round += 1)
      await Promise.all([write(`small-${round}`, 4000), write(`large-${round}`, 50_000)]);
    expect(refused).toBeGreaterThanOrEqual(40);
    expect([...codes]).toContain('InsufficientStorage');

    rmSync(filler);
    // PostgreSQL stops itself where it cannot write its log; the supervisor starts it again.
    const isUp = await Promise.race([
      database.ended.then(() => false),
      queryRow(sql`SELECT 1 AS up`).then(
        () => true,
        () => true,
      ),
    ]);
    if (!isUp) await startDatabase();
    await expect
      .poll(
        () =>
          put('after', 10).then(
            () => true,
            () => false,
          ),
        { timeout: 60_000 },
      )
      .toBe(true);
    answered.set('after', 10);

    for (const [key, size] of answered)
      expect([key, (await get(key)).equals(Buffer.alloc(size, key))]).toEqual([key, true]);
    await foldBucketChanges();
    const sums = await queryRow<{
      used: number;
      sum: number;
      count: number;
      objects: number;
    }>(sql`SELECT b.used_bytes::int AS used, b.objects::int AS objects,
      (SELECT sum(size_bytes)::int FROM object_versions) AS sum, (SELECT count(*)::int FROM object_versions) AS count FROM buckets b`);
    // One that was refused may have happened where only its answer was lost, and then counts.
    expect([sums.used, sums.objects]).toEqual([sums.sum, sums.count]);
    await deleteFreed(0);
    await sweepFiles(-1000);
    expect(await scrub(10_000)).toEqual([]);
    const files = readdirSync(join(settings().dataDir, 'objects'), { recursive: true, withFileTypes: true });
    const { rows } = await queryRow<{ rows: number }>(sql`SELECT count(*)::int AS rows FROM object_blobs`);
    expect(files.filter((entry) => entry.isFile())).toHaveLength(rows);
    await expect(get('never')).rejects.toMatchObject({ name: 'NoSuchKey' });
  }, 900_000);
});
