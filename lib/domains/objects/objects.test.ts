import { createHash, createHmac } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutBucketPolicyCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  PutObjectLegalHoldCommand,
  PutObjectLockConfigurationCommand,
  PutObjectRetentionCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, test } from 'vitest';
import { now } from '@/lib/clock';
import { query, queryRow } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { settings } from '@/lib/settings';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { createBucket } from '@/lib/testing/domains/objects';
import { createPair, objectWorld, type Pair } from '@/lib/testing/object-world';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { sampleBuckets } from './metrics';
import { presign } from './s3/signature';
import { type ChecksumAlgorithm, summing } from './store/checksums';
import { deleteFreed, scrub, sweepFiles } from './store/housekeeping';
import { applyLifecycle } from './store/lifecycle';
import { deleteObject, putSmallObject } from './store/rows';
import { foldBucketChanges, writeSent } from './store/usage';

testDatabase();
const call = api();
const world = objectWorld();
let acme: TestProject;
let other: TestProject;
let pair: Pair;
let bucket: string;

beforeAll(async () => {
  await setTestClock(0);
  acme = await createProject('acme');
  other = await createProject('other');
  pair = await createPair(acme, call);
  bucket = await createBucket(acme, call);
});

const s3 = () => world.client(pair);
const put = (key: string, body: string | Buffer, name = bucket) =>
  s3().send(new PutObjectCommand({ Bucket: name, Key: key, Body: body }));
