import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { migrate } from '@/lib/core/db/migrate';
import { closePool, query, queryRow } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { type PostgresServer, postgresUrl, startPostgres } from '@/lib/runtime/postgres';
import { settings } from '@/lib/settings';
import { createBucket } from '@/lib/testing/domains/objects';
import { freePort } from '@/lib/testing/loopback';
import { createPair, type Pair } from '@/lib/testing/object-world';
import { seededRandom } from '@/lib/testing/random';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { prepareFolders } from './store/blobs';
import { deleteFreed, scrub, sweepFiles } from './store/housekeeping';
import { foldBucketChanges } from './store/usage';

// Kills the process of object storage, PostgreSQL, or the connections between them, in the middle of writes. Seeded:
// FAULT_SEED=7 npm run test:long -- lib/domains/objects/faults.long.test.ts

const ROUNDS = 200;
const SEED = Number(process.env.FAULT_SEED ?? 1);
const KEYS = ['a', 'b/c', 'd'];
const PART_BYTES = 5 * 1024 ** 2;

// A PostgreSQL of its own, as durable as in production, to be killed.
const folder = mkdtempSync(join(tmpdir(), 'nephele-faults-'));
chmodSync(folder, 0o711);
const directory = join(folder, 'postgres');
Object.assign(process.env, { DATA_DIR: folder, DATABASE_URL: postgresUrl(directory, 'x', 'postgres') });
let database: PostgresServer;

async function startDatabase(): Promise<void> {
  database = await startPostgres({ directory, password: 'x', durable: true, log: () => {} });
}

const call = api();
let acme: TestProject;
let pair: Pair;
let bucket: string;
let port: string;
let server: ChildProcess | undefined;

async function start(): Promise<void> {
  server = spawn(process.execPath, ['--import', 'tsx', 'lib/runtime/objects.ts'], {
    env: { ...process.env, S3_PORT: port, LOG_LEVEL: 'silent', NEPHELE_PROCESS: 'objects' },
    stdio: 'ignore',
  });
  while (
    !(await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    ))
  )
    await delay(50);
}

async function kill(): Promise<void> {
  const ended = new Promise((resolve) => server?.once('exit', resolve));
  server?.kill('SIGKILL');
  await ended;
}

beforeAll(async () => {
  await startDatabase();
  await migrate(database.url('postgres'));
  cpSync(join(inject('dataDir'), 'keys'), join(folder, 'keys'), { recursive: true });
  acme = await createProject('acme');
  pair = await createPair(acme, call);
  bucket = await createBucket(acme, call);
  port = String(await freePort());
  await start();
});
afterAll(async () => {
  await kill();
  await closePool();
  await database.stop();
  rmSync(folder, { recursive: true });
});

const client = () =>
  new S3Client({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId: pair.access_key, secretAccessKey: pair.secret_key },
  });

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** What a key may hold after a round: what was answered, or what was under way when the server died. */
type Possible = Set<string | null>;

