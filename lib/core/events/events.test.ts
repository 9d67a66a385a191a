import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { now } from '@/lib/clock';
import { serve } from '@/lib/core/api/kernel';
import { newId } from '@/lib/core/db/id';
import { execute, pool } from '@/lib/core/db/pool';
import { prisma } from '@/lib/core/db/prisma';
import { sql } from '@/lib/core/db/sql';
import { secretEndpoints } from '@/lib/domains/secrets/endpoints';
import { registry } from '@/lib/metrics';
import { authenticate } from '@/lib/people/identity/authenticate';
import { signToken } from '@/lib/people/identity/session-token';
import { tokenEndpoints } from '@/lib/people/tokens/endpoints';
import { announceStop } from '@/lib/stopping';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { type Heard, hear } from '@/lib/testing/events';
import { api, createMember, createProject, createUser, type TestProject } from '@/lib/testing/world';
import { eventEndpoints, platformEventEndpoints } from './endpoints';

testDatabase();
const endpoints = [...eventEndpoints, ...platformEventEndpoints, ...secretEndpoints];
const app = serve(endpoints, authenticate);
const call = api(endpoints);
const tokens = api(tokenEndpoints);
let acme: TestProject;
let other: TestProject;
beforeAll(async () => {
  acme = await createProject('acme');
  other = await createProject('other');
});

const heard: Heard[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(heard.splice(0).map((stream) => stream.close()));
  await until(async () => expect(await openStreams()).toBe(0));
});

const until = (condition: () => Promise<void> | void) => vi.waitFor(condition, { timeout: 5000, interval: 5 });
const openStreams = async () => (await registry.getSingleMetric('nephele_event_streams')?.get())?.values[0]?.value;

async function request(token: string, path = '/api/v1/events'): Promise<Response> {
  return app.fetch(new Request(`http://localhost${path}`, { headers: { Authorization: `Bearer ${token}` } }));
}

/** Opens a stream and waits for its first event. */
async function open(token: string, path?: string): Promise<Heard> {
  const response = await request(token, path);
  if (!response.body) throw new Error('no stream');
  const stream = hear(response.body);
  heard.push(stream);
  await until(() => expect(stream.events[0]?.name).toBe('resync'));
  return stream;
}

const createSecret = (project: TestProject, name: string) =>
  call('POST', '/vault/secrets', { token: project.users.member.token, body: { name, type: 'opaque', payload: 'x' } });
const change = (topic: string) =>
  execute(sql`INSERT INTO changes (project_id, topic, at) VALUES (${acme.id}::uuid, ${topic}::text, now())`);

test('a stream begins with resync and the served version, and must not be buffered on its way', async () => {
  const response = await request(acme.users.reader.token);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-cache, no-transform');
  expect(response.headers.get('x-request-id')).toBeTruthy();
  const stream = await hear(response.body ?? new ReadableStream());
  heard.push(stream);
  await until(() => expect(stream.events).toEqual([{ name: 'resync', data: '{"version":"development"}' }]));
});

test('a change reaches the project’s members and the back office, and nobody else', async () => {
  const { token } = await createUser('root@example.test', 'backoffice');
  const mine = await open(acme.users.reader.token);
  const theirs = await open(other.users.admin.token);
  const all = await open(token, '/admin/api/v1/events');
  const { id } = (await createSecret(acme, 'heard')).body as { id: string };
  const own = (await createSecret(other, 'also')).body as { id: string };
  await until(() => expect(mine.hints).toEqual([{ topic: 'secret', resource_id: id }]));
  await until(() => expect(theirs.hints).toEqual([{ topic: 'secret', resource_id: own.id }]));
  await until(() => expect(all.hints).toHaveLength(2));
});

test('a change that belongs to a person without a project reaches only that person', async () => {
  const { reader, member } = acme.users;
  const theirs = await open(member.token);
  const own = await open(reader.token);
  await execute(sql`INSERT INTO changes (topic, resource_id, at) VALUES ('session', ${reader.id}::text, now())`);
  await until(() => expect(own.hints).toEqual([{ topic: 'session', resource_id: reader.id }]));
  expect(theirs.hints).toEqual([]);
});