const read = async (key: string, name = bucket) => {
  const { Body } = await s3().send(new GetObjectCommand({ Bucket: name, Key: key }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
};
const member = (method: string, path: string, body?: unknown) =>
  call(method, path, { token: acme.users.member.token, ...(body ? { body } : {}) });
async function sumOf(algorithm: ChecksumAlgorithm, bytes: Uint8Array): Promise<string> {
  const sum = await summing(algorithm);
  sum.update(bytes);
  return sum.digest();
}
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no error',
    (error) => error.name,
  );

/** A request without the SDK, which would repair it. */
function plain(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
  localAddress = '127.0.0.1',
) {
  return new Promise<{ status: number; text: string; headers: Record<string, unknown> }>((resolve, reject) => {
    const { hostname, port } = new URL(world.url);
    // As it is: an address would lose its dots.
    const sent = request({ hostname, port, path, method, headers, localAddress }, async (response) => {
      const pieces: Buffer[] = [];
      for await (const piece of response) pieces.push(piece);
      resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString(), headers: response.headers });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('an object', () => {
  test.each([0, 1, 4096, 4097, 3_000_000])(
    'of %i bytes comes back as it was sent, with its checksums',
    async (size) => {
      const bytes = Buffer.alloc(size, 'nephele ');
      const stored = await put(`size/${size}`, bytes);
      expect(stored.ETag).toBe(`"${createHash('md5').update(bytes).digest('hex')}"`);
      expect((await read(`size/${size}`)).equals(bytes)).toBe(true);
    },
  );

  test('has a key of any 1,024 bytes', async () => {
    const keys = ['a b/ü/日本+&?#%25', '../../etc/passwd', 'é'.repeat(512), '%2e%2e/x', 'quote\'"<>', 'uploads/x'];
    for (const key of keys) {
      await put(key, key);
      expect((await read(key)).toString()).toBe(key);
      const list = await call('GET', `/storage/buckets/${bucket}/objects?prefix=${encodeURIComponent(key)}`, {
        token: acme.users.reader.token,
      });
      expect(list.body).toMatchObject([{ key }]);
      for (const [method, body] of [
        ['PUT', `${key} again`],
        ['GET', undefined],
      ] as const) {
        const made = await member('POST', `/storage/buckets/${bucket}/objects/presign`, { key, method });
        const { url, headers } = made.body as { url: string; headers: Record<string, string> };
        const answer = await plain(method, url.slice(world.url.length), headers, body);
        expect([key, method, answer.status]).toEqual([key, method, 200]);
        if (method === 'GET') expect(answer.text).toBe(`${key} again`);
      }
      const gone = await member('DELETE', `/storage/buckets/${bucket}/objects/${encodeURIComponent(key)}`);
      expect([key, gone.status]).toEqual([key, 204]);
      expect(await codeOf(read(key))).toBe('NoSuchKey');
    }
    expect(await codeOf(put('x'.repeat(1025), ''))).toBe('KeyTooLongError');
  });

  test('of parallel writers is one of theirs, whole', async () => {
    const bodies = Array.from({ length: 12 }, (_, index) =>
      Buffer.alloc(60_000 + index, String.fromCharCode(97 + index)),
    );
    await Promise.all(bodies.map((body) => put('race', body)));
    const found = await read('race');
    expect(bodies.some((body) => body.equals(found))).toBe(true);
    const rows = await query(sql`SELECT FROM object_versions WHERE key = 'race'`);
    expect(rows).toHaveLength(1);
  });

  test('is created once by many that want no other', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        codeOf(s3().send(new PutObjectCommand({ Bucket: bucket, Key: 'once', Body: `${index}`, IfNoneMatch: '*' }))),
      ),
    );
    expect(outcomes.filter((code) => code === 'no error')).toHaveLength(1);
    expect(outcomes.filter((code) => code === 'PreconditionFailed')).toHaveLength(9);
  });

  test('being read stays whole while it is replaced', async () => {
    const bytes = Buffer.alloc(8_000_000, 'a');
    await put('reader', bytes);
    const { Body } = await s3().send(new GetObjectCommand({ Bucket: bucket, Key: 'reader' }));
    await put('reader', 'new');
    await deleteFreed(0);
    const seen = Buffer.from((await Body?.transformToByteArray()) ?? []);
    expect(seen.equals(bytes)).toBe(true);
  });
});

test('a multipart upload is its parts in order, also when it is completed twice', async () => {
  const client = s3();
  const target = { Bucket: bucket, Key: 'parts' };
  const { UploadId } = await client.send(
    new CreateMultipartUploadCommand({ ...target, ChecksumAlgorithm: 'CRC32', ChecksumType: 'FULL_OBJECT' }),
  );
  const bytes = [Buffer.alloc(5 * 1024 ** 2, 'a'), Buffer.alloc(5 * 1024 ** 2, 'b'), Buffer.from('end')];
  const Parts = [];
  for (const [index, Body] of bytes.entries()) {
    const part = await client.send(
      new UploadPartCommand({ ...target, UploadId, PartNumber: index + 1, Body, ChecksumAlgorithm: 'CRC32' }),
    );
    Parts.push({ PartNumber: index + 1, ETag: part.ETag, ChecksumCRC32: part.ChecksumCRC32 });
  }
  const whole = await sumOf('CRC32', Buffer.concat(bytes));
  const wrong = {
    ...target,
    UploadId,
    MultipartUpload: { Parts },
    ChecksumCRC32: await sumOf('CRC32', Buffer.from('x')),
  };
  expect(await codeOf(client.send(new CompleteMultipartUploadCommand(wrong)))).toBe('BadDigest');
  const complete = new CompleteMultipartUploadCommand({ ...wrong, ChecksumCRC32: whole });
  const first = await client.send(complete);
  expect((await client.send(complete)).ETag).toBe(first.ETag);
  // The SDK compares the checksum of the whole, which was computed from those of the parts.
  const answer = await client.send(new GetObjectCommand({ ...target, ChecksumMode: 'ENABLED' }));
  const seen = Buffer.from((await answer.Body?.transformToByteArray()) ?? []);
  expect(seen.equals(Buffer.concat(bytes))).toBe(true);
  expect(answer.ChecksumCRC32).toBe(whole);
});

describe('what a bucket holds', () => {
  const bytesOf = async (name: string) => {
    const { body } = await member('GET', `/storage/buckets/${name}`);
    return body as { used_bytes: number; objects: number };
  };

  test('is counted exactly, through every kind of change', async () => {
    const name = await createBucket(acme, call);
    const client = s3();
    await put('a', 'x'.repeat(100), name);
    await put('a', 'x'.repeat(10_000), name);
    await put('b', 'x'.repeat(5), name);
    expect(await bytesOf(name)).toMatchObject({ used_bytes: 10_005, objects: 2 });
    await foldBucketChanges();
    await sampleBuckets();
    const { id } = await queryRow<{ id: string }>(sql`SELECT id FROM buckets WHERE name = ${name}`);
    expect(await query(sql`SELECT values FROM device_samples WHERE device_id = ${id}::uuid`)).toEqual([
      { values: [10_005, 2] },
    ]);
    await client.send(new PutBucketVersioningCommand({ Bucket: name, VersioningConfiguration: { Status: 'Enabled' } }));
    await put('a', 'y', name);
    await client.send(new DeleteObjectCommand({ Bucket: name, Key: 'b' }));
    expect(await bytesOf(name)).toMatchObject({ used_bytes: 10_006, objects: 1 });
    await client.send(new CopyObjectCommand({ Bucket: name, Key: 'c', CopySource: `${name}/a?versionId=null` }));
    await foldBucketChanges();
    expect(await bytesOf(name)).toMatchObject({ used_bytes: 20_006, objects: 2 });
    const sums =
      await queryRow(sql`SELECT b.used_bytes::int AS used, (SELECT sum(size_bytes) FROM object_versions v WHERE v.bucket_id = b.id)::int AS sum
      FROM buckets b WHERE b.name = ${name}::text`);
    expect(sums).toEqual({ used: 20_006, sum: 20_006 });
    const [span] = await query<{
      quantity: string;
    }>(sql`SELECT s.quantity FROM spans s JOIN buckets b ON b.id = s.resource_id
      WHERE b.name = ${name}::text AND s.ended_at IS NULL`);
    expect(Number(span?.quantity)).toBe(20_006);
  });

  test('never passes its quota, whatever arrives at once', async () => {
    const name = `quota-${now().getTime()}`;
    // 0.001 GB
    await member('POST', '/storage/buckets', { name, quota_gb: 0.001 });
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) => codeOf(put(`k${index}`, Buffer.alloc(100_000), name))),
    );
    expect(outcomes.filter((code) => code === 'no error')).toHaveLength(10);
    expect(outcomes.filter((code) => code === 'QuotaExceeded')).toHaveLength(10);
    expect((await bytesOf(name)).used_bytes).toBe(1_000_000);
  });

  test('loses many objects at once; those that are not there are not counted', async () => {
    const name = await createBucket(acme, call);
    for (const key of ['a', 'b']) await put(key, 'x', name);
    const answer = await member('POST', `/storage/buckets/${name}/objects/delete`, { keys: ['a', 'b', 'c'] });
    expect([answer.status, answer.body]).toEqual([200, { deleted: 2 }]);
  });

  test('keeps it from being deleted, down to the last version', async () => {
    const name = await createBucket(acme, call);
    await put('a', 'x', name);
    const refused = await member('DELETE', `/storage/buckets/${name}`);
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('holds objects')]);
    await s3().send(new DeleteObjectCommand({ Bucket: name, Key: 'a' }));
    expect((await member('DELETE', `/storage/buckets/${name}`)).status).toBe(204);
  });

  test.each(['off', 'enabled', 'suspended'] as const)(
    'adds up small writes that come together, with versioning %s',
    async (versioning) => {
      const name = await createBucket(acme, call);
      const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
      // Files that are replaced, small objects that are replaced, markers, and keys that are new.
      await put('k0', Buffer.alloc(50_000), name);
      await put('k1', 'before', name);
      if (versioning !== 'off') {
        const Status = versioning === 'enabled' ? 'Enabled' : 'Suspended';
        await s3().send(new PutBucketVersioningCommand({ Bucket: name, VersioningConfiguration: { Status } }));
        await s3().send(new DeleteObjectCommand({ Bucket: name, Key: 'k1' }));
      }
      const answers = await Promise.all(
        [...keys, ...keys, 'k0'].map((key, index) => put(key, `${key}-${index}`, name)),
      );
      const versions = new Set(answers.map(({ VersionId }) => VersionId));
      expect(versions.size).toBe(versioning === 'enabled' ? answers.length : 1);
      for (const key of keys) expect((await read(key, name)).toString()).toMatch(new RegExp(`^${key}-`));
      const sums = await queryRow<{ bytes: number; objects: number; latest: number }>(sql`
        SELECT sum(size_bytes)::int AS bytes, count(*) FILTER (WHERE latest AND NOT delete_marker)::int AS objects, count(*) FILTER (WHERE latest)::int AS latest
        FROM object_versions v JOIN buckets b ON b.id = v.bucket_id WHERE b.name = ${name}::text`);
      const { used_bytes, objects } = await bytesOf(name);
      expect({ used_bytes, objects }).toEqual({ used_bytes: sums.bytes, objects: 20 });
      expect([sums.objects, sums.latest]).toEqual([20, 20]);
      const kept = await query(sql`SELECT b.id FROM object_blobs b JOIN buckets o ON o.id = b.bucket_id
        WHERE o.name = ${name}::text AND b.freed_at IS NULL`);
      expect(kept).toHaveLength(versioning === 'enabled' ? 1 : 0);
    },
  );

  test('is billed for what leaves, once, and not for what stays in networks of the platform', async () => {
    const name = await createBucket(acme, call);
    await put('big', Buffer.alloc(50_000), name);
    await put('small', Buffer.alloc(100), name);
    for (const key of ['big', 'small']) {
      await read(key, name);
      const { url } = presignedGet(key, {}, name);
      expect((await plain('GET', url.slice(world.url.length), {}, undefined, '127.230.1.2')).status).toBe(200);
    }
    const billed = async () => {
      await writeSent();
      await foldBucketChanges();
      const { bytes } = await queryRow<{
        bytes: number;
      }>(sql`SELECT coalesce(sum(quantity), 0)::int AS bytes FROM usage_events
        WHERE resource_name = ${name}::text AND metric = 'network_egress'`);
      return bytes;
    };
    // The answer has ended for its client before it has for the server.
    await expect.poll(billed).toBe(50_100);
  });
});

