import { mkdtempSync } from 'node:fs';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { execute, queryRow } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { ownCell, settings } from '@/lib/settings';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { type MemoryEngines, useMemoryEngines } from '@/lib/testing/memory-engines';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { FunctionHost } from '../pool/host';
import type { CloudFunction } from '../schema';
import { FunctionFront } from './front';
import { functionSocket, URL_SOCKET } from './sockets';

testDatabase();
const call = api();
const folder = mkdtempSync(join(tmpdir(), 'front-'));
let acme: TestProject;
let engines: MemoryEngines;
let host: FunctionHost;
let front: FunctionFront;
let time = new Date();

beforeEach(async () => {
  await createCell();
  acme = await createProject('acme');
  engines = useMemoryEngines();
  host = new FunctionHost(ownCell());
  await host.look();
  front = new FunctionFront(ownCell(), () => time);
  await front.ensure(folder, []);
});
afterEach(async () => {
  await front.close();
  await host.end();
});

const create = async (url: object | undefined, change: object = {}) => {
  const answer = await call('POST', '/functions', {
    token: acme.users.member.token,
    body: { name: 'shop', template_id: 'python3.11', code: 'x = 1', ...(url ? { url } : {}), ...change },
  });
  expect(answer.status).toBe(201);
  return answer.body as CloudFunction;
};

type Sent = { method?: string; headers?: Record<string, string>; body?: string | Buffer; socket?: string };
type Got = { status: number; headers: IncomingHttpHeaders; body: Buffer };

const send = (path: string, { method = 'GET', headers = {}, body, socket = URL_SOCKET }: Sent = {}) =>
  new Promise<Got>((resolve, reject) => {
    const given = {
      host: `shop--fn.${acme.slug}.${settings().gatewayDomain}:8443`,
      'x-forwarded-for': '203.0.113.9',
      ...headers,
    };
    const request = httpRequest(
      { socketPath: join(folder, socket), path, method, headers: given },
      async (response) => {
        const pieces: Buffer[] = [];
        for await (const piece of response) pieces.push(piece);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(pieces) });
      },
    );
    request.on('error', reject).end(body);
  });
const starts = async () =>
  (
    await queryRow<{ n: number }>(
      sql`SELECT count(*)::int AS n FROM function_invocations WHERE project_id = ${acme.id}::uuid`,
    )
  ).n;

