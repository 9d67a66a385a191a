import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import { connect, createServer as createTcpServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { listenOnLoopback } from '@/lib/testing/loopback';
import { type EgressProxy, type EgressRules, startEgressProxy } from './egress-proxy';

const folder = mkdtempSync(join(tmpdir(), 'neph-egress-'));
const socketPath = join(folder, 'egress.sock');
const servers: Server[] = [];
let proxy: EgressProxy | undefined;
let web = 0;
let echo = 0;
let resolved: string[] = [];

beforeAll(async () => {
  web = await listen(
    createServer((incoming, response) => {
      incoming
        .resume()
        .on('end', () => response.end(`${incoming.method} ${incoming.url} ${incoming.headers['x-own'] ?? ''}`));
    }),
  );
  echo = await listen(createTcpServer((socket) => socket.pipe(socket)));
});
afterEach(async () => {
  await proxy?.close();
  resolved = [];
});
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  return listenOnLoopback(server);
}

/** Every external name resolves to this machine, which the test operator allows. */
async function start(change: Partial<EgressRules> = {}) {
  const resolve = async (host: string) => {
    resolved.push(host);
    return [{ address: host === 'inside.test' ? '10.0.0.1' : '127.0.0.1', family: 4 }];
  };
  proxy = await startEgressProxy(socketPath, {
    policy: { allowed: ['127.0.0.1'], resolve },
    ports: [web, echo],
    mostConnections: 8,
    idleMs: 5_000,
    ...change,
  });
}

function get(url: string, headers: Record<string, string> = {}): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const call = request({
      socketPath,
      path: url,
      headers: { 'X-Own': 'kept', Connection: 'close, X-Hop', 'X-Hop': 'dropped', ...headers },
    });
    call.on('error', reject).on('response', async (response) => {
      let body = '';
      for await (const chunk of response) body += chunk;
      resolve({ status: response.statusCode ?? 0, body });
    });
    call.end();
  });
}

/** Opens a tunnel, sends the text and returns everything that comes back. */
function tunnel(target: string, send = '', enough = (text: string) => text.includes(send)): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(socketPath, () => socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`));
    socket.on('error', reject).on('close', () => resolve(text));
    socket.on('data', (chunk) => {
      const isNew = text === '';
      text += chunk.toString();
      if (isNew && text.startsWith('HTTP/1.1 200')) socket.write(send);
      else if (enough(text)) socket.end();
    });
  });
}

test('plain HTTP passes with end-to-end headers and without hop-by-hop headers', async () => {
  await start();
  expect(await get(`http://example.test:${web}/a?b=1`)).toEqual({ status: 200, body: 'GET /a?b=1 kept' });
});

test('a tunnel carries bytes both ways, and all of them are counted', async () => {
  await start();
  const sent = 'x'.repeat(100_000);
  expect(await tunnel(`example.test:${echo}`, sent)).toContain(sent);
  await expect.poll(() => proxy?.count()).toEqual({ sentBytes: 100_000, receivedBytes: 100_000 });
});

test('a name is resolved once per connection', async () => {
  await start();
  await get(`http://example.test:${web}/`);
  expect(resolved).toEqual(['example.test']);
});

test.each([
  ['a private address', () => `http://10.1.2.3:${web}/`],
  ['a loopback address of IPv6', () => `http://[::1]:${web}/`],
  ['the metadata service of a cloud', () => `http://169.254.169.254:${web}/`],
  ['a name that leads to a private address', () => `http://inside.test:${web}/`],
  ['a port that is not open', () => 'http://example.test:25/'],
])('%s is refused with a reason, as URL and as tunnel', async (_, url) => {
  await start();
  const answer = await get(url());
  expect(answer.status).toBe(403);
  expect(answer.body.trim()).not.toBe('');
  expect(await tunnel(new URL(url()).host)).toMatch(/^HTTP\/1.1 403 /);
  expect(proxy?.count()).toEqual({ sentBytes: 0, receivedBytes: 0 });
});

test('with an allow list, other hosts are not even resolved', async () => {
  await start({ allows: (host) => host === 'index.test' });
  expect((await get(`http://index.test:${web}/`)).status).toBe(200);
  expect((await get(`http://example.test:${web}/`)).status).toBe(403);
  expect(resolved).toEqual(['index.test']);
});

test('a request addressed to the proxy itself is refused', async () => {
  await start();
  expect((await get('/metrics')).status).toBe(403);
});