describe('files', () => {
  const files = () =>
    readdirSync(join(settings().dataDir, 'objects'), { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );

  test('without an object go, and damaged ones are named', async () => {
    // Test files before this one may have used the folder.
    await sweepFiles(-1000);
    const left = '0f0f0f0f-0000-4000-8000-000000000000';
    await writeFile(join(settings().dataDir, 'objects', '0f', left), 'left by a crash');
    expect(await sweepFiles(-1000)).toBe(1);
    await put('flipped', Buffer.alloc(20_000, 'a'));
    const row = await queryRow<{ id: string }>(
      sql`SELECT blobs->0->>'id' AS id FROM object_versions WHERE key = 'flipped'`,
    );
    await writeFile(join(settings().dataDir, 'objects', row.id.slice(0, 2), row.id), Buffer.alloc(20_000, 'b'));
    expect(await scrub(1000)).toMatchObject([{ bucket, key: 'flipped', problem: 'changed' }]);
    const [incident] = await query<{ reason: string }>(sql`SELECT reason FROM incidents WHERE closed_at IS NULL`);
    expect(incident?.reason).toContain('flipped');
  });

  test('of what was replaced or refused are gone', async () => {
    await deleteFreed(0);
    const before = files().length;
    await put('again', Buffer.alloc(10_000));
    await put('again', Buffer.alloc(11_000));
    await codeOf(
      s3().send(
        new PutObjectCommand({
          Bucket: bucket,
          Key: 'again',
          Body: Buffer.alloc(9000),
          ContentMD5: createHash('md5').update('other').digest('base64'),
        }),
      ),
    );
    await codeOf(
      s3().send(new PutObjectCommand({ Bucket: bucket, Key: 'again', Body: Buffer.alloc(9000), IfNoneMatch: '*' })),
    );
    await deleteFreed(0);
    expect(files().length).toBe(before + 1);
  });
});

describe('a request is refused', () => {
  test('with a wrong secret or an unknown key', async () => {
    const wrong = world.client({ ...pair, secret_key: `${pair.secret_key}x` });
    expect(await codeOf(wrong.send(new GetObjectCommand({ Bucket: bucket, Key: 'a' })))).toBe('SignatureDoesNotMatch');
    const unknown = world.client({ ...pair, access_key: 'NEPHAAAAAAAAAAAAAAAA' });
    expect(await codeOf(unknown.send(new GetObjectCommand({ Bucket: bucket, Key: 'a' })))).toBe('InvalidAccessKeyId');
  });

  test('by another project, and anonymously, with the same answer for what exists and what does not', async () => {
    await put('private', 'x');
    const foreign = world.client(await createPair(other, call));
    for (const Key of ['private', 'nothing']) {
      expect(await codeOf(foreign.send(new GetObjectCommand({ Bucket: bucket, Key })))).toBe('AccessDenied');
      expect((await plain('GET', `/${bucket}/${Key}`)).text).toContain('<Code>AccessDenied</Code>');
    }
    expect((await call('GET', `/storage/buckets/${bucket}/objects`, { token: other.users.admin.token })).status).toBe(
      404,
    );
  });

  test('with a clock that is 16 minutes wrong', async () => {
    const late = world.client(pair, { systemClockOffset: -16 * 60_000 });
    expect(await codeOf(late.send(new GetObjectCommand({ Bucket: bucket, Key: 'a' })))).toBe('RequestTimeTooSkewed');
  });

  test('with two lengths', async () => {
    const { status } = await plain(
      'PUT',
      `/${bucket}/smuggled`,
      { 'Content-Length': '5', 'Transfer-Encoding': 'chunked' },
      'hello',
    ).catch(() => ({ status: 400 }));
    expect(status).toBe(400);
  });

  test('with a document type', async () => {
    const client = s3();
    client.middlewareStack.add(
      (next) => (args) => {
        const sent = args.request as { body: string; headers: Record<string, string> };
        sent.body =
          '<!DOCTYPE x [<!ENTITY a "b">]><VersioningConfiguration><Status>&a;</Status></VersioningConfiguration>';
        sent.headers['content-length'] = String(sent.body.length);
        return next(args);
      },
      { step: 'build', priority: 'low' },
    );
    expect(
      await codeOf(
        client.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration: { Status: 'Enabled' } })),
      ),
    ).not.toBe('no error');
  });

  test('for what S3 has and this endpoint has not, and changes nothing', async () => {
    const ask = async (
      method: string,
      path: string,
      query: Record<string, string>,
      headers: Record<string, string>,
    ) => {
      const url = presign({
        ...{ origin: world.url, path, method, query, headers, region: 'us-east-1', at: now(), expiresIn: 60 },
        ...{ accessKey: pair.access_key, secret: pair.secret_key },
      });
      const answer = await fetch(url, { method, headers, ...(method === 'GET' ? {} : { body: 'x' }) });
      return [answer.status, /<Code>(\w+)</.exec(await answer.text())?.[1]];
    };
    const parts = ['accelerate', 'analytics', 'intelligent-tiering', 'inventory', 'logging', 'metrics', 'notification'];
    parts.push('ownershipControls', 'publicAccessBlock', 'replication', 'requestPayment', 'website');
    for (const part of parts)
      for (const method of ['GET', 'PUT'])
        expect([part, method, ...(await ask(method, `/${bucket}`, { [part]: '' }, {}))]).toEqual([
          part,
          method,
          501,
          'NotImplemented',
        ]);
    for (const part of ['restore', 'select', 'torrent'])
      expect([part, ...(await ask('POST', `/${bucket}/unsupported`, { [part]: '' }, {}))]).toEqual([
        part,
        501,
        'NotImplemented',
      ]);
    const headers: Record<string, string>[] = [
      { 'x-amz-server-side-encryption': 'AES256' },
      { 'x-amz-server-side-encryption-customer-algorithm': 'AES256' },
      { 'x-amz-grant-read': 'uri="http://acs.amazonaws.com/groups/global/AllUsers"' },
      { 'x-amz-acl': 'authenticated-read' },
      { 'x-amz-acl': 'public-read-write' },
      { 'x-amz-storage-class': 'GLACIER' },
      { 'x-amz-write-offset-bytes': '0' },
    ];
    for (const header of headers)
      expect([header, ...(await ask('PUT', `/${bucket}/unsupported`, {}, header))]).toEqual([
        header,
        501,
        'NotImplemented',
      ]);
    expect(await codeOf(read('unsupported'))).toBe('NoSuchKey');
  });
});

