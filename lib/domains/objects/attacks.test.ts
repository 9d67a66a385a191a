import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import {
  GetObjectCommand,
  ListObjectsV2Command,
  PutBucketTaggingCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, test } from 'vitest';
import { now } from '@/lib/clock';
import { settings } from '@/lib/settings';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { createBucket } from '@/lib/testing/domains/objects';
import { createPair, objectWorld, type Pair } from '@/lib/testing/object-world';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { listenS3 } from './s3/server';
import { basicTime, presign, scopeOf, signingHeaders, signingKey } from './s3/signature';

// What an attacker can change on the way, and what can be hidden in names and bodies.

testDatabase();
const call = api();
const world = objectWorld();
let acme: TestProject;
let pair: Pair;
let bucket: string;

beforeAll(async () => {
  await setTestClock(0);
  acme = await createProject('acme');
  pair = await createPair(acme, call);
  bucket = await createBucket(acme, call);
});

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no error',
    (error) => error.name,
  );

type Sent = { body?: unknown; headers: Record<string, string> };

/** A client whose requests are changed after they are signed, as on the way. */
function altered(change: (sent: Sent) => void): S3Client {
  const client = world.client(pair);
  client.middlewareStack.add(
    (next) => (args) => {
      change(args.request as Sent);
      return next(args);
    },
    { step: 'finalizeRequest', priority: 'low' },
  );
  return client;
}

const address = (method: string, path: string, query: Record<string, string> = {}) =>
  presign({
    origin: world.url,
    path,
    method,
    query,
    headers: {},
    accessKey: pair.access_key,
    secret: pair.secret_key,
    region: 'us-east-1',
    at: now(),
    expiresIn: 60,
  });

/** Sends a path as it is: `fetch` would resolve `..` before it sends. */
function send(method: string, url: string, body?: string): Promise<{ status: number; text: string }> {
  const path = url.slice(world.url.length);
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(world.url);
    const sent = request({ hostname, port, method, path }, async (response) => {
      const pieces: Buffer[] = [];
      for await (const piece of response) pieces.push(piece);
      resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString() });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('what is changed after it was signed is refused', () => {
  test('a header', async () => {
    const client = altered(({ headers }) => {
      headers['x-amz-meta-owner'] = 'mallory';
    });
    const wish = new PutObjectCommand({ Bucket: bucket, Key: 'header', Body: 'x', Metadata: { owner: 'alice' } });
    expect(await codeOf(client.send(wish))).toBe('SignatureDoesNotMatch');
  });

  test('a body', async () => {
    const client = altered((sent) => {
      sent.body = 'other';
    });
    const wish = new PutObjectCommand({ Bucket: bucket, Key: 'body', Body: 'bytes' });
    expect(['XAmzContentSHA256Mismatch', 'BadDigest']).toContain(await codeOf(client.send(wish)));
  });

  const sha256 = (text: string, encoding: 'hex' | 'base64' = 'hex') =>
    createHash('sha256').update(text).digest(encoding);
  /** Sends chunks that are signed as `signed` and hold `held`, and a signed trailer with a checksum, changed by `alter`. */
  const stream = (
    path: string,
    [signed, held]: readonly [readonly string[], readonly string[]],
    alter?: (trailer: string) => string,
  ) => {
    const at = now();
    const scope = { date: basicTime(at).slice(0, 8), region: 'us-east-1' };
    const key = signingKey(pair.secret_key, scope);
    const headers = {
      'content-encoding': 'aws-chunked',
      'x-amz-decoded-content-length': String(held.join('').length),
      ...(alter && { 'x-amz-trailer': 'x-amz-checksum-sha256' }),
    };
    const more = signingHeaders({
      origin: world.url,
      path,
      method: 'PUT',
      query: {},
      headers,
      hash: `STREAMING-AWS4-HMAC-SHA256-PAYLOAD${alter ? '-TRAILER' : ''}`,
      accessKey: pair.access_key,
      secret: pair.secret_key,
      region: scope.region,
      at,
    });
    let previous = more.authorization?.slice(-64) ?? '';
    const sign = (kind: string, ...hashes: string[]) => {
      const lines = [`AWS4-HMAC-SHA256-${kind}`, basicTime(at), scopeOf(scope), previous, ...hashes];
      previous = createHmac('sha256', key).update(lines.join('\n')).digest('hex');
      return previous;
    };
    const frames = [...signed, ''].map((text, index) => {
      const signature = sign('PAYLOAD', sha256(''), sha256(text));
      const bytes = held[index] ?? '';
      return `${bytes.length.toString(16)};chunk-signature=${signature}\r\n${bytes}${bytes || !alter ? '\r\n' : ''}`;
    });
    const checksum = `x-amz-checksum-sha256:${sha256(held.join(''), 'base64')}`;
    const trailer = `${checksum}\r\nx-amz-trailer-signature:${sign('TRAILER', sha256(`${checksum}\n`))}\r\n\r\n`;
    const body = [...frames, ...(alter ? [alter(trailer)] : [])].join('');
    return fetch(`${world.url}${path}`, { method: 'PUT', headers: { ...headers, ...more }, body });
  };
  const textOf = async (key: string) =>
    (await world.client(pair).send(new GetObjectCommand({ Bucket: bucket, Key: key }))).Body?.transformToString();

  test('a chunk of a signed stream', async () => {
    const path = `/${bucket}/chunks`;
    const signed = ['first', 'second'];
    expect((await stream(path, [signed, signed])).status).toBe(200);
    for (const held of [
      ['first', 'sEcond'],
      ['second', 'first'],
    ]) {
      const refused = await stream(path, [signed, held]);
      expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('SignatureDoesNotMatch')]);
    }
    expect(await textOf('chunks')).toBe('firstsecond');
  });

  test('the trailer of a signed stream', async () => {
    const path = `/${bucket}/trailed`;
    const whole = ['whole'];
    const right = await stream(path, [whole, whole], (trailer) => trailer);
    expect([right.status, await right.text()]).toEqual([200, '']);
    const other = `x-amz-checksum-sha256:${sha256('other', 'base64')}`;
    for (const alter of [
      (trailer: string) => trailer.replace(/^.*/, other),
      (trailer: string) => trailer.replace(/signature:./, 'signature:x'),
      (trailer: string) => trailer.replace(/\r\nx-amz-trailer-signature.*/, ''),
      (trailer: string) => `x-amz-meta-more:1\r\n${trailer}`,
    ]) {
      const refused = await stream(path, [whole, whole], alter);
      expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('SignatureDoesNotMatch')]);
    }
    expect(await textOf('trailed')).toBe('whole');
  });

  test('and it leaves nothing', async () => {
    const { Contents = [] } = await world.client(pair).send(new ListObjectsV2Command({ Bucket: bucket }));
    expect(Contents.map(({ Key }) => Key)).not.toEqual(expect.arrayContaining([expect.stringMatching(/header|body/)]));
  });
});