test('a change that commits late is neither lost nor waited for', async () => {
  const stream = await open(acme.users.reader.token);
  const slow = await pool().connect();
  await slow.query('BEGIN');
  await slow.query(`INSERT INTO changes (project_id, topic, at) VALUES ('${acme.id}', 'slow', now())`);
  await change('quick');
  await until(() => expect(stream.hints).toEqual([{ topic: 'quick', resource_id: null }]));
  await slow.query('COMMIT');
  slow.release();
  await until(() => expect(stream.hints).toContainEqual({ topic: 'slow', resource_id: null }));
  expect(stream.hints).toHaveLength(2);
});

test('many concurrent changes each arrive once, whatever their commit order', async () => {
  const stream = await open(acme.users.reader.token);
  const names = Array.from({ length: 300 }, (_, n) => `change-${n}`);
  await Promise.all(
    names.map(async (name, n) => {
      const client = await pool().connect();
      await client.query('BEGIN');
      await client.query(`INSERT INTO changes (project_id, topic, at) VALUES ('${acme.id}', '${name}', now())`);
      if (n % 3 === 0) await client.query('SELECT count(*) FROM generate_series(1, 2000)');
      await client.query(n % 10 === 9 ? 'ROLLBACK' : 'COMMIT');
      client.release();
    }),
  );
  const committed = names.filter((_, n) => n % 10 !== 9);
  await until(() => expect(stream.hints.length).toBeGreaterThanOrEqual(committed.length));
  const topics = stream.hints.map((hint) => (hint as { topic: string }).topic);
  expect(topics.sort()).toEqual(committed.sort());
});

test('a reader that falls behind gets a resync', async () => {
  const response = await request(acme.users.reader.token);
  const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
  const text = async () => new TextDecoder().decode((await reader.read()).value);
  expect(await text()).toContain('event: resync');
  const witness = await open(acme.users.member.token);
  const flood = (n: number) =>
    execute(sql`INSERT INTO changes (project_id, topic, resource_id, at)
    SELECT ${acme.id}::uuid, 'flood', n::text, now() FROM generate_series(1, ${n}::int) n`);
  await flood(800);
  await until(() => expect(witness.events.length).toBeGreaterThan(1));
  expect(await text()).toMatch(/^event: resync\ndata: \{"version":"development"\}\n\n/);
  await flood(5000);
  await until(() => expect(witness.events.filter(({ name }) => name === 'resync').length).toBeGreaterThan(1));
  await reader.cancel();
});

test.each<[what: string, end: (user: { id: string; token: string }) => Promise<unknown>]>([
  [
    'session is revoked',
    ({ id }) => execute(sql`UPDATE sessions SET revoked_at = platform_now() WHERE user_id = ${id}::uuid`),
  ],
  ['membership ends', ({ id }) => execute(sql`DELETE FROM memberships WHERE user_id = ${id}::uuid`)],
  ['project is suspended', () => execute(sql`UPDATE projects SET status = 'suspended' WHERE id = ${other.id}::uuid`)],
])('a stream ends on its caller’s %s', async (_, end) => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  const user = await createMember(other.id, 'reader');
  const stream = await open(user.token);
  const bytes = stream.bytes;
  await vi.advanceTimersByTimeAsync(15_000);
  await until(() => expect(stream.bytes).toBeGreaterThan(bytes));
  expect(stream.ended).toBe(false);
  await end(user);
  await vi.advanceTimersByTimeAsync(15_000);
  await until(() => expect(stream.ended).toBe(true));
  await execute(sql`UPDATE projects SET status = 'active'`);
});

test.each<[what: string, begin: () => Promise<{ token: string; end: () => Promise<unknown> }>]>([
  [
    'API token is revoked',
    async () => {
      const { id, token } = await apiToken();
      return { token, end: () => tokens('DELETE', `/auth/tokens/${id}`, { token: acme.users.member.token }) };
    },
  ],
  [
    'API token expires',
    async () => {
      const { token } = await apiToken(new Date(Date.now() + 60_000).toISOString());
      return { token, end: () => setTestClock(61_000) };
    },
  ],
  [
    'workload credentials expire',
    async () => ({ token: (await workload()).token, end: () => setTestClock(16 * 60_000) }),
  ],
  [
    'identity provider is deleted',
    async () => {
      const { id, token } = await workload();
      return { token, end: () => prisma().identityProvider.delete({ where: { id } }) };
    },
  ],
])('a stream ends within a minute of its caller’s %s', async (_, begin) => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  const { token, end } = await begin();
  const stream = await open(token);
  await end();
  await vi.advanceTimersByTimeAsync(60_000);
  await until(() => expect(stream.ended).toBe(true));
  await setTestClock(0);
});

