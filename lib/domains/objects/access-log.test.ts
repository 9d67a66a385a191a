import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { beforeAll, expect, test, vi } from 'vitest';
import { now } from '@/lib/clock';
import { testDatabase } from '@/lib/testing/database';
import { createBucket } from '@/lib/testing/domains/objects';
import { createPair, objectWorld, type Pair } from '@/lib/testing/object-world';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { presign } from './s3/signature';

testDatabase();
const call = api();
const world = objectWorld();
let acme: TestProject;
let other: TestProject;
let pair: Pair;
let bucket: string;
let bucketId: string;

beforeAll(async () => {
  acme = await createProject('acme');
  other = await createProject('other');
  pair = await createPair(acme, call);
  bucket = await createBucket(acme, call);
  const { body } = await call('GET', `/storage/buckets/${bucket}`, { token: acme.users.reader.token });
  bucketId = (body as { id: string }).id;
});

type Found = { labels: Record<string, string>; line: Record<string, unknown>; text: string };

async function found(selector: string, { users } = acme): Promise<Found[]> {
  const asked = new URLSearchParams({ query: selector, direction: 'forward', limit: '5000' });
  const { status, body } = await call('GET', `/observability/logs?${asked}`, { token: users.reader.token });
  expect(status).toBe(200);
  const { result } = (body as { data: { result: { stream: Found['labels']; values: [string, string][] }[] } }).data;
  return result.flatMap(({ stream, values }) =>
    values.map(([, text]) => ({ labels: stream, text, line: JSON.parse(text) as Record<string, unknown> })),
  );
}

/** Waits for the process of object storage to store the line. */
async function lineOf(path: string, method: string): Promise<Found> {
  const query = `{service="object_storage", resource_id="${bucketId}"} | json | path="${path}" | method="${method}"`;
  return vi.waitFor(
    async () => {
      const [line] = await found(query);
      if (!line) throw new Error(`no line of ${method} ${path}`);
      return line;
    },
    { timeout: 20_000, interval: 50 },
  );
}

test('requests are lines of the bucket, found by its labels and by its project only', async () => {
  const s3 = world.client(pair);
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'report.csv', Body: 'a,b\n1,2\n' }));
  const read = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: 'report.csv' }));
  await read.Body?.transformToString();
  await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: 'absent' })).catch(() => {});
  const path = `/${bucket}/report.csv`;
  const { labels, line } = await lineOf(path, 'GET');
  expect(labels).toMatchObject({
    project: acme.id,
    service: 'object_storage',
    resource_id: bucketId,
    resource_name: bucket,
    level: 'info',
    stream: 'access',
  });
  expect(line).toEqual({
    status: 200,
    method: 'GET',
    path,
    ms: expect.any(Number),
    client: '127.0.0.1',
    request_id: read.$metadata.requestId,
    access_key: pair.access_key,
    received: 0,
    sent: 8,
  });
  expect((await lineOf(path, 'PUT')).line).toMatchObject({ status: 200, sent: 0 });
  const absent = await lineOf(`/${bucket}/absent`, 'HEAD');
  expect(absent.labels.level).toBe('warn');
  expect(absent.line).toMatchObject({ status: 404, code: 'NoSuchKey' });
  expect(await found('{service="object_storage"}', other)).toEqual([]);
});

test('a refused request is a line without an access key', async () => {
  const forged = world.client({ ...pair, secret_key: 'forged' });
  await forged.send(new GetObjectCommand({ Bucket: bucket, Key: 'forged' })).catch(() => {});
  const { line } = await lineOf(`/${bucket}/forged`, 'GET');
  expect(line).toMatchObject({ status: 403, code: 'SignatureDoesNotMatch' });
  expect(line).not.toHaveProperty('access_key');
});

test('the query string of a presigned address is in no line', async () => {
  const url = presign({
    origin: world.url,
    path: `/${bucket}/shared`,
    method: 'GET',
    query: {},
    headers: {},
    accessKey: pair.access_key,
    secret: pair.secret_key,
    region: 'us-east-1',
    at: now(),
    expiresIn: 60,
  });
  await fetch(url);
  const { text } = await lineOf(`/${bucket}/shared`, 'GET');
  expect(text).not.toMatch(/signature|x-amz/i);
});

test('another tenant who asks is a line of the bucket that refused', async () => {
  const stranger = world.client(await createPair(other, call));
  await stranger.send(new GetObjectCommand({ Bucket: bucket, Key: 'theirs' })).catch(() => {});
  expect((await lineOf(`/${bucket}/theirs`, 'GET')).line).toMatchObject({ status: 403, code: 'AccessDenied' });
  expect(await found('{service="object_storage"}', other)).toEqual([]);
});
