import { beforeAll, describe, expect, test } from 'vitest';
import { prisma } from '@/lib/core/db/prisma';
import { dimensions } from '@/lib/core/quota/dimensions';
import { verifyPassword } from '@/lib/people/identity/passwords';
import { testDatabase } from '@/lib/testing/database';
import { race } from '@/lib/testing/race';
import { api, createProject, createUser, signIn, type TestUser } from '@/lib/testing/world';
import type { Tenant } from './schema';

testDatabase();
const call = api();
const replica = api();
let administrator: TestUser;
let token: string;

beforeAll(async () => {
  administrator = await createUser('root@example.test', 'backoffice');
  token = administrator.token;
});

const base = '/admin/api/v1/tenants';
const password = 'correct horse battery staple';
const input = (slug: string, email = `admin@${slug}.test`) => ({
  name: `The ${slug}`,
  slug,
  admin: { email, name: 'Ada', password },
});
const create = (body: object, headers: Record<string, string> = {}) => call('POST', base, { token, body, headers });
const change = (id: string, verb: string, body: object = {}) => call('POST', `${base}/${id}/${verb}`, { token, body });

async function created(slug: string, email?: string): Promise<Tenant> {
  const answer = await create(input(slug, email));
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body as Tenant;
}

async function list(query = ''): Promise<Tenant[]> {
  const answer = await call('GET', `${base}${query}`, { token });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body as Tenant[];
}

const members = (project_id: string) =>
  prisma().membership.findMany({ where: { project_id }, include: { user: true } });

const addAdmin = (id: string, email: string) => change(id, 'admins', { email, name: 'Grace', password });
const rolesOf = async (project_id: string) => {
  const people = await prisma().membership.findMany({
    where: { project_id },
    include: { user: true, role_assignments: true },
    orderBy: { created_at: 'asc' },
  });
  return people.map(({ user, status, role_assignments }) => [
    user.email,
    status,
    role_assignments.map(({ role }) => role).toSorted(),
  ]);
};

/** Fields of every answer about an admin who may already have an account. */
const aCode = { acceptance_code: expect.any(String), acceptance_expires_at: expect.any(String) };

describe('another admin of a tenant', () => {
  test('is created after the first one has declined: a new account works at once', async () => {
    const known = await createUser('declines@example.test');
    const { id } = await created('declined', 'declines@example.test');
    const declined = await call('POST', `/auth/invitations/${id}/decline`, { token: known.token, body: {} });
    expect([declined.status, await rolesOf(id)]).toEqual([204, []]);
    const added = await addAdmin(id, 'New@Declined.test');
    expect([added.status, added.body]).toEqual([
      201,
      {
        ...{ user_id: expect.any(String), email: 'new@declined.test', status: 'active', account: 'created' },
        ...aCode,
      },
    ]);
    expect(await rolesOf(id)).toEqual([['new@declined.test', 'active', ['admin']]]);
    const own = await signIn((added.body as { user_id: string }).user_id);
    expect((await call('GET', '/identity/users', { token: own })).status).toBe(200);
    const log = await call('GET', '/audit?action=tenant.add_admin', { token: own });
    expect(log.body).toMatchObject([{ details: { admin: 'new@declined.test' }, actor_name: 'the platform' }]);
  });

  test('is invited if they have an account, and gets the role if they already belong to the tenant', async () => {
    const { id } = await createProject('more-admins');
    const before = await rolesOf(id);
    const known = await createUser('elsewhere@example.test');
    const invited = await addAdmin(id, 'elsewhere@example.test');
    const expected = { user_id: known.id, email: known.email, status: 'invited', account: 'existing' };
    expect(invited.body).toEqual({ ...expected, ...aCode });
    const [reader] = before.flatMap(([email, , roles]) => (String(roles) === 'reader' ? [String(email)] : []));
    expect((await addAdmin(id, reader ?? '')).body).toMatchObject({ status: 'active', account: 'existing' });
    const after = await rolesOf(id);
    expect(after).toContainEqual([reader, 'active', ['admin', 'reader']]);
    expect(after).toContainEqual([known.email, 'invited', ['admin']]);
    expect(after).toHaveLength(before.length + 1);
    const untouched = await prisma().user.findUniqueOrThrow({ where: { id: known.id } });
    expect([untouched.name, untouched.password_hash]).toEqual(['elsewhere', '']);
  });

  test('is added once by many concurrent requests, and never twice', async () => {
    const { id } = await created('twice');
    expect((await addAdmin(id, 'admin@twice.test')).body).toMatchObject({
      error: {
        code: 'CONFLICT',
        message: expect.stringContaining('admin@twice.test is already an admin of this tenant'),
      },
    });
    const answers = await Promise.all(Array.from({ length: 4 }, () => addAdmin(id, 'second@twice.test')));
    expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
    expect(await rolesOf(id)).toEqual([
      ['admin@twice.test', 'active', ['admin']],
      ['second@twice.test', 'active', ['admin']],
    ]);
  });

  test('of an unknown tenant is refused', async () => {
    expect((await addAdmin(administrator.id, 'x@example.test')).status).toBe(404);
  });
});