async function apiToken(expires_at?: string): Promise<{ id: string; token: string }> {
  const body = { name: 'ci', role: 'reader', expires_at };
  const made = await tokens('POST', '/auth/tokens', { token: acme.users.member.token, body });
  return made.body as { id: string; token: string };
}

async function workload(): Promise<{ id: string; token: string }> {
  const id = newId();
  const at = now();
  const row = { name: id, issuer: 'https://ci.test', audience: 'x', conditions: {}, max_role: 'reader' };
  await prisma().identityProvider.create({ data: { ...row, id, project_id: acme.id, created_at: at, updated_at: at } });
  const claims = { sub: 'job', provider_id: id, role: 'reader' };
  return { id, token: await signToken('workload', claims, at, new Date(at.getTime() + 15 * 60_000)) };
}

test('streams are limited per caller, and a closed one makes room', async () => {
  const { token } = acme.users.admin;
  const streams = await Promise.all(Array.from({ length: 16 }, () => open(token)));
  const refused = await request(token);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('15');
  await streams[0]?.close();
  await until(async () => expect(await openStreams()).toBe(15));
  await open(token);
  await open(acme.users.reader.token);
});

test('a disconnected client leaves nothing behind', async () => {
  const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const leaving = new AbortController();
  const headers = { Authorization: `Bearer ${acme.users.reader.token}` };
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/events`, { headers, signal: leaving.signal });
  const stream = hear(response.body ?? new ReadableStream());
  await until(() => expect(stream.events).toHaveLength(1));
  await change('over-http');
  await until(() => expect(stream.hints).toEqual([{ topic: 'over-http', resource_id: null }]));
  leaving.abort();
  await until(async () => expect(await openStreams()).toBe(0));
  await fetch(`http://127.0.0.1:${port}/api/v1/events`, { method: 'HEAD', headers });
  server.closeAllConnections();
  server.close();
});

test('changes are read only while someone listens', async () => {
  const reads = async () => {
    const { rows } = await pool().query(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'nephele-listen' AND datname = current_database()`,
    );
    return rows[0].n;
  };
  await until(async () => expect(await reads()).toBe(0));
  const stream = await open(acme.users.reader.token);
  await open(acme.users.member.token);
  await until(async () => expect(await reads()).toBe(1));
  await stream.close();
  expect(await reads()).toBe(1);
});

test('a stream requires the reader role', async () => {
  expect((await request('nonsense')).status).toBe(401);
  const { token } = await createUser(`${newId()}@example.test`);
  expect((await request(token)).status).toBe(403);
});

test('in a suspended project, a user hears that it was resumed but nothing of its resources; a token hears nothing', async () => {
  const closed = await createProject('closed');
  const { id, token } = (
    await tokens('POST', '/auth/tokens', { token: closed.users.member.token, body: { name: 'ci', role: 'reader' } })
  ).body as { id: string; token: string };
  await execute(sql`UPDATE projects SET status = 'suspended' WHERE id = ${closed.id}::uuid`);
  const stream = await open(closed.users.reader.token);
  await execute(sql`INSERT INTO changes (project_id, topic, resource_id, at)
    VALUES (${closed.id}::uuid, 'api_token', ${id}::text, now()), (${closed.id}::uuid, 'tenant', ${closed.id}::text, now())`);
  await until(() => expect(stream.hints).toEqual([{ topic: 'tenant', resource_id: closed.id }]));
  expect((await request(token)).status).toBe(403);
});

test('all streams end when the process stops', async () => {
  const stream = await open(acme.users.reader.token);
  announceStop();
  await until(() => expect(stream.ended).toBe(true));
  globalThis.nepheleStopping = undefined;
});
