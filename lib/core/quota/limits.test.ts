import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { endpoint } from '@/lib/core/api/endpoint';
import { newId } from '@/lib/core/db/id';
import { prisma } from '@/lib/core/db/prisma';
import { sessionCookies } from '@/lib/people/identity/cookies';
import { endpoints } from '@/lib/platform/endpoints';
import { testDatabase } from '@/lib/testing/database';
import { race } from '@/lib/testing/race';
import { api, createProject, createUser, type TestProject, type TestUser } from '@/lib/testing/world';
import { commit } from './commit';
import type { Quota } from './schema';

/** A test-only resource that claims any requested amount. */
const createClaim = endpoint({
  method: 'POST',
  path: '/claims',
  operation_id: 'createClaim',
  summary: '',
  tag: 'Test',
  access: 'member',
  body: z.strictObject({ dimension: z.enum(['vcpus', 'ram_gb', 'storage_tb']), amount: z.number() }),
  responses: { 201: z.strictObject({ id: z.uuid() }) },
  claims: ['vcpus', 'ram_gb', 'storage_tb'],
  audit: 'claim.create',
  handle: async (call, { body }) => {
    const created = { id: newId() };
    const write = { resource: { type: 'claim', id: created.id }, claims: [body], rows: {} };
    await commit(call, { ...write, answer: { status: 201, body: created } });
    return created;
  },
});

testDatabase();
const call = api();
/** Another replica: a second application on the same database. */
const replica = api([...endpoints, createClaim]);
let acme: TestProject;
let administrator: TestUser;
let path: string;

beforeAll(async () => {
  acme = await createProject('acme');
  administrator = await createUser('root@example.test', 'backoffice');
  path = `/admin/api/v1/tenants/${acme.id}/quota`;
});

const put = (body: unknown, headers: Record<string, string> = {}, to = path) =>
  call('PUT', to, { token: administrator.token, body, headers });
const read = (of = path) => call('GET', of, { token: administrator.token });
const claim = (dimension: string, amount: number, project = acme) =>
  replica('POST', '/claims', { token: project.users.member.token, body: { dimension, amount } });

async function createTenant(): Promise<{ project: TestProject; path: string }> {
  const project = await createProject('tenant');
  return { project, path: `/admin/api/v1/tenants/${project.id}/quota` };
}

