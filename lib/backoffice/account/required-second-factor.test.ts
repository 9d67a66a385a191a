import { beforeAll, expect, test, vi } from 'vitest';
import { endpoints } from '@/lib/platform/endpoints';
import { testDatabase } from '@/lib/testing/database';
import { enrol, totpCode } from '@/lib/testing/sign-in';
import { api, createUser, type TestUser } from '@/lib/testing/world';

// Must run before anything reads the settings of this process.
vi.hoisted(() => {
  process.env.ADMIN_REQUIRE_TOTP = 'true';
});

testDatabase();
const call = api();
const auth = '/admin/api/v1/auth';
let root: TestUser;
beforeAll(async () => {
  root = await createUser('root@example.test', 'backoffice');
});

const beyondAccount = endpoints.filter(
  ({ realm, path, method }) => realm === 'backoffice' && !path.startsWith('/auth') && method === 'GET',
);

test('an administrator without a second factor has access only to their own account', async () => {
  const me = await call('GET', `${auth}/me`, { token: root.token });
  expect(me.body).toMatchObject({ second_factor_required: true, two_factor_enabled: false });
  expect((await call('GET', `${auth}/sessions`, { token: root.token })).status).toBe(200);
  expect(beyondAccount.length).toBeGreaterThan(3);
  for (const { path } of beyondAccount) {
    const answer = await call('GET', `/admin/api/v1${path}`, { token: root.token });
    expect(answer.body).toMatchObject({
      error: { code: 'FORBIDDEN', status: 403, message: expect.stringContaining('two-factor authentication') },
    });
  }
});

test('with it they have full access, and can no longer remove it themselves', async () => {
  const { secret } = await enrol(call, root.token, auth);
  expect((await call('GET', '/admin/api/v1/tenants', { token: root.token })).status).toBe(200);
  const disabled = await call('POST', `${auth}/2fa/disable`, { token: root.token, body: { code: totpCode(secret) } });
  expect(disabled.body).toMatchObject({ error: { code: 'CONFLICT', status: 409 } });
  expect((await call('GET', '/admin/api/v1/tenants', { token: root.token })).status).toBe(200);
});
