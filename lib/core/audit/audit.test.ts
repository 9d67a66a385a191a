import { beforeAll, describe, expect, test } from 'vitest';
import { csvLine } from '@/lib/core/api/csv';
import { newId } from '@/lib/core/db/id';
import { execute } from '@/lib/core/db/pool';
import { prisma } from '@/lib/core/db/prisma';
import { sql } from '@/lib/core/db/sql';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { api, createProject, createUser, type TestProject, type TestUser } from '@/lib/testing/world';
import type { Activity, AuditEntry, PlatformAuditEntry } from './schema';

testDatabase();
const call = api();
let acme: TestProject;
let other: TestProject;
let administrator: TestUser;

beforeAll(async () => {
  acme = await createProject('acme');
  other = await createProject('other');
  administrator = await createUser('root@example.test', 'backoffice');
  await secret(acme, 'first');
  await secret(other, 'theirs');
  await call('POST', '/vault/secrets', { token: acme.users.reader.token, body: { name: 'refused' } });
});

function secret(project: TestProject, name: string) {
  const body = { name, type: 'opaque', payload: 'PAYLOAD-CANARY' };
  return call('POST', '/vault/secrets', { token: project.users.member.token, body, address: '198.51.100.7' });
}

async function list(query = '', project = acme): Promise<AuditEntry[]> {
  const answer = await call('GET', `/audit${query}`, { token: project.users.admin.token });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body as AuditEntry[];
}

/** Writes an entry as an endpoint would have written it. */
async function write(entry: Partial<Parameters<ReturnType<typeof prisma>['auditEntry']['create']>[0]['data']>) {
  const id = newId();
  const base = { id, at: new Date(), actor_type: 'user', actor_name: 'x@example.test', action: 'test.entry' };
  await prisma().auditEntry.create({ data: { ...base, result: 'succeeded', status: 200, ...entry } as never });
  return id;
}

describe('the audit log of a project', () => {
  test('says who did what, from where and with which result, and never contains a secret', async () => {
    const entries = await list();
    expect(entries).toMatchObject([
      {
        action: 'secret.create',
        result: 'refused',
        status: 403,
        code: 'FORBIDDEN',
        actor_name: acme.users.reader.email,
      },
      {
        action: 'secret.create',
        result: 'succeeded',
        status: 201,
        code: null,
        actor_type: 'user',
        actor_id: acme.users.member.id,
        address: '198.51.100.7',
        resource_type: 'secret',
        resource_name: 'first',
        details: { type: 'opaque' },
      },
    ]);
    expect(JSON.stringify(entries)).not.toContain('PAYLOAD-CANARY');
  });

  test('says what a refusal was about', async () => {
    const project = await createProject('refusals');
    await secret(project, 'twice');
    expect((await secret(project, 'twice')).status).toBe(409);
    const [entry] = await list('', project);
    expect(entry).toMatchObject({
      result: 'refused',
      code: 'CONFLICT',
      resource_type: 'secret',
      resource_name: 'twice',
    });
  });

  test('is hidden from another project in filters, searches and addresses', async () => {
    const [theirs] = await list('', other);
    if (!theirs) throw new Error('the other project has no entry');
    for (const query of ['?search=theirs', `?resource_id=${theirs.resource_id}`, '?limit=200']) {
      expect(JSON.stringify(await list(query))).not.toContain('theirs');
    }
    const answer = await call('GET', `/audit/${theirs.id}`, { token: acme.users.admin.token });
    expect(answer.status).toBe(404);
    expect((await call('GET', `/audit/${theirs.id}`, { token: other.users.admin.token })).body).toEqual(theirs);
  });

  test('is filtered by actor, action, resource, result and time', async () => {
    const project = await createProject('filters');
    const [day1, day2, day3] = ['2026-01-01', '2026-01-02', '2026-01-03'].map((day) => new Date(`${day}T12:00:00Z`));
    const resource_id = newId();
    const base = { project_id: project.id };
    const one = await write({ ...base, at: day1, actor_name: 'ann@example.test', action: 'secret.create' });
    const two = await write({
      ...base,
      at: day2,
      actor_name: 'bob@example.test',
      resource_type: 'volume',
      resource_id,
    });
    const three = await write({ ...base, at: day3, actor_id: newId(), result: 'refused', resource_name: '100%_sure' });
    const ids = async (query: string) => (await list(query, project)).map(({ id }) => id);
    expect(await ids('')).toEqual([three, two, one]);
    expect(await ids('?actor=ANN')).toEqual([one]);
    expect(await ids(`?actor=${(await list(`?result=refused`, project))[0]?.actor_id}`)).toEqual([three]);
    expect(await ids('?action=secret.create')).toEqual([one]);
    expect(await ids('?action=secret')).toEqual([]);
    expect(await ids('?resource_type=volume')).toEqual([two]);
    expect(await ids(`?resource_id=${resource_id}`)).toEqual([two]);
    expect(await ids('?result=refused')).toEqual([three]);
    expect(await ids('?from=2026-01-02T12:00:00Z')).toEqual([three, two]);
    expect(await ids('?from=2026-01-01T12:00:00.001Z&to=2026-01-03T12:00:00Z')).toEqual([two]);
    expect(await ids('?search=%25_')).toEqual([three]);
    expect(await ids('?from=0000-01-01T00:00:00Z&to=9999-12-31T23:59:59Z')).toEqual([three, two, one]);
  });

  test('pages without gaps or repeats, even when many entries have the same time', async () => {
    const project = await createProject('pages');
    const at = new Date('2026-02-01T00:00:00Z');
    const written = await Promise.all(Array.from({ length: 7 }, () => write({ project_id: project.id, at })));
    const seen: string[] = [];
    let next: string | undefined = '/audit?limit=3';
    while (next !== undefined) {
      const answer = await call('GET', next, { token: project.users.admin.token });
      seen.push(...(answer.body as AuditEntry[]).map(({ id }) => id));
      next = answer.headers.get('link')?.match(/\/api\/v1([^>]+)>/)?.[1];
    }
    expect(seen).toEqual(written.toSorted().toReversed());
    const forged = Buffer.from(JSON.stringify(['-at', 'yesterday', newId()])).toString('base64url');
    const refused = await call('GET', `/audit?cursor=${forged}`, { token: project.users.admin.token });
    expect(refused.body).toMatchObject({ error: { code: 'INVALID_REQUEST' } });
  });

  test('names the platform, not the person, where an administrator acted', async () => {
    const project = await createProject('supervised');
    const actor = { actor_type: 'administrator', actor_id: administrator.id, actor_name: administrator.email };
    await write({ ...actor, project_id: project.id, address: '192.0.2.1', action: 'quota.update' });
    const entries = await list('', project);
    expect(entries).toMatchObject([
      { actor_type: 'administrator', actor_name: 'the platform', actor_id: null, address: null },
    ]);
    for (const query of [`?actor=${administrator.id}`, '?actor=root', '?search=root']) {
      expect(await list(query, project)).toEqual([]);
    }
  });
});

