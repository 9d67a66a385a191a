import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { prisma } from '@/lib/core/db/prisma';
import { testDatabase } from '@/lib/testing/database';
import { race } from '@/lib/testing/race';
import { enrol, givePassword, PASSWORD } from '@/lib/testing/sign-in';
import { api, createProject, createUser, signIn, type TestProject, type TestUser } from '@/lib/testing/world';
import type { PlatformUser } from './schema';

testDatabase();
const call = api();
const base = '/admin/api/v1';
let acme: TestProject;
let root: TestUser;
beforeAll(async () => {
  acme = await createProject('acme');
  root = await createUser('root@example.test', 'backoffice');
});

const get = (path: string) => call('GET', `${base}${path}`, { token: root.token });
const post = (path: string, body: object = {}, headers: Record<string, string> = {}) =>
  call('POST', `${base}${path}`, { token: root.token, body, headers });

async function list(path: string): Promise<PlatformUser[]> {
  const answer = await get(path);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body as PlatformUser[];
}

describe('users', () => {
  test('are found by e-mail, name, id and tenant, with their memberships and roles', async () => {
    const { admin } = acme.users;
    const expected = {
      ...{ id: admin.id, email: admin.email, administrator: false, two_factor_enabled: false },
      memberships: [
        { project_id: acme.id, tenant_slug: acme.slug, tenant_status: 'active', status: 'active', roles: ['admin'] },
      ],
    };
    for (const query of [
      `email=${admin.email}`,
      `search=${admin.id}`,
      `search=${admin.email.slice(0, 18).toUpperCase()}`,
    ]) {
      expect(await list(`/users?${query}`)).toMatchObject([expected]);
    }
    expect((await get(`/users/${admin.id}`)).body).toMatchObject(expected);
    expect(await list(`/users?tenant_id=${acme.id}`)).toHaveLength(3);
    expect(await list('/users?administrator=true')).toMatchObject([{ email: root.email, memberships: [] }]);
    expect(await list('/users?administrator=false&sort=email')).toHaveLength(3);
    expect((await get('/users')).text).not.toMatch(/password|argon|totp_secret/);
  });

  test('lose a lost second factor and all sessions with it, audited', async () => {
    const ada = await createUser('ada@example.test');
    await givePassword(ada);
    expect((await post(`/users/${ada.id}/reset-second-factor`)).body).toMatchObject({ error: { code: 'CONFLICT' } });
    await enrol(call, ada.token);
    expect((await post(`/users/${ada.id}/reset-second-factor`)).status).toBe(204);
    expect((await call('GET', '/auth/me', { token: ada.token })).status).toBe(401);
    const login = await call('POST', '/auth/login', { body: { email: ada.email, password: PASSWORD } });
    expect(login.body).toMatchObject({ user: { two_factor_enabled: false } });
    const [entry] = await prisma().auditEntry.findMany({
      where: { action: 'user.reset_second_factor', result: 'succeeded' },
    });
    expect(entry).toMatchObject({ actor_id: root.id, resource_id: ada.id, resource_name: ada.email });
  });

  test('are signed out everywhere at once; a repeated key does it once', async () => {
    const ada = await createUser('eve@example.test', 'backoffice');
    const tenant = await signIn(ada.id);
    const headers = { 'Idempotency-Key': 'out' };
    expect((await post(`/users/${ada.id}/revoke-sessions`, {}, headers)).status).toBe(204);
    expect((await call('GET', '/auth/me', { token: tenant })).status).toBe(401);
    expect((await call('GET', `${base}/tenants`, { token: ada.token })).status).toBe(401);
    const { session_epoch } = await prisma().user.findUniqueOrThrow({ where: { id: ada.id } });
    const again = await post(`/users/${ada.id}/revoke-sessions`, {}, headers);
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([204, '', 'true']);
    expect((await prisma().user.findUniqueOrThrow({ where: { id: ada.id } })).session_epoch).toBe(session_epoch);
    await prisma().user.update({ where: { id: ada.id }, data: { administrator: false } });
  });
});

describe('administrators', () => {
  beforeEach(async () => {
    await prisma().user.updateMany({ where: { NOT: { id: root.id } }, data: { administrator: false } });
  });

  test('are created with their own account, with which they can sign in', async () => {
    const body = { email: 'Grace@Example.test', name: 'Grace', password: PASSWORD };
    const answer = await post('/administrators', body);
    expect(answer.status).toBe(201);
    const created = answer.body as PlatformUser;
    expect((await get(`/users/${created.id}`)).body).toEqual(created);
    expect(await list('/administrators?search=grace')).toEqual([created]);
    const login = await call('POST', `${base}/auth/login`, { body: { email: created.email, password: PASSWORD } });
    expect(login.status).toBe(200);
    expect((await post('/administrators', body)).body).toMatchObject({ error: { code: 'CONFLICT' } });
    expect(JSON.stringify(await prisma().auditEntry.findMany())).not.toContain(PASSWORD);
  });

  test('can be users with a verified address; granting and removing take effect at once', async () => {
    const ada = await createUser('ada-2@example.test');
    await prisma().user.update({ where: { id: ada.id }, data: { email_verified_at: new Date() } });
    const path = `${base}/administrators/${ada.id}`;
    expect((await call('PUT', path, { token: root.token })).body).toMatchObject({ id: ada.id, administrator: true });
    expect((await call('PUT', path, { token: root.token })).status).toBe(200);
    const token = await signIn(ada.id, 'backoffice');
    expect((await call('GET', `${base}/tenants`, { token })).status).toBe(200);
    expect((await call('DELETE', path, { token: root.token })).status).toBe(204);
    expect((await call('GET', `${base}/tenants`, { token })).status).toBe(401);
    expect((await call('GET', '/auth/me', { token: ada.token })).status).toBe(200);
    expect((await call('DELETE', path, { token: root.token })).status).toBe(404);
    // A later grant does not revive earlier sessions.
    await call('PUT', path, { token: root.token });
    expect((await call('GET', `${base}/tenants`, { token })).status).toBe(401);
  });

  test('always include someone: the last one cannot be removed', async () => {
    const answer = await call('DELETE', `${base}/administrators/${root.id}`, { token: root.token });
    expect(answer.body).toMatchObject({ error: { code: 'CONFLICT', message: expect.stringContaining('last') } });
    expect(await list('/administrators')).toHaveLength(1);
  });

  test('always include someone, even if all remove each other at once', async () => {
    const team = [root];
    for (let n = 0; n < 5; n += 1) team.push(await createUser(`team-${n}@example.test`, 'backoffice'));
    const answers = await race(
      'SELECT FROM users WHERE administrator FOR UPDATE',
      team.map(({ token }, n) => () => {
        const next = team[(n + 1) % team.length];
        return call('DELETE', `${base}/administrators/${next?.id}`, { token });
      }),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 204, 204, 204, 204, 409]);
    expect(await prisma().user.count({ where: { administrator: true } })).toBe(1);
    await prisma().user.update({ where: { id: root.id }, data: { administrator: true } });
    root = { ...root, token: await signIn(root.id, 'backoffice') };
  });
});
