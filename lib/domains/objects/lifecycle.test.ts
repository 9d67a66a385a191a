import {
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectVersionsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { queryRow } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { createBucket } from '@/lib/testing/domains/objects';
import { createPair, objectWorld, type Pair } from '@/lib/testing/object-world';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { applyLifecycle } from './store/lifecycle';
import { foldBucketChanges } from './store/usage';

testDatabase();
const call = api();
const world = objectWorld();
const DAY_MS = 86_400_000;
let acme: TestProject;
let pair: Pair;
let offset = 0;
let Bucket: string;

beforeAll(async () => {
  await setTestClock(0);
  acme = await createProject('acme');
  pair = await createPair(acme, call);
});
beforeEach(async () => {
  await setClocks(0);
  Bucket = await createBucket(acme, call);
});
afterEach(() => setClocks(0));

// A new one for each request: it would take its time from the answers, where the server writes the real one.
const client = () => world.client(pair, { systemClockOffset: offset });

/** The server's clock and the client's. */
async function setClocks(ms: number): Promise<void> {
  await setTestClock(ms);
  offset = ms;
}

const put = (Key: string, Body: string) => client().send(new PutObjectCommand({ Bucket, Key, Body }));
const keepVersions = () =>
  client().send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }));

/** Days later, the rules have been applied. */
async function daysLater(days: number): Promise<void> {
  await setClocks(days * DAY_MS);
  await applyLifecycle(new AbortController().signal);
}

/** Sizes by key, the latest first; a delete marker is 'marker'. */
async function versions(): Promise<Record<string, (number | 'marker')[]>> {
  const { Versions = [], DeleteMarkers = [] } = await client().send(new ListObjectVersionsCommand({ Bucket }));
  const all: Record<string, (number | 'marker')[]> = {};
  for (const { Key = '' } of DeleteMarkers) all[Key] = [...(all[Key] ?? []), 'marker'];
  for (const { Key = '', Size = 0 } of Versions) all[Key] = [...(all[Key] ?? []), Size];
  return all;
}

async function usedBytes(): Promise<number> {
  await foldBucketChanges();
  return (
    await queryRow<{ used: number }>(sql`SELECT used_bytes::int AS used FROM buckets WHERE name = ${Bucket}::text`)
  ).used;
}

test('objects expire after their days, those of other prefixes stay, and their bytes are no longer counted', async () => {
  await put('logs/old', 'x'.repeat(10));
  await put('kept', 'x');
  const rule = { ID: 'logs', Status: 'Enabled' as const, Filter: { Prefix: 'logs/' }, Expiration: { Days: 3 } };
  const off = { ID: 'off', Status: 'Disabled' as const, Filter: { Prefix: '' }, Expiration: { Days: 1 } };
  await client().send(
    new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules: [rule, off] } }),
  );
  await daysLater(2);
  await put('logs/new', 'xy');
  expect(Object.keys(await versions()).sort()).toEqual(['kept', 'logs/new', 'logs/old']);
  await daysLater(4);
  expect(Object.keys(await versions()).sort()).toEqual(['kept', 'logs/new']);
  expect(await usedBytes()).toBe(3);
});

test('old versions go after their days but for the newest ones that are kept, then the marker that hides nothing', async () => {
  await keepVersions();
  for (const size of [1, 2, 3, 4]) await put('a', 'x'.repeat(size));
  await put('b', 'x');
  await client().send(new DeleteObjectCommand({ Bucket, Key: 'b' }));
  const old = {
    ID: 'old',
    Status: 'Enabled' as const,
    Filter: { Prefix: 'a' },
    NoncurrentVersionExpiration: { NoncurrentDays: 1, NewerNoncurrentVersions: 1 },
  };
  const hidden = {
    ID: 'hidden',
    Status: 'Enabled' as const,
    Filter: { Prefix: 'b' },
    NoncurrentVersionExpiration: { NoncurrentDays: 1 },
    Expiration: { ExpiredObjectDeleteMarker: true },
  };
  await client().send(
    new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules: [old, hidden] } }),
  );
  await daysLater(0.9);
  expect(await versions()).toEqual({ a: [4, 3, 2, 1], b: ['marker', 1] });
  await daysLater(3);
  expect(await versions()).toEqual({ a: [4, 3] });
  expect(await usedBytes()).toBe(7);
});

test('unfinished uploads end after their days, and those without a rule after a month', async () => {
  const begin = async (Key: string) => {
    const { UploadId } = await client().send(new CreateMultipartUploadCommand({ Bucket, Key }));
    await client().send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: 'part' }));
  };
  const keys = async () =>
    (await client().send(new ListMultipartUploadsCommand({ Bucket }))).Uploads?.map(({ Key }) => Key) ?? [];
  await begin('tmp/a');
  await begin('b');
  const rule = {
    ID: 'tmp',
    Status: 'Enabled' as const,
    Filter: { Prefix: 'tmp/' },
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: 2 },
  };
  await client().send(
    new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules: [rule] } }),
  );
  await daysLater(1);
  expect((await keys()).sort()).toEqual(['b', 'tmp/a']);
  await daysLater(4);
  expect(await keys()).toEqual(['b']);
  expect(await usedBytes()).toBe(4);
  await daysLater(32);
  expect(await keys()).toEqual([]);
  expect(await usedBytes()).toBe(0);
});