test('the back office sees the entries of all tenants and of none, each with its tenant', async () => {
  await write({
    action: 'auth.sign_in',
    actor_type: 'anonymous',
    actor_name: 'anonymous',
    result: 'refused',
    status: 401,
  });
  const all = await call('GET', '/admin/api/v1/audit', { token: administrator.token });
  const entries = all.body as PlatformAuditEntry[];
  expect(new Set(entries.map(({ tenant_slug }) => tenant_slug))).toContain(acme.slug);
  expect(new Set(entries.map(({ tenant_slug }) => tenant_slug))).toContain(null);
  const filtered = await call('GET', `/admin/api/v1/audit?tenant_id=${other.id}`, { token: administrator.token });
  expect(filtered.body).toMatchObject([{ project_id: other.id, tenant_slug: other.slug, resource_name: 'theirs' }]);
  const [entry] = filtered.body as PlatformAuditEntry[];
  const one = await call('GET', `/admin/api/v1/audit/${entry?.id}`, { token: administrator.token });
  expect(one.body).toEqual(entry);
});

describe('refused reads', () => {
  const HOUR_MS = 3_600_000;
  const read = (token: string, headers = {}, address = '198.51.100.9') =>
    call('GET', `/vault/secrets/${newId()}/payload`, { token, headers, address });

  test('in a loop leave one entry per hour with a counter and the latest read', async () => {
    // Ten minutes past the next hour, so that no hour ends during the test.
    const offset = HOUR_MS - (Date.now() % HOUR_MS) + 10 * 60_000;
    await setTestClock(offset);
    const project = await createProject('looping');
    const { reader, member } = project.users;
    await Promise.all(Array.from({ length: 40 }, () => read(reader.token)));
    await read(reader.token, { 'X-Request-Id': 'the-last-one' }, '198.51.100.10');
    expect(await list('', project)).toMatchObject([
      {
        action: 'secret.read_payload',
        result: 'refused',
        status: 403,
        actor_id: reader.id,
        count: 41,
        request_id: 'the-last-one',
        address: '198.51.100.10',
      },
    ]);

    // Another status or caller has its own entry.
    await read(member.token);
    await read(member.token);
    expect(await list('', project)).toMatchObject([{ status: 404, actor_id: member.id, count: 2 }, { count: 41 }]);

    await setTestClock(offset + HOUR_MS);
    await read(reader.token);
    const entries = await list('', project);
    expect(entries.map(({ count }) => count)).toEqual([1, 2, 41]);
    expect(entries.map(({ last_at }) => last_at !== null)).toEqual([false, true, true]);
    await setTestClock(0);
  });

  test('are found by the time of the latest one', async () => {
    const project = await createProject('spanning');
    const at = new Date('2026-03-01T10:05:00Z');
    const id = await write({ project_id: project.id, at, last_at: new Date('2026-03-01T10:40:00Z'), count: 9 });
    const ids = async (from: string) => (await list(`?from=${from}`, project)).map((entry) => entry.id);
    expect(await ids('2026-03-01T10:30:00Z')).toEqual([id]);
    expect(await ids('2026-03-01T10:41:00Z')).toEqual([]);
  });

  test('are kept apart from refused changes, each of which has its own entry', async () => {
    const project = await createProject('changing');
    const create = () => call('POST', '/vault/secrets', { token: project.users.reader.token, body: { name: 'no' } });
    await Promise.all([create(), create(), create()]);
    expect((await list('', project)).map(({ count }) => count)).toEqual([1, 1, 1]);
  });
});