describe('the limits of a tenant', () => {
  test('can be changed one by one or all at once; omitted ones stay', async () => {
    const { path } = await createTenant();
    const one = await put({ databases_limit: 11 }, {}, path);
    expect(one.status).toBe(200);
    expect(one.body).toMatchObject({ databases: { limit: 11, used: 0, available: 11 }, vcpus: { limit: 64 } });
    const all = {
      ...{ vcpus_limit: 1, ram_gb_limit: 2.5, storage_tb_limit: 0.000001, instances_limit: 4, volumes_limit: 5 },
      ...{
        databases_limit: 6,
        serverless_functions_limit: 7,
        airflow_dags_limit: 0,
        api_gateways_limit: 1_000_000_000,
      },
    };
    const nine = await put(all, {}, path);
    const now = (await read(path)).body as Quota;
    expect(nine.body).toEqual(now);
    const record = Object.entries(now).flatMap(([name, entry]) =>
      typeof entry === 'object' ? [[`${name}_limit`, entry.limit]] : [],
    );
    expect(Object.fromEntries(record)).toEqual(all);
  });

  test('appear in the tenant’s own quota record, to the digit', async () => {
    const { project, path } = await createTenant();
    await put({ storage_tb_limit: 999_999_999.999999, ram_gb_limit: 0.1, vcpus_limit: 5 }, {}, path);
    const own = await call('GET', '/tenant/quota', { token: project.users.reader.token });
    const answer = await read(path);
    expect(answer.text).toBe(own.text);
    expect(answer.text).toContain('"storage_tb":{"limit":999999999.999999,"used":0.0');
    expect(answer.text).toContain('"ram_gb":{"limit":0.1,');
    expect(answer.text).toContain('"vcpus":{"limit":5.0,');
  });

  test.each([
    [{}, 'at least one'],
    [{ vcpus_limit: 4.5 }, 'vcpus_limit'],
    [{ vcpus_limit: '64' }, 'vcpus_limit'],
    [{ instances_limit: -1 }, 'instances_limit'],
    [{ volumes_limit: null }, 'volumes_limit'],
    [{ ram_gb_limit: -0.5 }, 'ram_gb_limit'],
    [{ ram_gb_limit: 1e300 }, 'ram_gb_limit'],
    [{ storage_tb_limit: 0.0000001 }, 'storage_tb_limit'],
    [{ instance_limit: 5 }, 'instance_limit'],
  ])('refuse %j and name the fault', async (body, named) => {
    const answer = await put(body);
    expect(answer.body).toMatchObject({ error: { code: 'INVALID_REQUEST', message: expect.stringContaining(named) } });
  });

  test('of an unknown tenant are 404', async () => {
    const nowhere = `/admin/api/v1/tenants/${newId()}/quota`;
    expect((await read(nowhere)).body).toMatchObject({
      error: { code: 'RESOURCE_NOT_FOUND', message: 'The tenant was not found.' },
    });
    expect((await put({ vcpus_limit: 1 }, {}, nowhere)).status).toBe(404);
  });

  test('apply to the very next claim, on every replica', async () => {
    const { project, path } = await createTenant();
    await put({ vcpus_limit: 2 }, {}, path);
    expect((await claim('vcpus', 3, project)).body).toEqual({
      detail: 'Quota exceeded for vcpus: limit 2, in use 0. Ask an administrator to raise vcpus_limit.',
    });
    for (const limit of [3, 6, 9, 12]) {
      await put({ vcpus_limit: limit }, {}, path);
      expect((await claim('vcpus', 3, project)).status).toBe(201);
      expect((await claim('vcpus', 1, project)).status).toBe(403);
    }
    await put({ vcpus_limit: 0 }, {}, path);
    expect((await claim('vcpus', 1, project)).status).toBe(403);
  });

  test('can be below current use: nothing is taken away, and only new claims are refused', async () => {
    const { project, path } = await createTenant();
    expect((await claim('ram_gb', 8.5, project)).status).toBe(201);
    const lowered = await put({ ram_gb_limit: 4 }, {}, path);
    expect(lowered.text).toContain('"ram_gb":{"limit":4.0,"used":8.5,"available":-4.5,"unit":"GB"}');
    expect((await claim('ram_gb', 0.5, project)).status).toBe(403);
    expect((await claim('vcpus', 1, project)).status).toBe(201);
  });

  test('are audited with old and new values, in the tenant’s log and in the platform’s', async () => {
    const { project, path } = await createTenant();
    await put({ vcpus_limit: 128, storage_tb_limit: 0.5 }, {}, path);
    const details = { vcpus_limit: { old: 64, new: 128 }, storage_tb_limit: { old: 5, new: 0.5 } };
    const entry = { action: 'quota.update', result: 'succeeded', resource_name: project.slug, details };
    const own = await call('GET', '/audit?action=quota.update', { token: project.users.admin.token });
    expect(own.body).toMatchObject([entry]);
    const platform = await call('GET', `/admin/api/v1/audit?tenant_id=${project.id}`, { token: administrator.token });
    expect(platform.body).toMatchObject([{ ...entry, actor_id: administrator.id, actor_name: administrator.email }]);
  });

  test('update the tenant’s open pages through a hint', async () => {
    const { project, path } = await createTenant();
    await put({ vcpus_limit: 65 }, {}, path);
    expect(await prisma().change.findMany({ where: { project_id: project.id } })).toMatchObject([{ topic: 'quota' }]);
  });
});