test(`of ${ROUNDS} rounds with kills every answered write is there whole, and nothing is left over`, async () => {
  const random = seededRandom(SEED);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  let known = new Map<string, string | null>(KEYS.map((key) => [key, null]));
  for (let round = 0; round < ROUNDS; round += 1) {
    const possible = new Map<string, Possible>(KEYS.map((key) => [key, new Set([known.get(key) ?? null])]));
    // One writer a key, so that the order of its writes is known.
    const work = KEYS.map((key) => write(client(), key, possible.get(key) as Possible));
    // Failures are what this is about; their outcomes are compared below.
    for (const one of work) one.catch(() => {});
    await delay(random() * 120);
    const fault = random();
    if (fault < 0.6) {
      await kill();
      await Promise.allSettled(work);
      await start();
    } else if (fault < 0.8) {
      process.kill(database.pid ?? 0, 'SIGKILL');
      await database.ended;
      await Promise.allSettled(work);
      await startDatabase();
    } else {
      await query(sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
        AND application_name = 'nephele'`).catch(() => {});
      await Promise.allSettled(work);
    }
    known = new Map();
    for (const key of KEYS) {
      const found = await content(key);
      expect([round, key, [...(possible.get(key) ?? [])]]).toEqual([round, key, expect.arrayContaining([found])]);
      known.set(key, found);
    }
  }

  async function write(s3: S3Client, key: string, outcomes: Possible): Promise<void> {
    const target = { Bucket: bucket, Key: key };
    const bytes = randomBytes(pick([0, 100, 5000, 3_000_000]));
    switch (pick(['put', 'put', 'delete', 'copy', 'parts', 'abort'] as const)) {
      case 'put':
        return outcome(outcomes, digest(bytes), () => s3.send(new PutObjectCommand({ ...target, Body: bytes })));
      case 'delete':
        return outcome(outcomes, null, () => s3.send(new DeleteObjectCommand(target)));
      case 'copy': {
        const held = known.get(key) ?? null;
        if (held === null) return;
        return outcome(outcomes, held, () =>
          s3.send(new CopyObjectCommand({ ...target, CopySource: `${bucket}/${key}`, MetadataDirective: 'REPLACE' })),
        );
      }
      case 'parts':
      case 'abort': {
        const [first, last] = [randomBytes(PART_BYTES), bytes];
        const { UploadId } = await s3.send(new CreateMultipartUploadCommand(target));
        const Parts: { ETag: string | undefined; PartNumber: number }[] = [];
        for (const [index, Body] of [first, last].entries()) {
          const { ETag } = await s3.send(new UploadPartCommand({ ...target, UploadId, PartNumber: index + 1, Body }));
          Parts.push({ ETag, PartNumber: index + 1 });
        }
        if (bytes.length === 100) return void (await s3.send(new AbortMultipartUploadCommand({ ...target, UploadId })));
        return outcome(outcomes, digest(Buffer.concat([first, last])), () =>
          s3.send(new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts } })),
        );
      }
    }
  }

  await kill();
  await queryRow(sql`SELECT count(*) FROM (SELECT abort_upload(id) FROM object_uploads) AS ended`);
  await foldBucketChanges();
  const sums = await queryRow<{
    used: number;
    sum: number;
    objects: number;
    keys: number;
  }>(sql`SELECT b.used_bytes::int AS used, b.objects::int AS objects,
    (SELECT coalesce(sum(size_bytes), 0)::int FROM object_versions) AS sum, (SELECT count(*)::int FROM object_versions) AS keys FROM buckets b`);
  expect([sums.used, sums.objects]).toEqual([sums.sum, sums.keys]);
  await prepareFolders();
  await deleteFreed(0);
  await sweepFiles(-1000);
  expect(await scrub(10_000)).toEqual([]);
  const files = readdirSync(join(settings().dataDir, 'objects'), { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile(),
  );
  const { rows } = await queryRow<{ rows: number }>(sql`SELECT count(*)::int AS rows FROM object_blobs`);
  expect(files).toHaveLength(rows);
  await start();
}, 1_800_000);

/** Notes what a write that is answered leaves, and that one that is not may have happened. */
async function outcome(outcomes: Possible, after: string | null, send: () => Promise<unknown>): Promise<void> {
  outcomes.add(after);
  await send();
  outcomes.clear();
  outcomes.add(after);
}

async function content(key: string): Promise<string | null> {
  for (;;) {
    try {
      const { Body } = await client().send(new GetObjectCommand({ Bucket: bucket, Key: key }));
      return digest((await Body?.transformToByteArray()) ?? new Uint8Array());
    } catch (error) {
      if (error instanceof Error && error.name === 'NoSuchKey') return null;
      // The server lost its connections a moment ago.
      if (!(error instanceof Error) || !['InternalError', 'ServiceUnavailable'].includes(error.name)) throw error;
      await delay(50);
    }
  }
}