describe('a presigned address', () => {
  const make = async (body: object, token = acme.users.member.token) => {
    const { status, body: made } = await call('POST', `/storage/buckets/${bucket}/objects/presign`, { token, body });
    return { status, ...(made as { url: string; headers: Record<string, string> }) };
  };

  test('uploads and downloads without a credential, as often as one likes, until it expires', async () => {
    const up = await make({ key: 'shared.txt', method: 'PUT', content_type: 'text/plain', expires_in: 60 });
    expect(
      (await fetch(up.url, { method: 'PUT', body: 'hello', headers: { 'content-type': 'text/html' } })).status,
    ).toBe(403);
    expect((await fetch(up.url, { method: 'PUT', body: 'hello', headers: up.headers })).status).toBe(200);
    const { url } = await make({ key: 'shared.txt', expires_in: 60 });
    expect(await (await fetch(url)).text()).toBe('hello');
    const again = await fetch(url);
    expect(again.headers.get('content-security-policy')).toBe('sandbox');
    expect((await fetch(url.replace('shared.txt', 'private'))).status).toBe(403);
    await setTestClock(61_000);
    try {
      expect(await (await fetch(url)).text()).toContain('Request has expired');
    } finally {
      await setTestClock(0);
    }
  });

  test('ends with the token that made it, and can be no more than it', async () => {
    expect((await make({ key: 'x', method: 'PUT' }, acme.users.reader.token)).status).toBe(403);
    const token = (
      await call('POST', '/auth/tokens', { token: acme.users.admin.token, body: { name: 'links', role: 'member' } })
    ).body as { id: string; token: string };
    await put('linked', 'x');
    const { url } = await make({ key: 'linked' }, token.token);
    expect((await fetch(url)).status).toBe(200);
    await call('DELETE', `/auth/tokens/${token.id}`, { token: acme.users.admin.token });
    expect((await fetch(url)).status).toBe(403);
  });

  test('may at any moment what the role of its maker allows, and ends with their membership', async () => {
    const { users, ...project } = await createProject('movers');
    const name = await createBucket({ ...project, users }, call);
    const made = async (method: 'GET' | 'PUT') => {
      const { token } = users.member;
      const { body } = await call('POST', `/storage/buckets/${name}/objects/presign`, {
        token,
        body: { key: 'k', method },
      });
      return (body as { url: string }).url;
    };
    const [up, down] = [await made('PUT'), await made('GET')];
    const outcomes = async () => [(await fetch(up, { method: 'PUT', body: 'x' })).status, (await fetch(down)).status];
    expect(await outcomes()).toEqual([200, 200]);
    const [{ token }, { id: user_id }] = [users.admin, users.member];
    await call('POST', '/identity/role-assignments', { token, body: { user_id, role: 'reader' } });
    await call('DELETE', `/identity/role-assignments?user_id=${user_id}&role=member`, { token });
    expect(await outcomes()).toEqual([403, 200]);
    await call('DELETE', `/identity/role-assignments?user_id=${user_id}`, { token });
    expect(await outcomes()).toEqual([403, 403]);
  });
});

