import { once } from 'node:events';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { prisma } from '@/lib/core/db/prisma';
import { testDatabase } from '@/lib/testing/database';
import { api, createMember, createProject, type TestProject } from '@/lib/testing/world';
import { endpoint } from './endpoint';
import { ApiError, conflict, type ErrorCode, errorStatus } from './errors';
import { displayName } from './schemas';

testDatabase();

/** All codes that ask the caller to retry. */
const temporary = (['RATE_LIMITED', 'SERVICE_UNAVAILABLE', 'ENGINE_UNAVAILABLE', 'CAPACITY_EXHAUSTED'] as const).map(
  (code) => ({ code, status: errorStatus[code] }),
);

const gates = new Map<string, { reached: () => void; go: Promise<void> }>();
const ran: string[] = [];
let acme: TestProject;
beforeAll(async () => {
  acme = await createProject('acme');
});

/** Test-only endpoints, one for each behaviour of a handler that the kernel must deal with. */
const call = api([
  endpoint({
    method: 'GET',
    path: '/crash',
    operation_id: 'crash',
    summary: '',
    tag: 'Test',
    access: 'reader',
    responses: { 200: z.strictObject({}) },
    handle: () => {
      throw new Error('SECRET-INTERNAL-DETAIL at /etc/passwd');
    },
  }),
  endpoint({
    method: 'GET',
    path: '/wait',
    operation_id: 'wait',
    summary: '',
    tag: 'Test',
    access: 'reader',
    responses: { 200: z.strictObject({}) },
    handle: async ({ signal }) => {
      gates.get('wait')?.reached();
      await once(signal, 'abort');
      throw signal.reason;
    },
  }),
  endpoint({
    method: 'GET',
    path: '/lie',
    operation_id: 'lie',
    summary: '',
    tag: 'Test',
    access: 'reader',
    responses: { 200: z.strictObject({ name: z.string() }) },
    // An answer that its schema does not allow, as from a careless service.
    handle: () => ({ name: 'x', password_hash: 'leaked' }),
  }),
  ...temporary.map(({ code }) =>
    endpoint({
      method: 'GET',
      path: `/refuse/${code}`,
      operation_id: `refuse${code}`,
      summary: '',
      tag: 'Test',
      access: 'reader',
      responses: { 200: z.strictObject({}) },
      errors: [code],
      handle: () => {
        throw new ApiError(code, 'Come back.');
      },
    }),
  ),
  endpoint({
    method: 'POST',
    path: '/slow',
    operation_id: 'slow',
    summary: '',
    tag: 'Test',
    access: 'member',
    body: z.strictObject({ name: displayName, fail: z.boolean().default(false) }),
    responses: { 201: z.strictObject({ name: z.string(), run: z.int() }) },
    errors: ['CONFLICT'],
    audit: 'slow.create',
    idempotency: 'kernel',
    handle: async (_call, { body }) => {
      const gate = gates.get(body.name);
      gate?.reached();
      await gate?.go;
      if (body.fail) throw conflict('Not now.');
      ran.push(body.name);
      return { name: body.name, run: ran.length };
    },
  }),
  endpoint({
    method: 'POST',
    path: '/find',
    operation_id: 'find',
    summary: '',
    tag: 'Test',
    access: 'reader',
    query: z.strictObject({ match: z.array(z.string()).optional(), limit: z.coerce.number().optional() }),
    form: true,
    responses: { 200: z.strictObject({ match: z.array(z.string()).optional(), limit: z.number().optional() }) },
    handle: (_call, { query }) => query,
  }),
]);

const post = (body: object, key: string, token = acme.users.member.token) =>
  call('POST', '/slow', { token, body, headers: { 'Idempotency-Key': key } });

