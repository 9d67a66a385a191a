import {
  CreateBucketCommand,
  DeleteBucketCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { execute, query, queryRow } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { settings } from '@/lib/settings';
import { noCeph, startOutsideStore } from '@/lib/testing/ceph';
import { testDatabase } from '@/lib/testing/database';
import { createPair, objectWorld, type Pair } from '@/lib/testing/object-world';
import { api, createMember, createProject, type TestProject } from '@/lib/testing/world';
import { KeyKeeper } from './external/keys';
import { readSizes } from './external/sizes';
import { foldBucketChanges, writeSent } from './store/usage';

/** What the tenant API promises, whichever store keeps the buckets: the platform's own, or Debian's Ceph with its RADOS gateway. */

testDatabase();
const call = api();
const own = objectWorld();
const signal = new AbortController().signal;

type Engine = {
  name: string;
  missing: string;
  /** Points the platform to the store. */
  start(): Promise<() => Promise<void>>;
  /** What jobs do every few seconds. */
  keep(): Promise<void>;
};

const keeper = new KeyKeeper();

const engines: Engine[] = [
  {
    name: 'the platform’s own store',
    missing: '',
    start: async () => async () => {},
    async keep() {
      await writeSent();
      await foldBucketChanges();
    },
  },
  {
    name: 'Ceph',
    missing: noCeph,
    async start() {
      return (await startOutsideStore()).stop;
    },
    async keep() {
      await keeper.keep(signal);
      await readSizes(signal);
      await foldBucketChanges();
    },
  },
];

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no error',
    (error) => error.name,
  );