describe('a new tenant', () => {
  test('has the default limits, no usage, and an admin who can work at once', async () => {
    const answer = await create(input('fresh'));
    expect(answer.status).toBe(201);
    const tenant = answer.body as Tenant;
    expect(tenant).toMatchObject({
      name: 'The fresh',
      slug: 'fresh',
      status: 'active',
      members: 1,
      suspended_at: null,
    });
    expect(answer.body).toEqual({
      ...((await call('GET', `${base}/${tenant.id}`, { token })).body as Tenant),
      ...aCode,
    });
    const limits = dimensions.map((dimension) => tenant.quota[dimension].limit);
    expect(limits).toEqual([64, 256, 5, 10, 10, 10, 20, 10, 15]);

    const [member] = await members(tenant.id);
    expect(member).toMatchObject({
      status: 'active',
      invited_by: null,
      user: { email: 'admin@fresh.test', name: 'Ada' },
    });
    expect(await verifyPassword(member?.user.password_hash, password)).toBe(true);
    const own = await signIn(member?.user_id ?? '');
    expect((await call('GET', '/audit', { token: own })).status).toBe(200);
  });

  test('created in any way has the same limits: the database’s defaults match the code’s', async () => {
    const project = await createProject('defaults');
    const made = await created('by-code');
    const answer = await call('GET', `${base}/${project.id}`, { token });
    expect((answer.body as Tenant).quota).toEqual(made.quota);
  });

  test('invites an admin who already has an account, and leaves that account unchanged', async () => {
    const first = await created('known-one', 'Known@Example.test');
    const second = await create({ ...input('known-two', 'known@example.TEST'), name: 'Second' });
    expect(second.status).toBe(201);
    const tenant = second.body as Tenant;
    expect(tenant.members).toBe(1);
    const [invited] = await members(tenant.id);
    const [active] = await members(first.id);
    expect(invited).toMatchObject({
      status: 'invited',
      invited_name: 'Ada',
      invited_by: administrator.email.split('@')[0],
    });
    expect(invited?.user).toEqual(active?.user);
    expect(await prisma().roleAssignment.findMany({ where: { project_id: tenant.id } })).toMatchObject([
      { user_id: active?.user_id, role: 'admin' },
    ]);
  });

  test('is created once per Idempotency-Key and once per slug by many concurrent requests', async () => {
    const body = input('raced');
    const same = await Promise.all(Array.from({ length: 4 }, () => create(body, { 'Idempotency-Key': 'tenant-1' })));
    expect(new Set(same.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    const rivals = await Promise.all(Array.from({ length: 6 }, (_, n) => create(input('rivals', `rival-${n}@x.test`))));
    expect(rivals.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409, 409]);
    expect(rivals.find(({ status }) => status === 409)?.body).toMatchObject({
      error: { code: 'CONFLICT', message: expect.stringContaining('slug') },
    });
    expect(await prisma().user.count({ where: { email: { startsWith: 'rival-' } } })).toBe(1);
  });

  test('has its admin even if several are created for one new person at once', async () => {
    const slugs = ['twin-a', 'twin-b', 'twin-c', 'twin-d'];
    const made = await Promise.all(slugs.map((slug) => created(slug, 'twin@example.test')));
    expect(await prisma().user.count({ where: { email: 'twin@example.test' } })).toBe(1);
    const all = (await Promise.all(made.map(({ id }) => members(id)))).flat();
    expect(all.map(({ status }) => status).toSorted()).toEqual(['active', 'invited', 'invited', 'invited']);
  });

  test.each(['Upper', 'a', '-dash', 'dash-', 'dö', '1st', 'a b', 'x'.repeat(64)])(
    'refuses the slug %s',
    async (slug) => {
      expect((await create(input(slug, 'x@example.test'))).body).toMatchObject({
        error: { code: 'INVALID_REQUEST', message: expect.stringContaining('slug') },
      });
    },
  );

  test('is audited with its admin, and never with the password', async () => {
    const { id } = await created('audited');
    const entries = await prisma().auditEntry.findMany({ where: { project_id: id } });
    expect(entries).toMatchObject([
      { action: 'tenant.create', actor_id: administrator.id, details: { admin: 'admin@audited.test' } },
    ]);
    expect(JSON.stringify(entries)).not.toContain(password);
  });
});

describe('the list of tenants', () => {
  test('is searched by name, slug and id, filtered by status, and sorted', async () => {
    const [b, a] = [await created('search-b'), await created('search-a')];
    expect((await list('?search=SEARCH-')).map(({ id }) => id)).toEqual([a.id, b.id]);
    expect((await list('?search=the%20search-a')).map(({ id }) => id)).toEqual([a.id]);
    expect((await list(`?search=${b.id}`)).map(({ id }) => id)).toEqual([b.id]);
    expect((await list('?slug=search-b')).map(({ id }) => id)).toEqual([b.id]);
    expect((await list('?search=search-&sort=slug')).map(({ id }) => id)).toEqual([a.id, b.id]);
    expect((await list('?search=search-&sort=-name')).map(({ id }) => id)).toEqual([b.id, a.id]);
    await change(a.id, 'suspend', { reason: 'test' });
    expect((await list('?search=search-&status=suspended')).map(({ id }) => id)).toEqual([a.id]);
    expect((await list('?search=search-&status=active')).map(({ id }) => id)).toEqual([b.id]);
  });

  test('pages by keyset in every order', async () => {
    for (const sort of ['-created_at', 'name', '-slug']) {
      const all = (await list(`?sort=${sort}&limit=200`)).map(({ id }) => id);
      const walked: string[] = [];
      let next: string | undefined = `${base}?sort=${sort}&limit=3`;
      while (next !== undefined) {
        const answer = await call('GET', next, { token });
        walked.push(...(answer.body as Tenant[]).map(({ id }) => id));
        next = answer.headers.get('link')?.match(/<http:\/\/[^/]+([^>]+)>/)?.[1];
      }
      expect(walked).toEqual(all);
    }
  });
});

test('a renamed tenant keeps its slug and is audited with both names', async () => {
  const { id } = await created('renamed');
  const answer = await call('PATCH', `${base}/${id}`, { token, body: { name: 'Better' } });
  expect(answer.body).toMatchObject({ name: 'Better', slug: 'renamed' });
  const [entry] = await prisma().auditEntry.findMany({ where: { project_id: id, action: 'tenant.update' } });
  expect(entry?.details).toEqual({ name: { old: 'The renamed', new: 'Better' } });
});

describe('a suspended tenant', () => {
  test('is refused by every replica from the next request, and admitted again as soon as it is resumed', async () => {
    const { id } = await created('late-payer');
    const [admin] = await members(id);
    const own = await signIn(admin?.user_id ?? '');
    const read = () => replica('GET', '/vault/secrets', { token: own });
    expect((await read()).status).toBe(200);

    const suspended = await change(id, 'suspend', { reason: 'Invoice unpaid' });
    expect(suspended.body).toMatchObject({ status: 'suspended', suspension_reason: 'Invoice unpaid' });
    expect((suspended.body as Tenant).suspended_at).toMatch(/Z$/);
    expect((await read()).body).toMatchObject({ error: { code: 'TENANT_SUSPENDED', status: 403 } });
    const secret = { name: 'x', type: 'opaque', payload: 'x' };
    expect((await replica('POST', '/vault/secrets', { token: own, body: secret })).status).toBe(403);

    const resumed = await change(id, 'resume');
    expect(resumed.body).toMatchObject({ status: 'active', suspended_at: null, suspension_reason: null });
    expect((await read()).status).toBe(200);
    const entries = await prisma().auditEntry.findMany({
      where: { project_id: id, actor_type: 'administrator' },
      orderBy: { id: 'asc' },
    });
    expect(entries.map(({ action }) => action)).toEqual(['tenant.create', 'tenant.suspend', 'tenant.resume']);
    expect(entries[1]?.details).toEqual({ reason: 'Invoice unpaid' });
    expect(entries[2]?.details).toMatchObject({ reason: 'Invoice unpaid' });
  });

  test('is closed to sign-in and API tokens too; people with another project still get in', async () => {
    const { id } = await created('shut');
    const login = () => call('POST', '/auth/login', { body: { email: 'admin@shut.test', password } });
    const own = ((await login()).body as { access_token: string }).access_token;
    const made = await call('POST', '/auth/tokens', { token: own, body: { name: 'ci', role: 'member' } });
    const api = (made.body as { token: string }).token;
    const read = () => call('GET', '/vault/secrets', { token: api });
    expect((await read()).status).toBe(200);

    await change(id, 'suspend', { reason: 'test' });
    expect((await login()).body).toMatchObject({ error: { code: 'TENANT_SUSPENDED', status: 403 } });
    expect((await read()).body).toMatchObject({ error: { code: 'TENANT_SUSPENDED' } });
    expect((await call('GET', '/activity', { token: own })).body).toMatchObject({
      error: { code: 'TENANT_SUSPENDED' },
    });

    const elsewhere = await createProject('elsewhere');
    const [{ user_id = '' } = {}] = await members(id);
    const times = { created_at: new Date(), updated_at: new Date() };
    await prisma().membership.create({ data: { project_id: elsewhere.id, user_id, status: 'active', ...times } });
    expect((await login()).status).toBe(200);
    expect((await call('GET', '/activity', { token: own, headers: { 'X-Project-Id': elsewhere.id } })).status).toBe(
      200,
    );
  });

  test('is suspended once by concurrent administrators; resuming an active one is refused', async () => {
    const { id } = await created('pressed');
    expect((await change(id, 'resume')).body).toMatchObject({ error: { code: 'CONFLICT' } });
    const press = (reason: string) => () => change(id, 'suspend', { reason });
    const answers = await race('SELECT FROM projects FOR UPDATE', ['a', 'b', 'c', 'd', 'e'].map(press));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409]);
    const winner = answers.find(({ status }) => status === 200)?.body as Tenant;
    expect((await list('?slug=pressed'))[0]?.suspension_reason).toBe(winner.suspension_reason);
    const again = await call('POST', `${base}/${id}/resume`, { token, body: {}, headers: { 'Idempotency-Key': 'r' } });
    const replay = await call('POST', `${base}/${id}/resume`, { token, body: {}, headers: { 'Idempotency-Key': 'r' } });
    expect([again.status, replay.status, replay.text]).toEqual([200, 200, again.text]);
  });

  test('needs a reason', async () => {
    const { id } = await created('reasonless');
    for (const body of [{}, { reason: ' ' }]) expect((await change(id, 'suspend', body)).status).toBe(400);
  });
});