describe('a POST that only reads', () => {
  const find = (body: string, headers: Record<string, string> = {}, search = '') => {
    const form = { 'Content-Type': 'application/x-www-form-urlencoded', ...headers };
    return call('POST', `/find${search}`, { token: acme.users.reader.token, body, headers: form });
  };

  test('takes its parameters from form and address, a list from several of a name', async () => {
    const answer = await find('match=a&match=b%26c', {}, '?limit=5');
    expect([answer.status, answer.body]).toEqual([200, { match: ['a', 'b&c'], limit: 5 }]);
  });

  test('refuses a repeated parameter, an unknown one and another content type', async () => {
    expect((await find('limit=1', {}, '?limit=2')).status).toBe(400);
    expect((await find('colour=blue')).status).toBe(400);
    expect((await find('{}', { 'Content-Type': 'application/json' })).status).toBe(415);
  });

  test('leaves no audit entry, and ignores an Idempotency-Key', async () => {
    const entries = () => prisma().auditEntry.count({ where: { action: 'find' } });
    const before = await entries();
    const first = await find('limit=1', { 'Idempotency-Key': 'same' });
    const second = await find('limit=2', { 'Idempotency-Key': 'same' });
    expect([first.body, second.body]).toEqual([{ limit: 1 }, { limit: 2 }]);
    expect(await entries()).toBe(before);
  });
});

describe('an address that is none', () => {
  test('answers 404 in the error record', async () => {
    const answer = await call('GET', '/no/such/thing');
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ error: { code: 'RESOURCE_NOT_FOUND', status: 404 } });
    expect(answer.headers.get('x-request-id')).toMatch(/\S/);
  });

  test('with a wrong method answers 405 and lists the allowed ones', async () => {
    const answer = await call('PATCH', '/slow', { token: acme.users.member.token });
    expect(answer.body).toMatchObject({ error: { code: 'METHOD_NOT_ALLOWED', status: 405 } });
    expect(answer.headers.get('allow')).toBe('POST');
  });
});

describe('an internal error', () => {
  test('is a 500 without internals, audited as failed', async () => {
    const answer = await call('GET', '/crash', { token: acme.users.reader.token });
    expect(answer.body).toMatchObject({ error: { code: 'INTERNAL_ERROR', status: 500 } });
    expect(answer.text).not.toMatch(/SECRET-INTERNAL-DETAIL|passwd|at /);
    const entries = await prisma().auditEntry.findMany({ where: { action: 'crash' } });
    expect(entries).toMatchObject([{ result: 'failed', status: 500, project_id: acme.id }]);
    expect(JSON.stringify(entries)).not.toContain('SECRET-INTERNAL-DETAIL');
  });

  test('an answer that violates its schema is never sent under test', async () => {
    const answer = await call('GET', '/lie', { token: acme.users.reader.token });
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('leaked');
  });
});

test('a request whose caller leaves is no failure: 499, and no audit entry', async () => {
  const leaving = new AbortController();
  const reached = new Promise<void>((resolve) => gates.set('wait', { reached: resolve, go: Promise.resolve() }));
  const answer = call('GET', '/wait', { token: acme.users.reader.token, signal: leaving.signal });
  await reached;
  leaving.abort();
  expect((await answer).status).toBe(499);
  expect(await prisma().auditEntry.count({ where: { action: 'wait' } })).toBe(0);
});