describe('an access key', () => {
  test('ends with its maker’s membership, and does what their role allows', async () => {
    const project = await createProject('leavers');
    const made = await createPair(project, call);
    const name = await createBucket(project, call);
    const client = world.client(made);
    const write = () => codeOf(client.send(new PutObjectCommand({ Bucket: name, Key: 'a', Body: 'x' })));
    const list = () => codeOf(client.send(new ListObjectsV2Command({ Bucket: name })));
    expect([await write(), await list()]).toEqual(['no error', 'no error']);
    const { id: user_id } = project.users.member;
    const token = project.users.admin.token;
    await call('POST', '/identity/role-assignments', { token, body: { user_id, role: 'reader' } });
    await call('DELETE', `/identity/role-assignments?user_id=${user_id}&role=member`, { token });
    expect([await write(), await list()]).toEqual(['AccessDenied', 'no error']);
    await call('DELETE', `/identity/role-assignments?user_id=${user_id}`, { token });
    expect([await write(), await list()]).toEqual(['InvalidAccessKeyId', 'InvalidAccessKeyId']);
  });

  test('that ended does not harm the small writes that come together with its own', async () => {
    const project = await createProject('together');
    const [ended, other] = [await createPair(project, call), await createPair(project, call)];
    const name = await createBucket(project, call);
    const write = (made: Pair, Key: string) =>
      codeOf(world.client(made).send(new PutObjectCommand({ Bucket: name, Key, Body: Key })));
    expect([await write(ended, 'a'), await write(other, 'b')]).toEqual(['no error', 'no error']);
    await call('DELETE', `/storage/credentials/${ended.id}`, { token: project.users.admin.token });
    const keys = Array.from({ length: 12 }, (_, index) => `k${index}`);
    const outcomes = await Promise.all(keys.flatMap((key) => [write(ended, key), write(other, `${key}/b`)]));
    expect(outcomes).toEqual(keys.flatMap(() => ['InvalidAccessKeyId', 'no error']));
    const rows = await query<{ key: string }>(
      sql`SELECT key FROM object_versions v JOIN buckets b ON b.id = v.bucket_id WHERE b.name = ${name}::text ORDER BY key`,
    );
    expect(rows.map(({ key }) => key)).toEqual(['a', 'b', ...keys.map((key) => `${key}/b`)].sort());
  });

  test('expires, is limited to its bucket, and reads only if it says so', async () => {
    const expiring = await createPair(acme, call, { expires_at: new Date(now().getTime() + 1000).toISOString() });
    const limited = world.client(await createPair(acme, call, { bucket, access: 'read' }));
    const second = await createBucket(acme, call);
    const put2 = (client: ReturnType<typeof s3>, Bucket: string) =>
      codeOf(client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' })));
    expect(await put2(limited, bucket)).toBe('AccessDenied');
    expect(await codeOf(limited.send(new ListObjectsV2Command({ Bucket: bucket })))).toBe('no error');
    expect(await codeOf(limited.send(new ListObjectsV2Command({ Bucket: second })))).toBe('AccessDenied');
    expect(await put2(world.client(expiring), bucket)).toBe('no error');
    await setTestClock(2000);
    try {
      expect(await put2(world.client(expiring), bucket)).toBe('InvalidAccessKeyId');
    } finally {
      await setTestClock(0);
    }
  });

  test('of the project is made by admins alone; the secret is shown once', async () => {
    expect((await member('POST', '/storage/credentials', { owner: 'project' })).status).toBe(403);
    const made = await createPair(acme, call, { owner: 'project' }, acme.users.admin.token);
    const list = await call('GET', '/storage/credentials', { token: acme.users.reader.token });
    expect(list.text).toContain(made.access_key);
    expect(list.text).not.toContain(made.secret_key);
  });
});

test('a policy lets others in, by principal, prefix and address, and a Deny wins', async () => {
  const foreign = await createPair(other, call);
  const name = await createBucket(acme, call);
  await put('open/a', 'x', name);
  await put('closed/a', 'x', name);
  const resource = (path: string) => `arn:aws:s3:::${name}/${path}`;
  const policy = {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { AWS: [`arn:aws:iam::${other.id}:user/${foreign.access_key}`] },
        Action: 's3:GetObject',
        Resource: resource('*'),
        Condition: { IpAddress: { 'aws:SourceIp': '127.0.0.0/8' } },
      },
      { Effect: 'Deny', Principal: '*', Action: 's3:*', Resource: resource('closed/*') },
    ],
  };
  await s3().send(new PutBucketPolicyCommand({ Bucket: name, Policy: JSON.stringify(policy) }));
  const get = (who: Pair, Key: string) => codeOf(world.client(who).send(new GetObjectCommand({ Bucket: name, Key })));
  expect([await get(foreign, 'open/a'), await get(foreign, 'closed/a'), await get(pair, 'closed/a')]).toEqual([
    'no error',
    'AccessDenied',
    'AccessDenied',
  ]);
  expect(await get(await createPair(other, call), 'open/a')).toBe('AccessDenied');
  const unsupported = {
    ...policy,
    Statement: [{ ...policy.Statement[0], Condition: { DateLessThan: { 'aws:CurrentTime': '2030-01-01' } } }],
  };
  expect(
    await codeOf(s3().send(new PutBucketPolicyCommand({ Bucket: name, Policy: JSON.stringify(unsupported) }))),
  ).toBe('MalformedPolicy');
});