const client = ({ access_key, secret_key }: Pair) =>
  new S3Client({
    endpoint: settings().s3.url,
    region: settings().s3.region,
    forcePathStyle: true,
    credentials: { accessKeyId: access_key, secretAccessKey: secret_key },
    maxAttempts: 1,
    // Ceph of Debian 12 is older than the checksums that the SDK adds by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });

describe.each(engines)('with $name', ({ name, missing, start, keep }) => {
  if (missing) {
    test.skip(`(skipped: ${missing})`, () => {});
    return;
  }
  const prefix = name === 'Ceph' ? 'ceph' : 'own';
  let acme: TestProject;
  let other: TestProject;
  let pair: Pair;
  let stop: () => Promise<void>;
  let count = 0;
  const next = () => {
    count += 1;
    return count;
  };

  beforeAll(async () => {
    expect(own.url).toContain('127.0.0.1');
    stop = await start();
    acme = await createProject('acme');
    other = await createProject('other');
    pair = await createPair(acme, call);
  });
  afterAll(async () => stop?.());

  const as = (token: string) => (method: string, path: string, body?: unknown) =>
    call(method, `/storage${path}`, { token, ...(body ? { body } : {}) });
  const member = (method: string, path: string, body?: unknown) => as(acme.users.member.token)(method, path, body);
  async function bucket(settingsOf: object = {}): Promise<string> {
    const made = `${prefix}-bucket-${next()}`;
    const answer = await member('POST', '/buckets', { name: made, ...settingsOf });
    expect([answer.status, answer.body]).toEqual([201, expect.objectContaining({ name: made })]);
    return made;
  }
  const put = (Bucket: string, Key: string, Body: string | Buffer, by = pair) =>
    client(by).send(new PutObjectCommand({ Bucket, Key, Body }));
  const get = async (Bucket: string, Key: string, by = pair) =>
    (await client(by).send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString();

  describe('a key', () => {
    test('works at once, for all of the project and nothing of another', async () => {
      const mine = await bucket();
      await put(mine, 'a/b c', 'text');
      expect(await get(mine, 'a/b c')).toBe('text');
      const strange = await createPair(other, call);
      expect(await codeOf(get(mine, 'a/b c', strange))).toBe('AccessDenied');
      expect(await codeOf(put(mine, 'x', 'x', strange))).toBe('AccessDenied');
      expect((await as(other.users.member.token)('GET', `/buckets/${mine}`)).status).toBe(404);
      expect((await as(other.users.member.token)('GET', `/buckets/${mine}/objects`)).status).toBe(404);
    });

    test('with read access reads and does not write', async () => {
      const mine = await bucket();
      await put(mine, 'k', 'text');
      const reader = await createPair(acme, call, { access: 'read' });
      expect(await get(mine, 'k', reader)).toBe('text');
      expect(await codeOf(put(mine, 'k', 'other', reader))).toBe('AccessDenied');
      expect(await get(mine, 'k')).toBe('text');
    });

    test('ends at once when it is deleted', async () => {
      const mine = await bucket();
      const brief = await createPair(acme, call);
      await put(mine, 'k', 'text', brief);
      expect((await member('DELETE', `/credentials/${brief.id}`)).status).toBe(204);
      expect(await codeOf(get(mine, 'k', brief))).toBe('InvalidAccessKeyId');
    });

    test('ends with the membership of its maker, and may what their role allows', async () => {
      const mine = await bucket();
      const person = await createMember(acme.id, 'member');
      const theirs = await createPair(acme, call, {}, person.token);
      await put(mine, 'k', 'text', theirs);
      await execute(sql`UPDATE role_assignments SET role = 'reader' WHERE user_id = ${person.id}::uuid`);
      await keep();
      expect(await get(mine, 'k', theirs)).toBe('text');
      expect(await codeOf(put(mine, 'k', 'x', theirs))).toBe('AccessDenied');
      await execute(sql`DELETE FROM role_assignments WHERE user_id = ${person.id}::uuid`);
      await execute(sql`DELETE FROM memberships WHERE user_id = ${person.id}::uuid`);
      await keep();
      expect(await codeOf(get(mine, 'k', theirs))).toBe('InvalidAccessKeyId');
    });

    test('of a suspended project is refused until it is active again', async () => {
      const its = await createProject('paused');
      const key = await createPair(its, call);
      const list = () => codeOf(client(key).send(new CreateBucketCommand({ Bucket: `${prefix}-paused-${next()}` })));
      expect(await list()).toBe('no error');
      await execute(sql`UPDATE projects SET status = 'suspended' WHERE id = ${its.id}::uuid`);
      await keep();
      expect(['AccessDenied', 'UserSuspended']).toContain(await list());
      await execute(sql`UPDATE projects SET status = 'active' WHERE id = ${its.id}::uuid`);
      await keep();
      expect(await list()).toBe('no error');
    });
  });

  describe('a bucket', () => {
    test('has a name that nobody else can take', async () => {
      const mine = await bucket();
      for (const token of [acme.users.member.token, other.users.member.token])
        expect((await as(token)('POST', '/buckets', { name: mine })).status).toBe(409);
      const strange = await createPair(other, call);
      const taken = codeOf(client(strange).send(new CreateBucketCommand({ Bucket: mine })));
      expect(await taken).toBe('BucketAlreadyExists');
    });

    test('keeps its settings', async () => {
      const mine = await bucket({ quota_gb: 0.5, versioning: true });
      const lifecycle = [{ id: 'old', enabled: true, prefix: 'logs/', tags: {}, days: 30, noncurrentDays: 5 }];
      const cors = [
        { origins: ['https://a.example'], methods: ['GET'], headers: ['*'], exposed: ['ETag'], maxAge: 60 },
      ];
      const policy = JSON.stringify({
        Version: '2012-10-17',
        Statement: [
          { Effect: 'Deny', Principal: '*', Action: 's3:DeleteObject', Resource: `arn:aws:s3:::${mine}/keep/*` },
        ],
      });
      const change = { acl: 'public-read', quota_gb: 0.25, versioning: false, lifecycle, cors, policy };
      const answer = await member('PATCH', `/buckets/${mine}`, change);
      expect([answer.status, answer.body]).toMatchObject([200, { acl: 'public-read', has_policy: true }]);
      const { body } = await member('GET', `/buckets/${mine}`);
      expect(body).toMatchObject({ acl: 'public-read', quota_gb: 0.25, versioning: 'suspended', lifecycle, cors });
      const read = await member('GET', `/buckets/${mine}/policy`);
      expect(JSON.parse((read.body as { policy: string }).policy)).toEqual(JSON.parse(policy));
      await put(mine, 'keep/a', 'x');
      expect((await member('DELETE', `/buckets/${mine}/objects/keep/a`)).status).toBe(prefix === 'own' ? 204 : 409);
      const none = { acl: 'private', quota_gb: null, lifecycle: [], cors: [], policy: null };
      await member('PATCH', `/buckets/${mine}`, none);
      const after = (await member('GET', `/buckets/${mine}`)).body;
      expect(after).toMatchObject({ acl: 'private', quota_gb: null, lifecycle: [], cors: [], has_policy: false });
    });

    test('refuses a policy that is none', async () => {
      const mine = await bucket();
      for (const policy of ['{', '{"Statement": [{"Effect": "Perhaps"}]}']) {
        const answer = await member('PATCH', `/buckets/${mine}`, { policy });
        expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('policy: ')]);
      }
      expect((await member('GET', `/buckets/${mine}`)).body).toMatchObject({ has_policy: false });
    });

    test('is read by everyone while it is public, and by nobody else before and after', async () => {
      const mine = await bucket();
      await put(mine, 'page', 'hello');
      const url = `${settings().s3.url}/${mine}/page`;
      expect((await fetch(url)).status).toBe(403);
      await member('PATCH', `/buckets/${mine}`, { acl: 'public-read' });
      const answer = await fetch(url);
      expect([answer.status, await answer.text()]).toEqual([200, 'hello']);
      await member('PATCH', `/buckets/${mine}`, { acl: 'private' });
      expect((await fetch(url)).status).toBe(403);
    });

    test('takes no more than its quota', async () => {
      const mine = await bucket({ quota_gb: 0.001 });
      await put(mine, 'fits', Buffer.alloc(900_000));
      // Ceph trusts sizes that it has cached for a moment.
      await expect.poll(() => codeOf(put(mine, 'not', Buffer.alloc(900_000)))).toBe('QuotaExceeded');
    });

    test('is deleted when it is empty, and not before', async () => {
      const mine = await bucket();
      await put(mine, 'a', 'x');
      expect((await member('DELETE', `/buckets/${mine}`)).status).toBe(409);
      expect((await member('DELETE', `/buckets/${mine}/objects/a`)).status).toBe(204);
      const { body } = await member('POST', `/buckets/${mine}/objects/uploads`, { key: 'big', size_bytes: 5 });
      expect((await member('DELETE', `/buckets/${mine}`)).status).toBe(409);
      const { upload_id } = body as { upload_id: string };
      expect((await member('DELETE', `/buckets/${mine}/uploads/${upload_id}`)).status).toBe(204);
      expect((await member('DELETE', `/buckets/${mine}`)).status).toBe(204);
      expect((await member('GET', `/buckets/${mine}`)).status).toBe(404);
      expect(await codeOf(client(pair).send(new ListObjectsV2Command({ Bucket: mine })))).toBe('NoSuchBucket');
    });

    test('that an S3 client made or deleted is one of the project’s, or is gone', async () => {
      const made = `${prefix}-by-client`;
      await client(pair).send(new CreateBucketCommand({ Bucket: made }));
      const later = Date.now() + 120_000;
      if (prefix === 'ceph') await readSizes(signal, later);
      expect((await member('GET', `/buckets/${made}`)).body).toMatchObject({ name: made, acl: 'private' });
      await client(pair).send(new DeleteBucketCommand({ Bucket: made }));
      if (prefix === 'ceph') await readSizes(signal, later);
      expect((await member('GET', `/buckets/${made}`)).status).toBe(404);
    });
  });

  test('what a bucket holds and sends is billed', async () => {
    const mine = await bucket({ versioning: true });
    await put(mine, 'a', Buffer.alloc(70_000));
    await put(mine, 'a', Buffer.alloc(30_000));
    await get(mine, 'a');
    const billed = async () => {
      await keep();
      const { body } = await member('GET', `/buckets/${mine}`);
      const { id, used_bytes } = body as { id: string; used_bytes: number };
      const [span] = await query<{ quantity: string }>(
        sql`SELECT quantity FROM spans WHERE resource_id = ${id}::uuid AND ended_at IS NULL`,
      );
      const sent = await queryRow<{
        bytes: number;
      }>(sql`SELECT coalesce(sum(quantity), 0)::int AS bytes FROM usage_events
        WHERE resource_name = ${mine}::text AND metric = 'network_egress'`);
      return { used_bytes, held: Number(span?.quantity ?? 0), sent: sent.bytes };
    };
    const all = { used_bytes: 100_000, held: 100_000, sent: 30_000 };
    await expect.poll(billed, { timeout: 30_000, interval: 500 }).toEqual(all);
    expect(await billed()).toEqual(all);
  });

  describe('objects of the tenant API', () => {
    test('are listed in pages and folders, in the order of their bytes', async () => {
      const mine = await bucket();
      const keys = ['a b/ü+%', 'b/1', 'b/2', 'c', 'ä'];
      for (const key of keys) await put(mine, key, key);
      const seen: unknown[] = [];
      let cursor = '';
      for (;;) {
        const page = await member('GET', `/buckets/${mine}/objects?delimiter=/&limit=2${cursor}`);
        seen.push(
          ...(page.body as object[]).map((entry) =>
            'prefix' in entry ? entry.prefix : (entry as { key: string }).key,
          ),
        );
        const next = /cursor=([^&>]+)/.exec(page.headers.get('link') ?? '')?.[1];
        if (next === undefined) break;
        cursor = `&cursor=${next}`;
      }
      expect(seen).toEqual(['a b/', 'b/', 'c', 'ä']);
      for (const key of keys)
        expect((await member('DELETE', `/buckets/${mine}/objects/${encodeURIComponent(key)}`)).status).toBe(204);
      expect((await member('DELETE', `/buckets/${mine}/objects/c`)).status).toBe(404);
    });

    test('are copied, deleted together, and shown with their versions', async () => {
      const mine = await bucket({ versioning: true });
      await put(mine, 'from', 'one');
      await put(mine, 'from', 'two');
      const copied = await member('POST', `/buckets/${mine}/objects/copy`, { source_key: 'from', key: 'to here' });
      expect(copied.status).toBe(200);
      expect(await get(mine, 'to here')).toBe('two');
      const gone = await member('POST', `/buckets/${mine}/objects/delete`, { keys: ['from', 'to here'] });
      expect([gone.status, gone.body]).toEqual([200, { deleted: 2 }]);
      const { body } = await member('GET', `/buckets/${mine}/objects?versions=true`);
      expect(
        (body as { key: string; delete_marker: boolean; latest: boolean }[]).map((entry) => [
          entry.key,
          entry.delete_marker,
          entry.latest,
        ]),
      ).toEqual([
        ['from', true, true],
        ['from', false, false],
        ['from', false, false],
        ['to here', true, true],
        ['to here', false, false],
      ]);
    });

    test('are sent and read by presigned addresses, which end with the session', async () => {
      const mine = await bucket();
      const person = await createMember(acme.id, 'member');
      const sign = async (body: object) =>
        (await as(person.token)('POST', `/buckets/${mine}/objects/presign`, body)).body as {
          url: string;
          headers: Record<string, string>;
        };
      const up = await sign({ key: 'ü/x', method: 'PUT', content_type: 'text/plain' });
      expect((await fetch(up.url, { method: 'PUT', headers: up.headers, body: 'sent' })).status).toBe(200);
      const down = await sign({ key: 'ü/x', download: true });
      const answer = await fetch(down.url);
      expect([answer.headers.get('content-type'), await answer.text()]).toEqual(['text/plain', 'sent']);
      expect(answer.headers.get('content-disposition')).toContain('attachment');
      await keep();
      await execute(sql`DELETE FROM sessions WHERE user_id = ${person.id}::uuid`);
      await keep();
      expect((await fetch(down.url)).status).toBe(403);
    });

    test('arrive in parts, which the portal’s pages may send', async () => {
      const mine = await bucket();
      const bytes = Buffer.alloc(8 * 1024 ** 2 + 5, 'nephele');
      const begun = await member('POST', `/buckets/${mine}/objects/uploads`, { key: 'big', size_bytes: bytes.length });
      const { upload_id, part_size } = begun.body as { upload_id: string; part_size: number };
      const Origin = new URL(settings().baseUrl).origin;
      for (const part_number of [1, 2]) {
        const early = await member('POST', `/buckets/${mine}/uploads/${upload_id}/complete`);
        expect(early.status).toBe(409);
        const wish = { key: 'big', method: 'PUT', upload_id, part_number };
        const { url } = (await member('POST', `/buckets/${mine}/objects/presign`, wish)).body as { url: string };
        const body = bytes.subarray((part_number - 1) * part_size, part_number * part_size);
        const sent = await fetch(url, { method: 'PUT', body, headers: { Origin } });
        expect([sent.status, sent.headers.get('access-control-allow-origin')]).toEqual([200, Origin]);
      }
      const known = await member('GET', `/buckets/${mine}/uploads/${upload_id}`);
      expect(known.body).toMatchObject({
        key: 'big',
        size_bytes: bytes.length,
        part_size,
        parts: [{ part_number: 1 }, { part_number: 2 }],
      });
      expect((await member('GET', `/buckets/${mine}/uploads`)).body).toMatchObject([{ upload_id, key: 'big' }]);
      for (const again of [1, 2]) {
        const done = await member('POST', `/buckets/${mine}/uploads/${upload_id}/complete`);
        expect([again, done.status, done.body]).toEqual([again, 200, { key: 'big' }]);
      }
      const whole = await client(pair).send(new GetObjectCommand({ Bucket: mine, Key: 'big' }));
      expect(Buffer.from((await whole.Body?.transformToByteArray()) ?? []).equals(bytes)).toBe(true);
    });
  });
});

describe('a bucket in the store that S3_ENGINE does not name', () => {
  test('is refused with what to set, and never shown as empty', async () => {
    const acme = await createProject('acme');
    const name = 'in-the-own-store';
    const member = (method: string, path: string, body?: unknown) =>
      call(method, `/storage${path}`, { token: acme.users.member.token, ...(body ? { body } : {}) });
    await member('POST', '/buckets', { name });
    await execute(sql`UPDATE buckets SET external_id = 'elsewhere' WHERE name = ${name}::text`);
    const answer = await member('GET', `/buckets/${name}/objects`);
    expect([answer.status, answer.text]).toEqual([503, expect.stringContaining('S3_ENGINE=external')]);
  });
});
