import { beforeEach, describe, expect, test } from 'vitest';
import { prisma } from '@/lib/core/db/prisma';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { enrol, givePassword, PASSWORD, stepStart, totpCode } from '@/lib/testing/sign-in';
import { type Answer, api, createProject, createUser, type TestUser } from '@/lib/testing/world';

testDatabase();
const call = api();
const auth = '/admin/api/v1/auth';
let root: TestUser;
let address: string;
let tests = 0;

beforeEach(async () => {
  tests += 1;
  address = `192.0.2.${tests}`;
  await setTestClock(0);
  root = await createUser(`root-${tests}@example.test`, 'backoffice');
  await givePassword(root);
});

const post = (path: string, body: object, token?: string) => call('POST', `${auth}${path}`, { token, body, address });
const login = (body: object = {}) => post('/login', { email: root.email, password: PASSWORD, ...body });
const signInAsPage = (body: object = {}) => post('/session', { email: root.email, password: PASSWORD, ...body });
const error = (code: string, status: number) => ({ error: { code, status } });
const tokenOf = ({ body }: Answer) => (body as { access_token: string }).access_token;
const cookieOf = ({ headers }: Answer) => headers.get('set-cookie')?.split(';')[0] ?? '';
const byCookie = (method: string, path: string, cookie: string) =>
  call(method, `${auth}${path}`, { headers: { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' } });
const tenants = (token: string) => call('GET', '/admin/api/v1/tenants', { token });

describe('login', () => {
  test('returns an administrator session token for an hour', async () => {
    const answer = await login();
    expect(answer.body).toMatchObject({
      token_type: 'Bearer',
      expires_in: 3600,
      user: { id: root.id, email: root.email },
    });
    expect((await tenants(tokenOf(answer))).status).toBe(200);
    const me = await call('GET', `${auth}/me`, { token: tokenOf(answer) });
    expect(me.body).toMatchObject({ email: root.email, two_factor_enabled: false, second_factor_required: false });
  });

  test('knows administrators only: a tenant’s correct password looks like an unknown account', async () => {
    const { users } = await createProject('acme');
    await givePassword(users.admin);
    const known = await post('/login', { email: users.admin.email, password: PASSWORD });
    const unknown = await post('/login', { email: 'nobody@example.test', password: PASSWORD });
    const wrong = await login({ password: 'wrong' });
    const message = ({ body }: Answer) => (body as { error: { message: string } }).error.message;
    expect([known, unknown, wrong].map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(new Set([known, unknown, wrong].map(message)).size).toBe(1);
  });

  test('and a tenant’s sign-in are each valid in one realm, also for a person in both', async () => {
    const { id } = await createProject('both');
    const at = new Date();
    await prisma().membership.create({
      data: { project_id: id, user_id: root.id, status: 'active', created_at: at, updated_at: at },
    });
    const office = tokenOf(await login());
    const tenant = tokenOf(
      await call('POST', '/auth/login', { body: { email: root.email, password: PASSWORD }, address }),
    );
    expect((await tenants(office)).status).toBe(200);
    expect((await call('GET', '/tenant/quota', { token: tenant })).status).toBe(200);
    expect((await tenants(tenant)).body).toMatchObject(error('UNAUTHENTICATED', 401));
    expect((await call('GET', '/tenant/quota', { token: office })).body).toMatchObject(error('UNAUTHENTICATED', 401));
    expect((await call('GET', '/auth/me', { token: office })).status).toBe(401);
    expect((await call('GET', `${auth}/me`, { token: tenant })).status).toBe(401);
  });

  test('ends when the person stops being an administrator, including for earlier tokens', async () => {
    const token = tokenOf(await login());
    await prisma().user.update({ where: { id: root.id }, data: { administrator: false } });
    expect((await tenants(token)).status).toBe(401);
    expect((await login()).status).toBe(401);
  });

  test('is limited by failures, which are audited under the e-mail as entered', async () => {
    const failures = await Promise.all(Array.from({ length: 10 }, () => login({ password: 'wrong' })));
    expect(failures.map(({ status }) => status)).toEqual(Array(10).fill(401));
    expect((await login()).body).toMatchObject(error('RATE_LIMITED', 429));
    const entries = await prisma().auditEntry.findMany({ where: { actor_name: root.email, result: 'refused' } });
    expect(entries).toHaveLength(10);
    expect(entries[0]).toMatchObject({ action: 'auth.login', actor_type: 'anonymous', code: 'INVALID_CREDENTIALS' });
  });
});

describe('a second factor', () => {
  test('is asked for by a challenge that only this realm and this kind of sign-in accept', async () => {
    const { secret } = await enrol(call, root.token, auth);
    const challenge = (await login()).body as { mfa_required: boolean; challenge_token: string };
    expect(challenge).toEqual({ mfa_required: true, challenge_token: expect.any(String), expires_in: 300 });
    const { challenge_token } = challenge;
    const answer = { challenge_token, code: totpCode(secret) };
    const elsewhere = await call('POST', '/auth/2fa/verify', { body: answer, address });
    expect(elsewhere.body).toMatchObject(error('UNAUTHENTICATED', 401));
    expect((await post('/session/verify', answer)).body).toMatchObject(error('UNAUTHENTICATED', 401));
    const verified = await post('/2fa/verify', answer);
    expect((await tenants(tokenOf(verified))).status).toBe(200);
    expect((await post('/2fa/verify', answer)).body).toMatchObject(error('TOTP_INVALID', 401));
  });

  test('can be sent with the password, checked while signed in, and disabled with a code', async () => {
    await setTestClock(stepStart());
    const { secret, recovery_codes } = await enrol(call, root.token, auth);
    const token = tokenOf(await login({ totp_code: totpCode(secret) }));
    expect((await post('/2fa/verify', { code: totpCode(secret) }, token)).body).toEqual({ valid: false });
    expect((await post('/2fa/verify', { code: totpCode(secret, 1) }, token)).body).toEqual({ valid: true });
    expect((await post('/2fa/disable', { code: '000000' }, token)).body).toMatchObject(error('TOTP_INVALID', 401));
    expect((await post('/2fa/disable', { code: recovery_codes[0] }, token)).body).toEqual({ enabled: false });
    expect((await login()).body).toHaveProperty('access_token');
  });
});

describe('a browser session', () => {
  test('is in an HttpOnly cookie that no other site sends', async () => {
    const answer = await signInAsPage();
    expect(answer.body).toMatchObject({ expires_in: 12 * 3600, user: { email: root.email } });
    expect(answer.text).not.toContain('access_token');
    const attributes = answer.headers.get('set-cookie')?.split('; ').slice(1);
    expect(attributes).toEqual(['Path=/', 'Max-Age=43200', 'HttpOnly', 'SameSite=Strict']);
    expect((await byCookie('GET', '/me', cookieOf(answer))).body).toMatchObject({ email: root.email });
    const [session] = await prisma().session.findMany({ where: { user_id: root.id, kind: 'browser' } });
    expect(session?.realm).toBe('backoffice');
  });

  test('takes the second factor in a separate step', async () => {
    const { secret } = await enrol(call, root.token, auth);
    const first = await signInAsPage();
    expect(first.headers.get('set-cookie')).toBeNull();
    const { challenge_token } = first.body as { challenge_token: string };
    const wrong = await post('/session/verify', { challenge_token, code: '000000' });
    expect(wrong.body).toMatchObject(error('TOTP_INVALID', 401));
    const second = await post('/session/verify', { challenge_token, code: totpCode(secret) });
    expect((await byCookie('GET', '/me', cookieOf(second))).status).toBe(200);
  });

  test('ends at once on sign-out, which also clears its cookie', async () => {
    const cookie = cookieOf(await signInAsPage());
    const foreign = await call('DELETE', `${auth}/session`, {
      headers: { Cookie: cookie, 'Sec-Fetch-Site': 'cross-site' },
    });
    expect(foreign.body).toMatchObject(error('FORBIDDEN', 403));
    const out = await byCookie('DELETE', '/session', cookie);
    expect(out.status).toBe(204);
    expect(out.headers.get('set-cookie')).toContain('=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict');
    expect((await byCookie('GET', '/me', cookie)).status).toBe(401);
  });
});

describe('sessions', () => {
  test('are the caller’s own of the back office, and end at once when revoked', async () => {
    const [one, two] = [tokenOf(await login()), tokenOf(await login())];
    const { body } = await call('GET', `${auth}/sessions`, { token: one });
    const sessions = body as { id: string; current: boolean }[];
    expect(sessions).toHaveLength(3);
    expect(sessions.filter(({ current }) => current)).toHaveLength(1);
    for (const { id } of sessions.filter(({ current }) => !current)) {
      expect((await call('DELETE', `${auth}/sessions/${id}`, { token: one })).status).toBe(204);
    }
    expect((await tenants(two)).status).toBe(401);
    expect((await tenants(one)).status).toBe(200);
    const stranger = await createUser(`other-${tests}@example.test`, 'backoffice');
    const [theirs] = await prisma().session.findMany({ where: { user_id: stranger.id } });
    expect((await call('DELETE', `${auth}/sessions/${theirs?.id}`, { token: one })).status).toBe(404);
    expect((await post('/logout', {}, one)).status).toBe(204);
    expect((await tenants(one)).status).toBe(401);
  });

  test('all end with revoke-all, and all but this one with a new password', async () => {
    const [one, two] = [tokenOf(await login()), tokenOf(await login())];
    const changed = await post('/password', { current_password: PASSWORD, new_password: `${PASSWORD}!` }, one);
    expect(changed.status).toBe(204);
    expect([(await tenants(one)).status, (await tenants(two)).status]).toEqual([200, 401]);
    expect((await post('/sessions/revoke-all', {}, one)).status).toBe(204);
    expect((await tenants(one)).status).toBe(401);
  });
});