test('a public bucket is readable by everyone, and nothing in it may act as a page of this host', async () => {
  const name = await createBucket(acme, call);
  await member('PATCH', `/storage/buckets/${name}`, { acl: 'public-read' });
  await s3().send(
    new PutObjectCommand({ Bucket: name, Key: 'page.html', Body: '<script>1</script>', ContentType: 'text/html' }),
  );
  const answer = await plain('GET', `/${name}/page.html`);
  expect([answer.status, answer.headers['content-security-policy'], answer.headers['x-content-type-options']]).toEqual([
    200,
    'sandbox',
    'nosniff',
  ]);
  expect((await plain('PUT', `/${name}/x`, {}, 'x')).status).toBe(403);
});

test('a suspended project serves nothing, not even what is public', async () => {
  const project = await createProject('late');
  const owner = await createPair(project, call);
  const name = await createBucket(project, call);
  await call('PATCH', `/storage/buckets/${name}`, { token: project.users.member.token, body: { acl: 'public-read' } });
  const client = world.client(owner);
  await client.send(new PutObjectCommand({ Bucket: name, Key: 'a', Body: 'x' }));
  expect((await plain('GET', `/${name}/a`)).status).toBe(200);
  await query(sql`UPDATE projects SET status = 'suspended', suspended_at = now() WHERE id = ${project.id}::uuid`);
  expect((await plain('GET', `/${name}/a`)).status).toBe(403);
  expect(await codeOf(client.send(new GetObjectCommand({ Bucket: name, Key: 'a' })))).toBe('AccessDenied');
});

test('a name in any script can be asked for in an address, and adds no header', async () => {
  await put('named', 'x');
  const disposition = 'attachment; filename="日本\r\nX-Injected: 1.txt"';
  const { url } = presignedGet('named', { 'response-content-disposition': disposition });
  const answer = await fetch(url);
  expect([answer.status, answer.headers.get('x-injected')]).toEqual([200, null]);
  const bytes = Buffer.from(answer.headers.get('content-disposition') ?? '', 'latin1');
  expect(bytes.toString('utf8')).toBe('attachment; filename="日本  X-Injected: 1.txt"');
});

test('what the database refuses of small objects that come together harms no other', async () => {
  const version = (key: string, content_type: string) => ({
    key,
    content_type,
    bucket_id: '',
    headers: {},
    tags: null,
    acl: null,
    checksum: null,
    size: 1,
    etag: key,
  });
  const [row] = await query<{ id: string }>(sql`SELECT id FROM buckets WHERE name = ${bucket}::text`);
  // The database can't hold the character zero.
  const types = ['text/plain', 'text/\0', 'text/plain', 'text/plain'];
  const outcomes = await Promise.allSettled(
    types.map((type, index) =>
      putSmallObject({ ...version(`mixed/${index}`, type), bucket_id: row?.id ?? '' }, Buffer.from('x'), undefined),
    ),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect((await read('mixed/3')).toString()).toBe('x');
  expect(await codeOf(read('mixed/1'))).toBe('NoSuchKey');
});

test('small objects that come together are new, replaced and kept as their bucket says, each with its own bytes', async () => {
  const name = await createBucket(acme, call);
  const all = async (round: number) => {
    const keys = Array.from({ length: 10 }, (_, index) => `${index % 2 === 0 ? 'same' : round}/${index}`);
    await Promise.all(keys.map((key) => put(key, `${key} ${round}`.repeat(round), name)));
    for (const key of keys) expect((await read(key, name)).toString()).toBe(`${key} ${round}`.repeat(round));
  };
  await all(1);
  await all(2);
  await s3().send(new PutBucketVersioningCommand({ Bucket: name, VersioningConfiguration: { Status: 'Enabled' } }));
  await all(3);
  await all(4);
  await foldBucketChanges();
  const { objects, used, versions, sum } = await queryRow<{
    objects: number;
    used: number;
    versions: number;
    sum: number;
  }>(sql`SELECT b.objects::int AS objects, b.used_bytes::int AS used, count(*)::int AS versions, sum(v.size_bytes)::int AS sum
    FROM buckets b JOIN object_versions v ON v.bucket_id = b.id WHERE b.name = ${name}::text GROUP BY b.id`);
  expect([objects, versions, used]).toEqual([25, 35, sum]);
});

test('a tag can not hold what the database can not', async () => {
  const tagged = s3().send(new PutObjectCommand({ Bucket: bucket, Key: 'zero', Body: 'x', Tagging: 'a=%00' }));
  expect(await codeOf(tagged)).toBe('InvalidTag');
});

test('digests of small bodies are compared as well', async () => {
  const client = s3();
  client.middlewareStack.add(
    (next) => (args) => {
      const sent = args.request as { headers: Record<string, string> };
      sent.headers['x-amz-checksum-crc32'] = 'AAAAAA==';
      return next(args);
    },
    { step: 'build', priority: 'low' },
  );
  const wish = new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration: { Status: 'Suspended' } });
  expect(await codeOf(client.send(wish))).toBe('BadDigest');
});

