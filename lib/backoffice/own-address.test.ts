import { beforeAll, expect, test, vi } from 'vitest';
import { testDatabase } from '@/lib/testing/database';
import { givePassword, PASSWORD } from '@/lib/testing/sign-in';
import { api, createProject, createUser, type TestUser } from '@/lib/testing/world';

// Must run before anything reads the settings of this process.
vi.hoisted(() => {
  process.env.BASE_URL = 'http://cloud.example';
  process.env.BACKOFFICE_URL = 'https://office.example';
});

testDatabase();
const call = api();
let root: TestUser;
beforeAll(async () => {
  root = await createUser('root@example.test', 'backoffice');
  await givePassword(root);
});

test('a back office with its own address redirects within itself', async () => {
  for (const name of ['one', 'two']) await createProject(name);
  const { headers } = await call('GET', '/admin/api/v1/tenants?limit=1', { token: root.token });
  expect(headers.get('link')).toMatch(
    /^<https:\/\/office\.example\/api\/v1\/tenants\?limit=1&cursor=\S+>; rel="next"$/,
  );
});

test('its cookie is bound to its own host and scheme', async () => {
  const body = { email: root.email, password: PASSWORD };
  const { headers } = await call('POST', '/admin/api/v1/auth/session', { body });
  const cookie = headers.get('set-cookie') ?? '';
  expect(cookie).toMatch(/^__Host-nephele_admin=\S+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/);
  const me = await call('GET', '/admin/api/v1/auth/me', { headers: { Cookie: cookie.split(';')[0] ?? '' } });
  expect(me.status).toBe(200);
});
