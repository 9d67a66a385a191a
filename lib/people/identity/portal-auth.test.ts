import { beforeEach, describe, expect, test } from 'vitest';
import { prisma } from '@/lib/core/db/prisma';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { enrol, givePassword, PASSWORD, stepStart, totpCode } from '@/lib/testing/sign-in';
import { signInPage } from '@/lib/testing/sign-in-pages';
import { api, createProject, signIn, type TestUser } from '@/lib/testing/world';
import { sessionCookies } from './cookies';
import { challengeCookieName } from './portal-auth';

testDatabase();
const call = api();
const { tenant: sessionCookie } = sessionCookies();
let ada: TestUser;
let start: number;
let tests = 0;

beforeEach(async () => {
  tests += 1;
  start = stepStart();
  await setTestClock(start);
  const project = await createProject('portal');
  ada = project.users.admin;
  await givePassword(ada);
});

type Page = { status: number; body: unknown; error: string | null };

/** A browser at the sign-in page. Keeps cookies, and calls next-auth's handler without a running Next server. */
class Browser {
  readonly jar = new Map<string, { value: string; attributes: string }>();
  constructor(private readonly address: string) {}

  get session(): string | undefined {
    return this.jar.get(sessionCookie)?.value;
  }

  async open(method: 'GET' | 'POST', path: string, form: Record<string, string> = {}): Promise<Page> {
    const cookies = Object.fromEntries([...this.jar].map(([name, { value }]) => [name, value]));
    const headers = new Headers({
      'user-agent': 'Firefox',
      'x-nephele-client-address': this.address,
      'x-forwarded-for': '203.0.113.99',
      cookie: Object.entries(cookies)
        .map(([name, value]) => `${name}=${value}`)
        .join('; '),
    });
    const body = method === 'POST' ? { ...form, csrfToken: await this.formToken(), json: 'true' } : {};
    if (method === 'POST')
      Object.assign(cookies, Object.fromEntries([...this.jar].map(([name, { value }]) => [name, value])));
    const answer = await signInPage(method, path, { headers, cookies, body });
    const page: Page = { status: answer.status, body: answer.body, error: null };
    for (const cookie of answer.set_cookies) this.keep(cookie);
    const url = typeof page.body === 'object' && page.body !== null && 'url' in page.body ? String(page.body.url) : '';
    if (url) page.error = new URL(url).searchParams.get('error');
    return page;
  }

  password(password = PASSWORD, email = ada.email): Promise<Page> {
    return this.open('POST', 'callback/password', { email, password });
  }

  code(code: string): Promise<Page> {
    return this.open('POST', 'callback/second-factor', { code });
  }

  private async formToken(): Promise<string> {
    const { body } = await this.open('GET', 'csrf');
    return (body as { csrfToken: string }).csrfToken;
  }

  private keep(cookie: string): void {
    const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*);?(.*)$/.exec(cookie) ?? [];
    if (value === '' || /Max-Age=0/i.test(attributes)) this.jar.delete(name);
    else this.jar.set(name, { value: decodeURIComponent(value), attributes });
  }
}

const browser = () => new Browser(`192.0.2.${tests}`);
const whoAmI = (token = '') => call('GET', '/auth/me', { headers: { Cookie: `${sessionCookie}=${token}` } });

describe('signing in to the portal', () => {
  test('sets a cookie that scripts cannot read and that the API accepts', async () => {
    const page = browser();
    expect((await page.password()).error).toBeNull();
    expect(page.jar.get(sessionCookie)?.attributes).toMatch(/(?=.*HttpOnly)(?=.*SameSite=Lax)(?=.*Path=\/)/);
    expect((await whoAmI(page.session)).body).toMatchObject({ type: 'user', email: ada.email });
    const { body } = await page.open('GET', 'session');
    expect(body).toMatchObject({ user: { email: ada.email } });
  });

  test('starts a session with the socket’s address, whatever headers say', async () => {
    const page = browser();
    await page.password();
    const [row] = await prisma().session.findMany({ where: { user_id: ada.id, kind: 'browser' } });
    expect(row).toMatchObject({ address: `192.0.2.${tests}`, user_agent: 'Firefox', realm: 'tenant' });
    const sevenDays = 7 * 24 * 60 * 60 * 1000;
    expect(Number(row?.expires_at) - Number(row?.created_at)).toBe(sevenDays);
  });

  test('refuses a wrong password and a request that is not a form', async () => {
    const page = browser();
    expect(await page.password('wrong')).toMatchObject({ status: 401, error: 'INVALID_CREDENTIALS' });
    expect((await page.open('POST', 'callback/password')).error).toBe('INVALID_CREDENTIALS');
    expect(page.session).toBeUndefined();
  });

  test('shares the failure limit with the API, and says how long to wait', async () => {
    const page = browser();
    const body = { email: ada.email, password: 'wrong' };
    for (let i = 0; i < 5; i++) await call('POST', '/auth/login', { body, address: `192.0.2.${tests}` });
    for (let i = 0; i < 5; i++) await page.password('wrong');
    expect((await page.password()).error).toMatch(/^RATE_LIMITED:8\d\d$|^RATE_LIMITED:900$/);
    expect((await new Browser('198.51.100.1').password()).error).toBeNull();
  });

  test('is refused to people with suspended projects only', async () => {
    await prisma().project.updateMany({
      where: { memberships: { some: { user_id: ada.id } } },
      data: { status: 'suspended' },
    });
    expect((await browser().password()).error).toBe('TENANT_SUSPENDED');
  });

  test('is refused without the form token', async () => {
    const forged = browser();
    Object.defineProperty(forged, 'formToken', { value: async () => 'forged' });
    await forged.password();
    expect(forged.session).toBeUndefined();
  });
});