describe('a temporary refusal', () => {
  test.each(temporary)('says when to retry: $code', async ({ code, status }) => {
    const answer = await call('GET', `/refuse/${code}`, { token: acme.users.reader.token });
    expect(answer.body).toMatchObject({ error: { code, status } });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('is one of the codes above', () => {
    const statuses = Object.entries(errorStatus).filter(([, status]) => status === 429 || status === 503);
    expect(statuses.map(([code]) => code).sort()).toEqual(temporary.map(({ code }) => code as ErrorCode).sort());
  });
});

describe('an Idempotency-Key', () => {
  test('runs the request once: a concurrent duplicate is refused, later ones are replayed', async () => {
    let open = () => {};
    const go = new Promise<void>((resolve) => {
      open = resolve;
    });
    const first = await new Promise<ReturnType<typeof post>[]>((reached) => {
      const running: ReturnType<typeof post>[] = [];
      gates.set('twins', { reached: () => reached(running), go });
      running.push(post({ name: 'twins' }, 'twins'));
    });
    const twin = await post({ name: 'twins' }, 'twins');
    expect(twin.body).toMatchObject({ error: { code: 'IDEMPOTENCY_IN_PROGRESS', status: 409 } });
    open();
    const [answer] = await Promise.all(first);
    if (!answer) throw new Error('the first request was not sent');
    expect(answer.status).toBe(201);
    const replay = await post({ name: 'twins' }, 'twins');
    expect([replay.status, replay.text]).toEqual([201, answer.text]);
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    expect(ran.filter((name) => name === 'twins')).toHaveLength(1);
  });

  test('can be used again after a refusal', async () => {
    expect((await post({ name: 'again', fail: true }, 'again')).status).toBe(409);
    expect((await post({ name: 'again' }, 'again')).status).toBe(201);
  });

  test('with a different body is refused', async () => {
    await post({ name: 'one' }, 'same-key');
    const other = await post({ name: 'two' }, 'same-key');
    expect(other.body).toMatchObject({ error: { code: 'IDEMPOTENCY_KEY_REUSED' } });
  });

  test('belongs to one caller', async () => {
    await post({ name: 'mine' }, 'shared');
    const answer = await post({ name: 'theirs' }, 'shared', acme.users.admin.token);
    expect(answer.body).toMatchObject({ name: 'theirs' });
  });

  test.each(['', 'x'.repeat(256), 'with space'])('that is malformed (%j) is refused', async (key) => {
    expect((await post({ name: 'insane' }, key)).status).toBe(400);
  });
});

describe('text that cannot be stored', () => {
  test.each(['nul \u0000', 'lone surrogate \ud800'])('is refused before a handler sees it', async (name) => {
    const body = JSON.stringify({ name });
    const answer = await call('POST', '/slow', { token: acme.users.member.token, body });
    expect(answer.body).toMatchObject({ error: { code: 'INVALID_REQUEST' } });
  });

  test('is refused when it nests too deeply', async () => {
    const body = `{"name":"x","fail":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    const answer = await call('POST', '/slow', { token: acme.users.member.token, body });
    expect(answer.body).toMatchObject({ error: { code: 'INVALID_REQUEST' } });
  });
});

describe('the project of a request', () => {
  test('comes from X-Project-Id and is 404 for a stranger', async () => {
    const other = await createProject('other');
    const headers = { 'X-Project-Id': other.id };
    const answer = await call('GET', '/crash', { token: acme.users.reader.token, headers });
    expect(answer.body).toMatchObject({ error: { code: 'RESOURCE_NOT_FOUND' } });
    const malformed = await call('GET', '/crash', { token: acme.users.reader.token, headers: { 'X-Project-Id': 'x' } });
    expect(malformed.status).toBe(404);
  });

  test('refuses everything as soon as it is suspended', async () => {
    const project = await createProject('late-payer');
    const member = await createMember(project.id, 'member');
    await prisma().project.update({ where: { id: project.id }, data: { status: 'suspended' } });
    const answer = await call('POST', '/slow', { token: member.token, body: { name: 'x' } });
    expect(answer.body).toMatchObject({ error: { code: 'TENANT_SUSPENDED', status: 403 } });
  });
});

describe('a session', () => {
  test('ends the moment it is revoked or expires', async () => {
    const { id, token } = await createMember(acme.id, 'reader');
    expect((await call('GET', '/crash', { token })).status).toBe(500);
    await prisma().session.updateMany({ where: { user_id: id }, data: { revoked_at: new Date() } });
    expect((await call('GET', '/crash', { token })).status).toBe(401);
  });
});