describe('the platform, at its own address', () => {
  const calls: { path: string | undefined; from: string | undefined; headers: IncomingHttpHeaders }[] = [];
  let platform = 0;
  beforeAll(async () => {
    platform = await listen(
      createServer((incoming, response) => {
        calls.push({ path: incoming.url, from: incoming.socket.remoteAddress, headers: incoming.headers });
        incoming.resume().on('end', () => response.end('the platform'));
      }),
    );
  });
  const open = (change: Partial<EgressRules> = {}) => {
    const listeners = [{ port: 80, to: { host: '127.0.0.1', port: platform }, paths: ['/api/v1/'] }];
    return start({ platform: { listeners, from: '127.230.1.2' }, ...change });
  };

  test('is reached at its API, which is not counted as egress', async () => {
    await open();
    expect(await get('http://platform.internal/api/v1/compute/instances?limit=1')).toEqual({
      status: 200,
      body: 'the platform',
    });
    expect(calls.at(-1)?.path).toBe('/api/v1/compute/instances?limit=1');
    expect(proxy?.count()).toEqual({ sentBytes: 0, receivedBytes: 0 });
  });

  test.each(['platform.internal', '169.254.80.80', '169.254.80.80:80'])(
    'is reached without a proxy as %s, under its one name and from its owner’s address',
    async (host) => {
      await open();
      expect(await get('/api/v1/auth/me?x=1', { host })).toMatchObject({ status: 200, body: 'the platform' });
      expect(calls.at(-1)).toMatchObject({ path: '/api/v1/auth/me?x=1', from: '127.230.1.2' });
      expect(calls.at(-1)?.headers.host).toBe('platform.internal');
    },
  );

  test.each([
    ['/admin/api/v1/tenants', 'platform.internal'],
    ['/metrics', '169.254.80.80'],
    ['/api/v1/auth/me', 'admin.example.test'],
    ['/api/v1/auth/me', 'localhost'],
    ['/api/v1/auth/me', 'platform.internal:5432'],
    ['//localhost/api/v1/', '@platform.internal'],
    ['http://127.0.0.1/api/v1/', 'platform.internal'],
  ])('does not serve %s to a direct call for %s when only the platform is open', async (path, host) => {
    await open({ ports: [], policy: { allowed: [], resolve: async () => [] } });
    const before = calls.length;
    expect(await get(path, { host })).toMatchObject({ status: 403 });
    expect(calls.length).toBe(before);
  });

  test('opens no tunnel when only the platform is open', async () => {
    await open({ ports: [], policy: { allowed: ['127.0.0.1'], resolve: async () => [] } });
    for (const target of [`127.0.0.1:${platform}`, 'platform.internal:80', `169.254.80.80:${platform}`]) {
      const client = connect(socketPath);
      client.write(`CONNECT ${target} HTTP/1.1\r\n\r\n`);
      expect(String(await new Promise((resolve) => client.once('data', resolve)))).toMatch(/^HTTP\/1.1 403/);
      client.destroy();
    }
  });

  test.each([
    '/metrics',
    '/admin/api/v1/tenants',
    '/api/v1',
    '/api/v1/../../admin/api/v1/tenants',
    '/api/v1/%2e%2e/%2e%2e/metrics',
    '/api/v1x/',
  ])('does not serve %s', async (path) => {
    await open();
    const before = calls.length;
    expect((await get(`http://platform.internal${path}`)).status).toBe(403);
    expect(calls.length).toBe(before);
  });

  test('is called as it was written where a signature covers host and path', async () => {
    const listeners = [{ port: 9000, to: { host: '127.0.0.1', port: platform }, paths: ['/'], asWritten: true }];
    await start({
      platform: { listeners, from: '127.230.1.2' },
      ports: [],
      policy: { allowed: [], resolve: async () => [] },
    });
    const path = '/bucket/a/../%2e%2e/b%2Fc?x=%20';
    for (const host of ['platform.internal:9000', '169.254.80.80:9000', 'someone@platform.internal:9000']) {
      expect(await get(path, { host })).toMatchObject({ status: 200 });
      expect(calls.at(-1)).toMatchObject({ path, headers: { host: host.replace('someone@', '') } });
      expect(await get(`http://${host}${path}`)).toMatchObject({ status: 200 });
      expect(calls.at(-1)).toMatchObject({ path, headers: { host: host.replace('someone@', '') } });
    }
    expect((await get(path, { host: 'platform.internal:9001' })).status).toBe(403);
  });

  test('drops headers of a service that claims to forward for others', async () => {
    await open();
    const forged = {
      'X-Forwarded-For': '203.0.113.9',
      Forwarded: 'for=203.0.113.9',
      'X-Nephele-Client-Address': '::1',
    };
    await get('http://platform.internal/api/v1/auth/me', { ...forged, Authorization: 'Bearer token' });
    expect(calls.at(-1)?.headers).toMatchObject({ authorization: 'Bearer token', host: 'platform.internal' });
    expect(Object.keys(calls.at(-1)?.headers ?? {}).filter((name) => /forwarded|nephele/.test(name))).toEqual([]);
  });
});

test('a sandbox cannot open more connections than its limit', async () => {
  await start({ mostConnections: 2 });
  const first = connect(socketPath);
  first.write(`CONNECT example.test:${echo} HTTP/1.1\r\n\r\n`);
  await new Promise((resolve) => first.once('data', resolve));
  expect(
    await get(`http://example.test:${web}/`).catch((error: Error) => ({ status: 503, body: error.message })),
  ).toMatchObject({
    status: 503,
  });
  first.destroy();
});

test('an idle connection is closed', async () => {
  await start({ idleMs: 50 });
  const idle = connect(socketPath);
  await new Promise((resolve) => idle.once('close', resolve));
});