describe('a presigned address', () => {
  test('is refused with another end, another beginning, a second end, or one after seven days', async () => {
    await world.client(pair).send(new PutObjectCommand({ Bucket: bucket, Key: 'timed', Body: 'x' }));
    const url = address('GET', `/${bucket}/timed`);
    expect((await fetch(url)).status).toBe(200);
    const later = basicTime(new Date(now().getTime() + 60_000));
    for (const changed of [
      url.replace('X-Amz-Expires=60', 'X-Amz-Expires=6000'),
      url.replace(/X-Amz-Date=\w+/, `X-Amz-Date=${later}`),
      `${url}&X-Amz-Expires=6000`,
      url.replace('?', '?X-Amz-Expires=6000&'),
    ]) {
      const { status, text } = await send('GET', changed);
      expect([changed, status, text]).toEqual([changed, 403, expect.stringContaining('SignatureDoesNotMatch')]);
    }
    const signed = (expiresIn: number) =>
      presign({
        ...{ origin: world.url, path: `/${bucket}/timed`, method: 'GET', query: {}, headers: {}, region: 'us-east-1' },
        ...{ accessKey: pair.access_key, secret: pair.secret_key, at: now(), expiresIn },
      });
    expect((await send('GET', signed(604_800))).status).toBe(200);
    const { status, text } = await send('GET', signed(604_801));
    expect([status, text]).toEqual([403, expect.stringContaining('must be between 1 second and a week')]);
  });
});

test.each([
  [-16, 'RequestTimeTooSkewed'],
  [-14, 'no error'],
  [14, 'no error'],
  [16, 'RequestTimeTooSkewed'],
])('a clock that is %i minutes off gets: %s', async (minutes, code) => {
  const client = world.client(pair, { systemClockOffset: minutes * 60_000 });
  expect(await codeOf(client.send(new ListObjectsV2Command({ Bucket: bucket })))).toBe(code);
});