describe('object lock', () => {
  const DAY = 86_400;
  const lockedBucket = async () => {
    const Bucket = `locked-${Math.random().toString(36).slice(2, 10)}`;
    await s3().send(new CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: true }));
    return Bucket;
  };
  const inDays = (days: number) => new Date(now().getTime() + days * DAY * 1000);
  const putLocked = async (Bucket: string, Key: string, more: Partial<PutObjectCommandInput> = {}) => {
    const { VersionId } = await s3().send(new PutObjectCommand({ Bucket, Key, Body: Key, ...more }));
    return { Bucket, Key, VersionId };
  };
  const drop = (target: { Bucket: string; Key: string; VersionId: string | undefined }, bypass = false) =>
    codeOf(s3().send(new DeleteObjectCommand({ ...target, ...(bypass ? { BypassGovernanceRetention: true } : {}) })));

  test('keeps a version from everyone until it ends; governance can be bypassed, compliance cannot', async () => {
    const Bucket = await lockedBucket();
    const lock = (ObjectLockMode: 'GOVERNANCE' | 'COMPLIANCE') => ({
      ObjectLockMode,
      ObjectLockRetainUntilDate: inDays(2),
    });
    const governed = await putLocked(Bucket, 'governed', lock('GOVERNANCE'));
    const comply = await putLocked(Bucket, 'comply', lock('COMPLIANCE'));
    expect([await drop(governed), await drop(comply), await drop(comply, true)]).toEqual(Array(3).fill('AccessDenied'));
    expect(
      (await member('DELETE', `/storage/buckets/${Bucket}/objects/comply?version_id=${comply.VersionId}`)).status,
    ).toBe(409);
    // A marker hides the object and leaves the version.
    expect(await drop({ ...comply, VersionId: undefined })).toBe('no error');
    expect(await drop(governed, true)).toBe('no error');
    const many = await s3().send(
      new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: 'comply', VersionId: comply.VersionId }] } }),
    );
    expect(many.Errors?.map(({ Code }) => Code)).toEqual(['AccessDenied']);
    // Signatures have the time of their clients, so not over the wire.
    await setTestClock(3 * DAY * 1000);
    try {
      const { id } = await queryRow<{ id: string }>(sql`SELECT id FROM buckets WHERE name = ${Bucket}::text`);
      expect(await deleteObject(id, 'comply', comply.VersionId, {})).toMatchObject({ existed: true });
    } finally {
      await setTestClock(0);
    }
  });

  test('is given by the bucket, can be extended, and not shortened', async () => {
    const Bucket = await lockedBucket();
    const rule = {
      ObjectLockEnabled: 'Enabled' as const,
      Rule: { DefaultRetention: { Mode: 'GOVERNANCE' as const, Days: 10 } },
    };
    await s3().send(new PutObjectLockConfigurationCommand({ Bucket, ObjectLockConfiguration: rule }));
    // Small ones together, a file, and one in parts.
    const made = await Promise.all([
      putLocked(Bucket, 'a'),
      putLocked(Bucket, 'b'),
      putLocked(Bucket, 'file', { Body: Buffer.alloc(50_000) }),
    ]);
    const { UploadId } = await s3().send(new CreateMultipartUploadCommand({ Bucket, Key: 'parts' }));
    const { ETag } = await s3().send(
      new UploadPartCommand({ Bucket, Key: 'parts', UploadId, PartNumber: 1, Body: 'x' }),
    );
    const done = await s3().send(
      new CompleteMultipartUploadCommand({
        Bucket,
        Key: 'parts',
        UploadId,
        MultipartUpload: { Parts: [{ ETag, PartNumber: 1 }] },
      }),
    );
    for (const target of [...made, { Bucket, Key: 'parts', VersionId: done.VersionId }]) {
      const head = await s3().send(new HeadObjectCommand(target));
      expect([head.ObjectLockMode, head.ObjectLockRetainUntilDate]).toEqual(['GOVERNANCE', expect.any(Date)]);
      expect(Math.abs((head.ObjectLockRetainUntilDate?.getTime() ?? 0) - inDays(10).getTime())).toBeLessThan(60_000);
      expect(await drop(target)).toBe('AccessDenied');
    }
    const [first] = made;
    const retain = (days: number, Mode: 'GOVERNANCE' | 'COMPLIANCE', bypass = false) =>
      codeOf(
        s3().send(
          new PutObjectRetentionCommand({
            ...first,
            Retention: { Mode, RetainUntilDate: inDays(days) },
            ...(bypass ? { BypassGovernanceRetention: true } : {}),
          }),
        ),
      );
    expect([await retain(20, 'GOVERNANCE'), await retain(5, 'GOVERNANCE'), await retain(20, 'COMPLIANCE')]).toEqual([
      'no error',
      'AccessDenied',
      'AccessDenied',
    ]);
    expect([
      await retain(5, 'GOVERNANCE', true),
      await retain(6, 'COMPLIANCE', true),
      await retain(5, 'COMPLIANCE', true),
    ]).toEqual(['no error', 'no error', 'AccessDenied']);
  });

  test('holds a version as long as somebody says', async () => {
    const Bucket = await lockedBucket();
    const target = await putLocked(Bucket, 'held', { ObjectLockLegalHoldStatus: 'ON' });
    const hold = (Status: 'ON' | 'OFF') =>
      s3().send(new PutObjectLegalHoldCommand({ ...target, LegalHold: { Status } }));
    expect([await drop(target), await drop(target, true)]).toEqual(['AccessDenied', 'AccessDenied']);
    await hold('OFF');
    expect(await drop(target)).toBe('no error');
  });

  test('needs a bucket that keeps versions, and stays', async () => {
    const Bucket = await lockedBucket();
    const suspend = new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Suspended' } });
    expect(await codeOf(s3().send(suspend))).toBe('InvalidBucketState');
    expect((await member('PATCH', `/storage/buckets/${Bucket}`, { versioning: false })).status).toBe(409);
    const plainBucket = await createBucket(acme, call);
    const rule = { Bucket: plainBucket, ObjectLockConfiguration: { ObjectLockEnabled: 'Enabled' as const } };
    expect(await codeOf(s3().send(new PutObjectLockConfigurationCommand(rule)))).toBe('InvalidBucketState');
    expect(await codeOf(putLocked(plainBucket, 'x', { ObjectLockLegalHoldStatus: 'ON' }))).toBe('InvalidRequest');
    const made = await member('POST', '/storage/buckets', { name: `${Bucket}-api`, object_lock: true });
    expect(made.body).toMatchObject({ object_lock: true, versioning: 'enabled' });
  });

  test('outlives lifecycle rules', async () => {
    const Bucket = await lockedBucket();
    const kept = await putLocked(Bucket, 'a', { ObjectLockMode: 'COMPLIANCE', ObjectLockRetainUntilDate: inDays(100) });
    const gone = await putLocked(Bucket, 'b');
    for (const Key of ['a', 'b']) await s3().send(new DeleteObjectCommand({ Bucket, Key }));
    const rule = { id: 'old', enabled: true, prefix: '', tags: {}, noncurrentDays: 1 };
    expect((await member('PATCH', `/storage/buckets/${Bucket}`, { lifecycle: [rule] })).status).toBe(200);
    await setTestClock(5 * DAY * 1000);
    try {
      await applyLifecycle(new AbortController().signal);
      const left = await query<{
        version_id: string;
      }>(sql`SELECT v.version_id FROM object_versions v JOIN buckets b ON b.id = v.bucket_id
        WHERE b.name = ${Bucket}::text AND NOT v.delete_marker`);
      expect([kept.VersionId, gone.VersionId].map((id) => left.some((row) => row.version_id === id))).toEqual([
        true,
        false,
      ]);
    } finally {
      await setTestClock(0);
    }
  });
});