describe('If-Match', () => {
  test('admits a change based on the current limits and refuses one based on older limits', async () => {
    const first = await read();
    const tag = first.headers.get('etag') ?? '';
    const changed = await put({ vcpus_limit: 70 }, { 'If-Match': tag });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(tag);
    expect(changed.headers.get('etag')).toBe((await read()).headers.get('etag'));
    const stale = await put({ vcpus_limit: 80 }, { 'If-Match': tag });
    expect(stale.body).toMatchObject({
      error: {
        code: 'PRECONDITION_FAILED',
        status: 412,
        message: 'The limits have changed since they were read. Read them again and retry.',
      },
    });
    expect((await read()).body).toMatchObject({ vcpus: { limit: 70 } });
  });

  test('is not invalidated by use: only changes of limits count', async () => {
    const tag = (await read()).headers.get('etag') ?? '';
    expect((await claim('vcpus', 1)).status).toBe(201);
    expect((await read()).headers.get('etag')).toBe(tag);
    const weakened = `"unknown", W/${tag}`;
    expect((await put({ vcpus_limit: 71 }, { 'If-Match': weakened })).status).toBe(200);
    expect((await put({ vcpus_limit: 72 }, { 'If-Match': '*' })).status).toBe(200);
  });

  test.each(['1', '"1', '', 'W/1', '"1" "2"'])('that is malformed (%j) is refused', async (tag) => {
    const answer = await put({ vcpus_limit: 70 }, { 'If-Match': tag });
    expect(answer.body).toMatchObject({
      error: { code: 'INVALID_REQUEST', message: expect.stringContaining('If-Match') },
    });
  });

  test('lets exactly one of many concurrent administrators win', async () => {
    const tag = (await read()).headers.get('etag') ?? '';
    const limits = Array.from({ length: 12 }, (_, index) => 100 + index);
    const answers = await race(
      'SELECT FROM project_accounts FOR UPDATE',
      limits.map((limit) => () => put({ vcpus_limit: limit }, { 'If-Match': tag })),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(limits.length - 1);
    expect((await read()).body).toEqual(won[0]?.body);
    const entries = await prisma().auditEntry.findMany({ where: { resource_id: acme.id, result: 'succeeded' } });
    const set = entries.filter(({ details }) =>
      limits.some((limit) => JSON.stringify(details).includes(`"new":${limit}`)),
    );
    expect(set).toHaveLength(1);
  });
});

test('two requests with one Idempotency-Key that meet at the lock claim once and get one answer', async () => {
  const { project } = await createTenant();
  const body = { dimension: 'vcpus', amount: 1 };
  const headers = { 'Idempotency-Key': 'twin' };
  const twin = () => replica('POST', '/claims', { token: project.users.member.token, body, headers });
  const answers = await race(`SELECT FROM project_accounts WHERE project_id = '${project.id}' FOR UPDATE`, [
    twin,
    twin,
  ]);
  expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(1);
  const quota = await call('GET', '/tenant/quota', { token: project.users.reader.token });
  expect(quota.body).toMatchObject({ vcpus: { used: 1 } });
});

test('concurrent changes of different dimensions without If-Match all take effect', async () => {
  const { path } = await createTenant();
  const changes = [{ vcpus_limit: 7 }, { ram_gb_limit: 7 }, { storage_tb_limit: 7 }, { volumes_limit: 7 }];
  await Promise.all(changes.map((body) => put(body, {}, path)));
  const limit = { limit: 7 };
  expect((await read(path)).body).toMatchObject({ vcpus: limit, ram_gb: limit, storage_tb: limit, volumes: limit });
});

describe('with the back office’s cookie', () => {
  const body = { airflow_dags_limit: 12 };
  const send = (headers: Record<string, string>) =>
    call('PUT', path, {
      body,
      headers: { Cookie: `${sessionCookies().backoffice}=${administrator.token}`, Host: 'localhost', ...headers },
    });

  test('a change needs the same-origin proof', async () => {
    expect((await send({ 'Sec-Fetch-Site': 'same-origin' })).status).toBe(200);
    expect((await send({ Origin: 'http://localhost' })).status).toBe(200);
    const foreign: Record<string, string>[] = [
      {},
      { 'Sec-Fetch-Site': 'cross-site' },
      { Origin: 'http://evil.example' },
    ];
    for (const headers of foreign) {
      expect((await send(headers)).body).toMatchObject({ error: { code: 'FORBIDDEN' } });
    }
  });

  test('a tenant’s credential is refused', async () => {
    const headers = { Cookie: `${sessionCookies().tenant}=${acme.users.admin.token}`, 'Sec-Fetch-Site': 'same-origin' };
    expect((await call('PUT', path, { body, headers })).status).toBe(401);
    const swapped = { ...headers, Cookie: `${sessionCookies().backoffice}=${acme.users.admin.token}` };
    expect((await call('PUT', path, { body, headers: swapped })).status).toBe(401);
  });
});