describe('a key that looks like a path', () => {
  test.each(['../../etc/passwd', 'a/../b', './a', 'a/%2e%2e/b', '..%2f..%2fb', 'C:\\b', '/abs', 'a//b'])(
    '(%s) is a name and no more',
    async (Key) => {
      const client = world.client(pair);
      await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: Key }));
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key }));
      expect(await Body?.transformToString()).toBe(Key);
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: Key }));
      expect(Contents.map((found) => found.Key)).toEqual([Key]);
    },
  );

  test('does not lead into another bucket', async () => {
    const other = await createBucket(acme, call);
    await world.client(pair).send(new PutObjectCommand({ Bucket: other, Key: 'k', Body: 'of the other' }));
    for (const path of [`/${bucket}/../${other}/k`, `/${bucket}/%2e%2e/${other}/k`]) {
      const { status, text } = await send('GET', `${world.url}${path}`);
      expect([path, status, text.includes('of the other')]).toEqual([path, 403, false]);
    }
  });

  test('gives no file its name', async () => {
    await world
      .client(pair)
      .send(new PutObjectCommand({ Bucket: bucket, Key: '../../large', Body: Buffer.alloc(9000) }));
    const names = readdirSync(join(settings().dataDir, 'objects'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(name).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  test('is refused with a NUL', async () => {
    const { status, text } = await send('PUT', address('PUT', `/${bucket}/a%00b`), 'x');
    expect([status, text]).toEqual([400, expect.stringMatching(/<Code>Invalid\w+<\/Code>/)]);
  });

  test('is refused when it is longer than 1,024 bytes, also in many bytes a character', async () => {
    for (const Key of ['k'.repeat(1025), '日'.repeat(342)])
      expect(await codeOf(world.client(pair).send(new PutObjectCommand({ Bucket: bucket, Key, Body: 'x' })))).toBe(
        'KeyTooLongError',
      );
  });
});

describe('a document that is no plain XML is refused', () => {
  const tagged = (inside: string) =>
    `<Tagging><TagSet><Tag><Key>a</Key><Value>${inside}</Value></Tag></TagSet></Tagging>`;
  /** Sends a signed document in place of the client's. */
  const sendXml = (document: string) => {
    const client = world.client(pair);
    client.middlewareStack.add(
      (next) => (args) => {
        const sent = args.request as Sent;
        sent.body = document;
        sent.headers['content-length'] = String(Buffer.byteLength(document));
        sent.headers['content-md5'] = createHash('md5').update(document).digest('base64');
        for (const name of Object.keys(sent.headers))
          if (/^x-amz-(checksum|sdk-checksum)/.test(name)) delete sent.headers[name];
        return next(args);
      },
      { step: 'build', priority: 'low' },
    );
    return client.send(
      new PutBucketTaggingCommand({ Bucket: bucket, Tagging: { TagSet: [{ Key: 'a', Value: 'b' }] } }),
    );
  };

  test('while plain XML is taken', async () => {
    expect(await codeOf(sendXml(tagged('b')))).toBe('no error');
  });

  test.each([
    [
      'entities that multiply',
      `<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>${tagged('&c;')}`,
    ],
    ['a file of the host', `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>${tagged('&a;')}`],
    ['elements in elements without end', `${'<a>'.repeat(100_000)}${'</a>'.repeat(100_000)}`],
    ['no end', '<Tagging><TagSet>'],
  ])('%s', async (_, document) => {
    const begun = performance.now();
    expect(await codeOf(sendXml(document))).toBe('MalformedXML');
    expect(performance.now() - begun).toBeLessThan(5000);
  });

  test('more of it than is read', async () => {
    expect(await codeOf(sendXml(tagged(' '.repeat(4 * 1024 ** 2))))).toBe('MaxMessageLengthExceeded');
  });
});

test('a head that comes slowly, or never ends, is refused', async () => {
  const { port, stop } = await listenS3({ host: '127.0.0.1', port: 0 }, { take: () => () => {} }, 60);
  const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: x\r\n'));
  const dripping = setInterval(() => socket.write('x: y\r\n'), 5);
  let answer = '';
  socket.on('data', (piece) => {
    answer += piece.toString('latin1');
  });
  socket.on('error', () => {});
  await once(socket, 'close');
  clearInterval(dripping);
  await stop();
  expect(answer).toMatch(/^HTTP\/1\.1 400[\s\S]*<Code>RequestTimeout<\/Code>/);
});

describe('one request is one', () => {
  /** What the server answers to bytes of a connection until it closes it. */
  const raw = (text: string) =>
    new Promise<string>((resolve) => {
      const { hostname, port } = new URL(world.url);
      const socket = connect(Number(port), hostname, () => socket.end(text));
      let answer = '';
      socket.on('data', (piece) => {
        answer += piece.toString('latin1');
      });
      socket.on('error', () => {});
      socket.on('close', () => resolve(answer));
    });
  const hidden = 'GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n';

  test.each([
    ['a length and chunks', `Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`],
    ['two lengths', `Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`],
    ['a length that is no number', `Content-Length: +5\r\n\r\n${hidden}`],
    ['chunks that are not named last', `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${hidden}`],
  ])('with %s it is refused, and what follows is no request', async (_, rest) => {
    const answer = await raw(`PUT /${bucket}/smuggled HTTP/1.1\r\nHost: x\r\n${rest}`);
    expect(answer.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 400']);
  });
});

describe('who is refused is told why', () => {
  /** Sends a head and a body as most clients do, which read nothing before they have sent everything. */
  const sendFirst = (head: string, body: readonly Buffer[]) =>
    new Promise<{ answer: string; failed: string }>((resolve) => {
      const { hostname, port } = new URL(world.url);
      const socket = connect(Number(port), hostname);
      let [answer, failed] = ['', ''];
      socket.pause();
      socket.on('data', (piece) => {
        answer += piece.toString('latin1');
      });
      socket.on('error', (error) => {
        failed = error.message;
      });
      socket.on('close', () => resolve({ answer, failed }));
      socket.write(head);
      for (const piece of body) socket.write(piece);
      socket.write('', () => socket.resume());
    });
  const megabytes = (count: number) => Array.from({ length: count }, () => Buffer.alloc(1024 ** 2, 'x'));
  const head = (url: string, more: string) =>
    `PUT ${url.slice(world.url.length)} HTTP/1.1\r\nHost: ${new URL(world.url).host}\r\n${more}\r\n\r\n`;
  const forged = () => address('PUT', `/${bucket}/forged`).replace(/Signature=..../, 'Signature=0000');

  test('also while it still sends, before and in the middle of its body', async () => {
    const refused = await sendFirst(head(forged(), `Content-Length: ${24 * 1024 ** 2}`), megabytes(24));
    expect(refused).toEqual({ answer: expect.stringMatching(/^HTTP\/1\.1 403[\s\S]*<\/Error>$/), failed: '' });
    // Wrong frames are found while the body is read.
    const body = [Buffer.from('1000000\r\n'), ...megabytes(24)];
    const path = `/${bucket}/framed`;
    const headers = {
      'content-length': String(Buffer.concat(body).length),
      'x-amz-decoded-content-length': String(24 * 1024 ** 2),
    };
    const signing = signingHeaders({
      origin: world.url,
      path,
      method: 'PUT',
      query: {},
      headers,
      hash: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
      accessKey: pair.access_key,
      secret: pair.secret_key,
      region: 'us-east-1',
      at: now(),
    });
    const lines = Object.entries({ ...headers, ...signing }).map(([name, value]) => `${name}: ${value}`);
    const framed = await sendFirst(head(`${world.url}${path}`, lines.join('\r\n')), body);
    expect(framed).toEqual({ answer: expect.stringMatching(/^HTTP\/1\.1 400[\s\S]*<\/Error>$/), failed: '' });
    expect(framed.answer).toContain('IncompleteBody');
  });

  test('but not while it sends without end', async () => {
    const [frame, more] = [`100000\r\n${'x'.repeat(1024 ** 2)}\r\n`, head(forged(), 'Transfer-Encoding: chunked')];
    const { hostname, port } = new URL(world.url);
    const socket = connect(Number(port), hostname);
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.on('error', () => {});
    socket.resume();
    socket.write(more);
    let sent = 0;
    while (!socket.destroyed && sent < 500)
      await new Promise<void>((resolve) => {
        sent += 1;
        socket.write(frame, () => resolve());
      });
    await closed;
    expect(sent).toBeLessThan(200);
  });

  test('before it sends, if it asks', async () => {
    const ask = (url: string) =>
      new Promise<{ status: number | undefined; continued: boolean }>((resolve, reject) => {
        const sent = request(url, { method: 'PUT', headers: { 'Content-Length': 5_000_000, Expect: '100-continue' } });
        let continued = false;
        sent.on('continue', () => {
          continued = true;
          sent.end(Buffer.alloc(5_000_000));
        });
        sent.on('response', (response) => {
          response.resume();
          response.on('end', () => {
            resolve({ status: response.statusCode, continued });
            sent.destroy();
          });
        });
        sent.on('error', reject);
        sent.flushHeaders();
      });
    expect(await ask(forged())).toEqual({ status: 403, continued: false });
    expect(await ask(address('PUT', `/${bucket}/asked`))).toEqual({ status: 200, continued: true });
  });
});
