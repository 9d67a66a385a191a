import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { now } from '@/lib/clock';
import { queryRow, transaction } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { forgetSettings, settings } from '@/lib/settings';
import { testDatabase } from '@/lib/testing/database';
import { createBucket } from '@/lib/testing/domains/objects';
import { spend } from '@/lib/testing/money';
import { createPair, objectWorld, type Pair } from '@/lib/testing/object-world';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { presign } from './s3/signature';
import { foldBucketChanges } from './store/usage';

// What limits writes, when, and what does not.

testDatabase();
const call = api();
const world = objectWorld();
const USD = 1_000_000;
let acme: TestProject;
let pair: Pair;
let floor: string | undefined;

beforeAll(() => {
  floor = process.env.DISK_FLOOR_GB;
});
beforeEach(async () => {
  acme = await createProject('acme');
  pair = await createPair(acme, call);
});
afterEach(() => {
  if (floor === undefined) delete process.env.DISK_FLOOR_GB;
  else process.env.DISK_FLOOR_GB = floor;
  forgetSettings();
});

const member = (method: string, path: string, body?: unknown) =>
  call(method, path, { token: acme.users.member.token, ...(body ? { body } : {}) });
const files = () =>
  readdirSync(join(settings().dataDir, 'objects'), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );

/** Sends the head of a request, and its body once the server asks for it. */
function ask(method: string, path: string, size: number, query: Record<string, string> = {}) {
  const url = presign({
    ...{ origin: world.url, path, method, query, headers: {}, region: 'us-east-1', at: now(), expiresIn: 60 },
    ...{ accessKey: pair.access_key, secret: pair.secret_key },
  });
  return new Promise<{ status: number | undefined; code: string | undefined; wanted: boolean }>((resolve, reject) => {
    const sent = request(url, { method, headers: { 'Content-Length': size, Expect: '100-continue' } });
    let wanted = false;
    sent.on('continue', () => {
      wanted = true;
      sent.end(Buffer.alloc(size));
    });
    sent.on('response', async (response) => {
      let text = '';
      for await (const piece of response.setEncoding('utf8')) text += piece;
      resolve({ status: response.statusCode, code: /<Code>(\w+)</.exec(text)?.[1], wanted });
      sent.destroy();
    });
    sent.on('error', reject);
    sent.flushHeaders();
  });
}

test('a budget that is spent keeps nobody from writing, copying, deleting or creating buckets', async () => {
  const before = await createBucket(acme, call);
  const budget = { monthly_limit_usd: 10, enable_quota_freeze: true };
  await call('PUT', '/billing/budget', { token: acme.users.admin.token, body: budget });
  await spend(acme.id, 11 * USD);
  expect((await member('POST', '/storage/volumes', { name: 'data', size_gb: 1 })).status).toBe(402);

  const after = await createBucket(acme, call);
  for (const Bucket of [before, after]) {
    for (const [Key, size] of [
      ['small', 10],
      ['large', 100_000],
    ] as const)
      await world.client(pair).send(new PutObjectCommand({ Bucket, Key, Body: Buffer.alloc(size) }));
    await world.client(pair).send(new DeleteObjectCommand({ Bucket, Key: 'small' }));
    const presigned = await member('POST', `/storage/buckets/${Bucket}/objects/presign`, { key: 'k', method: 'PUT' });
    const { url, headers } = presigned.body as { url: string; headers: Record<string, string> };
    expect((await fetch(url, { method: 'PUT', headers, body: 'x' })).status).toBe(200);
    const copy = { key: 'copy', source_key: 'large' };
    expect((await member('POST', `/storage/buckets/${Bucket}/objects/copy`, copy)).status).toBeLessThan(300);
  }
});

test('what would pass the quota of a bucket is refused before its bytes are sent or stored', async () => {
  const name = `quota-${now().getTime()}`;
  // 0.001 GB
  expect((await member('POST', '/storage/buckets', { name, quota_gb: 0.001 })).status).toBe(201);
  expect(await ask('PUT', `/${name}/first`, 600_000)).toEqual({ status: 200, code: undefined, wanted: true });
  await foldBucketChanges();
  const kept = files().length;
  const refused = { status: 403, code: 'QuotaExceeded', wanted: false };
  expect(await ask('PUT', `/${name}/second`, 600_000)).toEqual(refused);
  const begun = await member('POST', `/storage/buckets/${name}/objects/uploads`, { key: 'parts', size_bytes: 300_000 });
  const { upload_id: uploadId } = begun.body as { upload_id: string };
  expect(await ask('PUT', `/${name}/parts`, 600_000, { uploadId, partNumber: '1' })).toEqual(refused);
  expect(files()).toHaveLength(kept);
  expect(await ask('PUT', `/${name}/second`, 400_000)).toMatchObject({ status: 200 });
});

test('nothing is taken that would leave less than the floor of the disk, and it is refused before it is sent', async () => {
  const name = await createBucket(acme, call);
  const kept = files().length;
  process.env.DISK_FLOOR_GB = '100000';
  forgetSettings();
  const refused = { status: 507, code: 'InsufficientStorage', wanted: false };
  for (const size of [10, 100_000, 6_000_000]) expect(await ask('PUT', `/${name}/k`, size)).toEqual(refused);
  expect(files()).toHaveLength(kept);
  if (floor === undefined) delete process.env.DISK_FLOOR_GB;
  else process.env.DISK_FLOOR_GB = floor;
  forgetSettings();
  expect(await ask('PUT', `/${name}/k`, 100_000)).toMatchObject({ status: 200 });
});

test('no write waits for the row of its bucket, and every byte is counted', async () => {
  const name = await createBucket(acme, call);
  await transaction(async (run) => {
    // What an update of the row takes.
    await run(sql`SELECT FROM buckets WHERE name = ${name}::text FOR NO KEY UPDATE`);
    const sizes = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? 100 : 10_000));
    await Promise.all(
      sizes.map((size, index) =>
        world.client(pair).send(new PutObjectCommand({ Bucket: name, Key: `k${index}`, Body: Buffer.alloc(size) })),
      ),
    );
  });
  const { body } = await member('GET', `/storage/buckets/${name}`);
  expect(body).toMatchObject({ used_bytes: 60_600, objects: 12 });
  await foldBucketChanges();
  const { quantity } = await queryRow<{ quantity: number }>(sql`SELECT s.quantity::int AS quantity FROM spans s
    JOIN buckets b ON b.id = s.resource_id WHERE b.name = ${name}::text AND s.ended_at IS NULL`);
  expect(quantity).toBe(60_600);
});