describe('signing in with a second factor', () => {
  test('takes two steps, with the challenge in a cookie', async () => {
    const { secret } = await enrol(call, ada.token);
    const page = browser();
    expect((await page.password()).error).toBe('MFA_REQUIRED');
    expect(page.session).toBeUndefined();
    expect(page.jar.get(challengeCookieName())?.attributes).toMatch(
      /(?=.*HttpOnly)(?=.*SameSite=Strict)(?=.*Max-Age=300)/,
    );
    expect((await page.code(totpCode(secret, 9))).error).toBe('TOTP_INVALID');
    expect((await page.code(totpCode(secret))).error).toBeNull();
    expect((await whoAmI(page.session)).status).toBe(200);
    expect(page.jar.has(challengeCookieName())).toBe(false);
  });

  test('accepts a recovery code in the second step', async () => {
    const { recovery_codes } = await enrol(call, ada.token);
    const page = browser();
    await page.password();
    expect((await page.code(recovery_codes[0] ?? '')).error).toBeNull();
    expect((await whoAmI(page.session)).status).toBe(200);
  });

  test('starts over without a challenge, after five minutes, and with a challenge of the API', async () => {
    const { secret } = await enrol(call, ada.token);
    expect((await browser().code(totpCode(secret))).error).toBe('UNAUTHENTICATED');
    const ofApi = await call('POST', '/auth/login', { body: { email: ada.email, password: PASSWORD } });
    const page = browser();
    const { challenge_token } = ofApi.body as { challenge_token: string };
    page.jar.set(challengeCookieName(), { value: challenge_token, attributes: '' });
    expect((await page.code(totpCode(secret))).error).toBe('UNAUTHENTICATED');
    await page.password();
    await setTestClock(start + 5 * 60_000 + 1000);
    expect((await page.code(totpCode(secret))).error).toBe('UNAUTHENTICATED');
  });
});

describe('the portal’s session cookie', () => {
  test('is worthless after sign-out, in every copy', async () => {
    const page = browser();
    await page.password();
    const copied = page.session;
    await page.open('POST', 'signout');
    expect(page.session).toBeUndefined();
    expect((await whoAmI(copied)).status).toBe(401);
    const entries = await prisma().auditEntry.findMany({ where: { action: 'auth.logout', actor_id: ada.id } });
    expect(entries).toMatchObject([{ actor_name: ada.email, result: 'succeeded' }]);
  });

  test('is cleared after its session was revoked elsewhere', async () => {
    const page = browser();
    await page.password();
    await call('POST', '/auth/sessions/revoke-all', { token: ada.token });
    expect((await page.open('GET', 'session')).body).toEqual({});
    expect(page.session).toBeUndefined();
  });

  test('keeps its expiry when it is renewed', async () => {
    const page = browser();
    await page.password();
    const before = page.session ?? '';
    await setTestClock(start + 60 * 60_000);
    await page.open('GET', 'session');
    const after = page.session ?? '';
    expect(after).not.toBe(before);
    const end = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).exp;
    expect(end(after)).toBe(end(before));
  });

  test('cannot serve as a script’s access token: each is listed as what it is', async () => {
    await signIn(ada.id);
    const page = browser();
    await page.password();
    const { body } = await call('GET', '/auth/sessions', { headers: { Cookie: `${sessionCookie}=${page.session}` } });
    const kinds = (body as { kind: string; current: boolean }[]).map(({ kind, current }) => [kind, current]);
    expect(kinds).toEqual([
      ['browser', true],
      ['access_token', false],
      ['access_token', false],
    ]);
  });
});