function presignedGet(key: string, parameters: Record<string, string>, name = bucket) {
  const url = presign({
    origin: world.url,
    path: `/${name}/${key}`,
    method: 'GET',
    query: parameters,
    headers: {},
    accessKey: pair.access_key,
    secret: pair.secret_key,
    region: 'us-east-1',
    at: now(),
    expiresIn: 60,
  });
  return { url };
}

describe('an address in the older version of signatures', () => {
  const older = (
    key: string,
    { method = 'GET', expires = Math.floor(now().getTime() / 1000) + 60, headers = '', query = '' } = {},
  ) => {
    const resource = `/${bucket}/${key}${query === '' ? '' : `?${query}`}`;
    const Signature = createHmac('sha1', pair.secret_key)
      .update(`${method}\n\n\n${expires}\n${headers}${resource}`)
      .digest('base64');
    const own = new URLSearchParams({ AWSAccessKeyId: pair.access_key, Expires: String(expires), Signature });
    return `/${bucket}/${key}?${query === '' ? '' : `${query}&`}${own}`;
  };

  test('sends and reads one object until it expires', async () => {
    expect((await plain('PUT', older('older/a', { method: 'PUT' }), { 'Content-Length': '4' }, 'text')).status).toBe(
      200,
    );
    expect(await plain('GET', older('older/a'))).toMatchObject({ status: 200, text: 'text' });
    const late = await plain('GET', older('older/a', { expires: Math.floor(now().getTime() / 1000) - 1 }));
    expect([late.status, late.text]).toEqual([403, expect.stringContaining('Request has expired')]);
    const far = await plain('GET', older('older/a', { expires: Math.floor(now().getTime() / 1000) + 700_000 }));
    expect(far.status).toBe(403);
  });

  test('is refused for another method, key, header, parameter or host than it was signed for', async () => {
    await put('older/b', 'text');
    await put(`${bucket}/older/b`, 'another');
    const address = older('older/b');
    expect((await plain('GET', address)).status).toBe(200);
    for (const [method, path, headers] of [
      ['DELETE', address, {}],
      ['GET', address.replace('older/b', 'older/a'), {}],
      ['GET', `${address}&versionId=null`, {}],
      ['GET', `${address}&attributes`, {}],
      ['GET', `${address}&Expires=9999999999`, {}],
      ['GET', address.replace(/Expires=\d+/, 'Expires=1'), {}],
      ['GET', address, { 'x-amz-acl': 'public-read' }],
      // By host, the same path means another key.
      ['GET', address, { Host: `${bucket}.${settings().s3.domain}` }],
    ] as const)
      expect([method, path, (await plain(method, path, headers)).status]).toEqual([method, path, 403]);
    expect(await plain('GET', older('older/b', { query: 'response-content-type=text/x' }))).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/x' },
    });
  });
});