describe('the URL of a function', () => {
  test('turns a request into an event and its result into the response', async () => {
    let seen: unknown;
    engines.functions.handler = async (event) => {
      seen = event;
      return {
        kind: 'result',
        result: {
          statusCode: 201,
          headers: { 'X-Made': 'yes', Connection: 'close' },
          cookies: ['a=1', 'b=2'],
          body: '{"ok":true}',
        },
      };
    };
    const { id, url } = await create({ auth: 'none' });
    expect(url).toBe(
      `https://shop--fn.${acme.slug}.${settings().gatewayDomain}:${settings().gatewayHttpsPort}/`.replace(':443/', '/'),
    );
    const answer = await send('/buy/one?x=1&x=2&y=%20z', {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: 'c=3; d=4' },
      body: '{"n":1}',
    });
    expect(answer.status).toBe(201);
    expect(answer.body.toString()).toBe('{"ok":true}');
    expect(answer.headers).toMatchObject({ 'x-made': 'yes', 'set-cookie': ['a=1', 'b=2'] });
    expect(seen).toMatchObject({
      version: '2.0',
      routeKey: '$default',
      rawPath: '/buy/one',
      rawQueryString: 'x=1&x=2&y=%20z',
      queryStringParameters: { x: '1,2', y: ' z' },
      cookies: ['c=3', 'd=4'],
      headers: { 'content-type': 'application/json' },
      requestContext: { apiId: id, http: { method: 'POST', path: '/buy/one', sourceIp: '203.0.113.9' } },
      body: '{"n":1}',
      isBase64Encoded: false,
    });
  });

  test('carries bytes as base64, in both directions', async () => {
    engines.functions.handler = async (event) => ({
      kind: 'result',
      result: { statusCode: 200, body: (event as { body: string }).body, isBase64Encoded: true },
    });
    await create({ auth: 'none' });
    const bytes = Buffer.from([0, 255, 1, 254]);
    const answer = await send('/', { method: 'PUT', headers: { 'content-type': 'image/png' }, body: bytes });
    expect(answer.body).toEqual(bytes);
  });

  test('asks for a token of the project by default, and does not pass it on', async () => {
    let seen = '';
    engines.functions.handler = async (event) => {
      seen = JSON.stringify(event);
      return { kind: 'result', result: 'fine' };
    };
    await create({});
    const other = await createProject('other');
    const as = (token: string) => send('/', { headers: { authorization: `Bearer ${token}` } });
    expect((await send('/')).status).toBe(401);
    expect((await as('neph_wrong')).status).toBe(401);
    expect([401, 403]).toContain((await as(other.users.admin.token)).status);
    expect((await as(acme.users.reader.token)).status).toBe(403);
    expect(await starts()).toBe(0);
    expect((await as(acme.users.member.token)).status).toBe(200);
    expect(seen).not.toContain(acme.users.member.token);
  });

  test('says nothing of why a function failed', async () => {
    engines.functions.handler = async () => ({
      kind: 'error',
      error: { type: 'Error', message: 'my secret', stack: 'my stack' },
    });
    await create({ auth: 'none' });
    const failed = await send('/');
    expect([failed.status, failed.body.toString()]).toEqual([502, '{"message":"Internal Server Error"}']);
    engines.functions.handler = async () => ({ kind: 'ended', end: { reason: 'timeout' } });
    expect((await send('/')).status).toBe(504);
    engines.functions.handler = async () => ({
      kind: 'result',
      result: { statusCode: 200, headers: { bad: 'a\r\nb: c' } },
    });
    expect((await send('/')).status).toBe(502);
  });

  test('limits each caller, and what is refused is not billed', async () => {
    await create({ auth: 'none' });
    const rate = settings().functionUrlRatePerMinute;
    const answers: Got[] = [];
    while (answers.length < rate + 20)
      answers.push(...(await Promise.all(Array.from({ length: 20 }, (_, n) => send(`/${n}`)))));
    const isRefused = ({ body }: Got) => body.toString().includes('Too many requests');
    expect(answers.filter(isRefused)).toHaveLength(20);
    expect((await send('/', { headers: { 'x-forwarded-for': '203.0.113.10' } })).status).toBe(200);
    expect(isRefused(await send('/'))).toBe(true);
    time = new Date(time.getTime() + 60_000);
    expect((await send('/')).status).toBe(200);
    const run = answers.filter(({ status }) => status === 200).length;
    await vi.waitFor(async () => expect(await starts()).toBe(run + 2), 15_000);
  });

  test('is 404 without a URL, and 503 while the project is suspended', async () => {
    await create(undefined);
    expect((await send('/')).status).toBe(404);
    await create({ auth: 'none' }, { name: 'open' });
    await execute(sql`UPDATE projects SET status = 'suspended' WHERE id = ${acme.id}::uuid`);
    const host = `open--fn.${acme.slug}.${settings().gatewayDomain}`;
    expect((await send('/', { headers: { host } })).status).toBe(503);
  });
});

test('a route leads to its function by a socket of its own, without a URL and a token', async () => {
  engines.functions.handler = async (event) => ({ kind: 'result', result: (event as { rawPath: string }).rawPath });
  const { id } = await create(undefined);
  await front.ensure(folder, [id]);
  const answer = await send('/by/route', { socket: functionSocket(id), headers: { host: 'shop.example.org' } });
  expect([answer.status, answer.body.toString()]).toEqual([200, '/by/route']);
  await front.ensure(folder, []);
  await expect(send('/', { socket: functionSocket(id) })).rejects.toThrow();
});
