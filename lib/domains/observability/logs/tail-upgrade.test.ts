import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { serve } from '@/lib/core/api/kernel';
import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { findUpgrade } from '@/lib/core/net/upgrades';
import { authenticate } from '@/lib/people/identity/authenticate';
import { sessionCookies } from '@/lib/people/identity/cookies';
import { testDatabase } from '@/lib/testing/database';
import { listenOnLoopback } from '@/lib/testing/loopback';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { logEndpoints } from './endpoints';
import { LOKI_TAIL, serveLokiTail } from './tail-upgrade';
import { writeLogs } from './write';

testDatabase();

const app = serve(logEndpoints, authenticate);
const call = api();
serveLokiTail((request) => app.fetch(request));
const server = createServer();
server.on('upgrade', (request, socket, head) => findUpgrade(request.url ?? '')?.(request, socket, head));

let address = '';
let acme: TestProject;
let other: TestProject;
beforeAll(async () => {
  address = `ws://127.0.0.1:${await listenOnLoopback(server)}`;
  [acme, other] = await Promise.all([createProject('acme'), createProject('other')]);
});
afterAll(() => server.close());

const sockets: WebSocket[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const socket of sockets.splice(0)) socket.terminate();
});

const until = (condition: () => void) => vi.waitFor(condition, { timeout: 10_000, interval: 5 });
const write = (project: TestProject, ...texts: string[]) => {
  const labels = {
    service: 'compute',
    resource_id: 'r',
    resource_name: 'r',
    level: 'info',
    stream: 'console',
  } as const;
  return writeLogs(texts.map((text) => ({ project_id: project.id, labels, at: new Date(), text })));
};

const message = z.object({
  streams: z.array(
    z.object({ stream: z.record(z.string(), z.string()), values: z.array(z.tuple([z.string(), z.string()])) }),
  ),
  dropped_entries: z.array(z.object({ timestamp: z.string(), labels: z.record(z.string(), z.string()) })).optional(),
});

type Followed = { socket: WebSocket; messages: z.output<typeof message>[]; lines(): string[] };

/** An open connection, or the status and body of a refusal. */
async function connect(
  query: Record<string, string>,
  headers: Record<string, string>,
  path = LOKI_TAIL,
): Promise<Followed | { status: number | undefined; text: string }> {
  const socket = new WebSocket(`${address}${path}?${new URLSearchParams(query)}`, { headers });
  sockets.push(socket);
  const messages: Followed['messages'] = [];
  socket.on('message', (bytes) => messages.push(message.parse(JSON.parse(String(bytes)))));
  return new Promise((resolve) => {
    socket.on('open', () =>
      resolve({
        socket,
        messages,
        lines: () => messages.flatMap(({ streams }) => streams.flatMap(({ values }) => values.map(([, line]) => line))),
      }),
    );
    socket.on('unexpected-response', async (_, response) => {
      let text = '';
      for await (const part of response) text += part;
      resolve({ status: response.statusCode, text });
    });
    socket.on('error', () => {});
  });
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

async function follow(query: Record<string, string>, token: string): Promise<Followed> {
  const connected = await connect(query, bearer(token));
  if (!('socket' in connected)) throw new Error(connected.text);
  return connected;
}

test('the newest lines so far come first, then each new line, in the shape of Loki’s messages', async () => {
  await write(acme, 'one', 'two', 'three');
  await write(other, 'not theirs');
  const query = { query: '{service="compute"} !~ "skip"', limit: '2', delay_for: '5' };
  const followed = await follow(query, acme.users.reader.token);
  await until(() => expect(followed.lines()).toEqual(['two', 'three']));
  await write(other, 'not theirs either');
  await write(acme, 'skip this', 'four');
  await until(() => expect(followed.lines()).toEqual(['two', 'three', 'four']));
  expect(followed.messages.at(-1)).toMatchObject({
    streams: [
      {
        stream: { project: acme.id, service: 'compute', resource_name: 'r' },
        values: [[expect.stringMatching(/^\d{19}$/), 'four']],
      },
    ],
  });
});

test('a caller without a valid bearer token is refused, also with the cookie of a session', async () => {
  const query = { query: '{service="compute"}' };
  expect(await connect(query, {})).toMatchObject({ status: 401 });
  expect(await connect(query, bearer('neph_wrong'))).toMatchObject({ status: 401 });
  const cookie = `${sessionCookies().tenant}=${acme.users.reader.token}`;
  expect((await call('GET', '/observability/logs?query=%7Bservice%3D%22x%22%7D', { headers: { cookie } })).status).toBe(
    200,
  );
  expect(await connect(query, { cookie, origin: address.replace('ws', 'http') })).toMatchObject({ status: 401 });
});

test('a wrong query is refused with its place, and other paths are not found', async () => {
  const { token } = acme.users.reader;
  expect(await connect({ query: '{service="x"} | unpack' }, bearer(token))).toMatchObject({
    status: 400,
    text: expect.stringContaining('parse error at line 1, col 17'),
  });
  expect(await connect({ query: 'rate({service="x"}[1m])' }, bearer(token))).toMatchObject({ status: 400 });
  expect(await connect({}, bearer(token), `${LOKI_TAIL}/more`)).toMatchObject({ status: 404 });
});

test('a project has as many connections as event streams: the next one is refused, and closing makes room', async () => {
  const query = { query: '{service="none"}' };
  const { token } = other.users.reader;
  const open = await Promise.all(Array.from({ length: 20 }, () => follow(query, token)));
  expect(await connect(query, bearer(token))).toMatchObject({ status: 429 });
  const [first] = open;
  first?.socket.close();
  await until(() => expect(first?.socket.readyState).toBe(WebSocket.CLOSED));
  await vi.waitFor(async () => expect(await connect(query, bearer(token))).toHaveProperty('socket'), 15_000);
});

test('the connection closes soon after the session is revoked', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  const { token } = acme.users.member;
  const { socket } = await follow({ query: '{service="none"}' }, token);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(socket.readyState).toBe(WebSocket.OPEN);
  await execute(sql`UPDATE sessions SET revoked_at = platform_now() WHERE user_id = ${acme.users.member.id}::uuid`);
  const closing = once(socket, 'close');
  await vi.advanceTimersByTimeAsync(15_000);
  expect((await closing)[0]).toBe(1008);
});