test('an entry and its operation are found by the request id', async () => {
  const project = await createProject('traced');
  const headers = { 'X-Request-Id': `trace-${project.id}` };
  const body = { name: 'n', cidr: '10.9.0.0/24' };
  await call('POST', '/network/networks', { token: project.users.member.token, body, headers });
  await secret(project, 'unrelated');
  const query = `?request_id=trace-${project.id}`;
  expect(await list(query, project)).toMatchObject([{ request_id: headers['X-Request-Id'] }]);
  expect(await list(query, acme)).toEqual([]);
  const platform = await call('GET', `/admin/api/v1/audit${query}`, { token: administrator.token });
  expect(platform.body).toHaveLength(1);

  const id = newId();
  const at = new Date();
  await execute(sql`INSERT INTO operations (id, project_id, kind, resource_type, resource_id, status, stage, input, scope, run_at, deadline_at, request_id, created_at, updated_at)
    VALUES (${id}::uuid, ${project.id}::uuid, 'test.work', 'thing', ${newId()}::uuid, 'succeeded', 'done', '{}', 'platform', ${at}, ${at}, ${headers['X-Request-Id']}, ${at}, ${at})`);
  const operations = await call('GET', `/operations${query}`, { token: project.users.reader.token });
  expect(operations.body).toContainEqual(expect.objectContaining({ id, request_id: headers['X-Request-Id'] }));
  expect((await call('GET', '/operations?request_id=other', { token: project.users.reader.token })).body).toEqual([]);
  const all = await call('GET', `/admin/api/v1/operations${query}`, { token: administrator.token });
  expect(all.body).toContainEqual(expect.objectContaining({ id }));
});

describe('an export', () => {
  test('contains every matching entry, beyond one page, and is itself recorded', async () => {
    const project = await createProject('export');
    const at = new Date();
    const rows = Array.from({ length: 2_500 }, (_, index) => ({
      ...{ id: newId(), project_id: project.id, at, actor_type: 'user', actor_name: 'x', result: 'succeeded' },
      ...{ action: index === 7 ? 'odd.one' : 'even.one', status: 200, resource_name: index === 7 ? 'a,"b"' : '=1+1' },
    }));
    await prisma().auditEntry.createMany({ data: rows });
    const answer = await call('GET', '/audit/export?from=2020-01-01T00:00:00Z', { token: project.users.admin.token });
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const lines = answer.text.split('\r\n');
    expect(lines[0]).toMatch(/^at,actor_type,actor_id,actor_name,action,/);
    // The entry for the export was written before its first page was read.
    expect(lines.filter((line) => line.includes('.one'))).toHaveLength(2_500);
    expect(answer.text).toContain('"a,""b"""');
    expect(answer.text).not.toMatch(/,=1/);
    expect(await list('?action=audit.export', project)).toHaveLength(1);
    const filtered = await call('GET', '/audit/export?action=odd.one', { token: project.users.admin.token });
    expect(filtered.text.split('\r\n')).toHaveLength(3);
  });

  test('of nothing is just a header line', async () => {
    const answer = await call('GET', `/admin/api/v1/audit/export?tenant_id=${newId()}`, { token: administrator.token });
    expect(answer.text.split('\r\n')).toEqual([expect.stringContaining('tenant_slug'), '']);
  });

  test('has no cells that a spreadsheet would run', () => {
    expect(csvLine(['=cmd', '+1', '-1', '@x', 'a\r\nb', null, { a: 1 }, 5])).toBe(
      `'=cmd,'+1,'-1,'@x,"a\r\nb",,"{""a"":1}",5\r\n`,
    );
  });
});

describe('recent activity', () => {
  test('shows all members the changes by name, without refusals, reads or admin-only facts', async () => {
    const project = await createProject('busy');
    const created = await secret(project, 'shown');
    const { id } = created.body as { id: string };
    await call('GET', `/vault/secrets/${id}/payload`, { token: project.users.member.token });
    await call('DELETE', `/vault/secrets/${newId()}`, { token: project.users.member.token });
    await write({ project_id: project.id, action: 'user.create' });
    const answer = await call('GET', '/activity', { token: project.users.reader.token });
    const activities = answer.body as Activity[];
    expect(activities).toMatchObject([{ action: 'secret.create', resource_name: 'shown', actor_type: 'user' }]);
    expect(activities[0]?.actor_name).toBe(project.users.member.email.split('@')[0]);
    expect(answer.text).not.toMatch(/198\.51\.100\.7|@example/);
    const other = await secret(project, 'another');
    const { id: otherId } = other.body as { id: string };
    const one = await call('GET', `/activity?resource_type=secret&resource_id=${otherId}`, {
      token: project.users.reader.token,
    });
    expect(one.body).toMatchObject([{ action: 'secret.create', resource_name: 'another' }]);
  });
});
