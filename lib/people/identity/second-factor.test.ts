import { beforeEach, describe, expect, test } from 'vitest';
import { prisma } from '@/lib/core/db/prisma';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { enrol, givePassword, PASSWORD, stepStart, totpCode } from '@/lib/testing/sign-in';
import { api, createProject, createUser, type TestUser } from '@/lib/testing/world';

testDatabase();
const call = api();
let ada: TestUser;
let address: string;
let tests = 0;
let start: number;

beforeEach(async () => {
  tests += 1;
  address = `192.0.2.${tests}`;
  start = stepStart();
  await setTestClock(start);
  ada = await createUser(`ada-${tests}@example.test`);
});

const post = (path: string, body: object, token = ada.token) => call('POST', path, { token, body, address });
const verify = (code: string) => post('/auth/2fa/verify', { code });
const error = (code: string, status: number) => ({ error: { code, status } });

describe('setup', () => {
  test('returns a key, its address and QR code, and does not take effect yet', async () => {
    const { status, body } = await post('/auth/2fa/setup', {});
    expect(status).toBe(200);
    const { secret, otpauth_uri, qr_code } = body as { secret: string; otpauth_uri: string; qr_code: string };
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    const uri = new URL(otpauth_uri);
    expect([uri.protocol, uri.host, decodeURIComponent(uri.pathname)]).toEqual([
      'otpauth:',
      'totp',
      `/Nephele:${ada.email}`,
    ]);
    expect(Object.fromEntries(uri.searchParams)).toMatchObject({ secret, issuer: 'Nephele' });
    const [head, image] = qr_code.split(',');
    expect(head).toBe('data:image/png;base64');
    expect(
      Buffer.from(image ?? '', 'base64')
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
    await givePassword(ada);
    expect((await post('/auth/login', { email: ada.email, password: PASSWORD })).body).toHaveProperty('access_token');
    expect((await verify(totpCode(secret))).body).toEqual({ valid: false });
  });

  test('keeps the key sealed, and returns a new one until it is activated', async () => {
    const first = (await post('/auth/2fa/setup', {})).body as { secret: string };
    const second = (await post('/auth/2fa/setup', {})).body as { secret: string };
    const { totp_secret } = await prisma().user.findUniqueOrThrow({ where: { id: ada.id } });
    expect(Buffer.from(totp_secret ?? []).toString('latin1')).not.toContain(second.secret);
    expect((await post('/auth/2fa/activate', { code: totpCode(first.secret) })).body).toMatchObject(
      error('TOTP_INVALID', 401),
    );
    expect((await post('/auth/2fa/activate', { code: totpCode(second.secret) })).status).toBe(200);
    expect((await post('/auth/2fa/setup', {})).body).toMatchObject(error('CONFLICT', 409));
  });
});

describe('activation', () => {
  test('returns ten recovery codes and stores only their hashes', async () => {
    const { recovery_codes } = await enrol(call, ada.token);
    expect(recovery_codes).toHaveLength(10);
    expect(new Set(recovery_codes).size).toBe(10);
    const stored = await prisma().recoveryCode.findMany({ where: { user_id: ada.id } });
    expect(stored).toHaveLength(10);
    const me = await call('GET', '/auth/me', { token: ada.token });
    expect(me.body).toMatchObject({ two_factor_enabled: true, recovery_codes_left: 10 });
  });

  test('spends its code', async () => {
    const { secret } = (await post('/auth/2fa/setup', {})).body as { secret: string };
    const code = totpCode(secret);
    expect((await post('/auth/2fa/activate', { code })).status).toBe(200);
    expect((await verify(code)).body).toEqual({ valid: false });
  });

  test('by two concurrent requests with one code succeeds once', async () => {
    const { secret } = (await post('/auth/2fa/setup', {})).body as { secret: string };
    const code = totpCode(secret);
    const answers = await Promise.all([1, 2, 3].map(() => post('/auth/2fa/activate', { code })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(await prisma().recoveryCode.count({ where: { user_id: ada.id } })).toBe(10);
  });

  test('needs a key first', async () => {
    expect((await post('/auth/2fa/activate', { code: '123456' })).body).toMatchObject(error('CONFLICT', 409));
  });
});

describe('a code', () => {
  test('works once', async () => {
    const { secret } = await enrol(call, ada.token);
    const code = totpCode(secret);
    expect((await verify(code)).body).toEqual({ valid: true });
    expect((await verify(code)).body).toEqual({ valid: false });
  });

  test('in many concurrent requests works once', async () => {
    const { secret } = await enrol(call, ada.token);
    const code = totpCode(secret);
    const answers = await Promise.all(Array.from({ length: 8 }, () => verify(code)));
    expect(answers.filter(({ body }) => (body as { valid: boolean }).valid)).toHaveLength(1);
  });

  test.each([
    [-2, false],
    [-1, true],
    [0, true],
    [1, true],
    [2, false],
  ])('of a clock %i steps away is accepted: %s', async (steps, valid) => {
    const { secret } = await enrol(call, ada.token);
    // Well after enrolment, which used the code of the previous step.
    await setTestClock(start + 10 * 60_000);
    expect((await verify(totpCode(secret, steps))).body).toEqual({ valid });
  });

  test('of an earlier step is worthless once a later one was used', async () => {
    const { secret } = await enrol(call, ada.token);
    await setTestClock(start + 60_000);
    const earlier = totpCode(secret);
    expect((await verify(totpCode(secret, 1))).body).toEqual({ valid: true });
    expect((await verify(earlier)).body).toEqual({ valid: false });
  });

  test('may contain a space', async () => {
    const { secret } = await enrol(call, ada.token);
    expect((await verify(totpCode(secret).replace(/(...)/, '$1 '))).body).toEqual({ valid: true });
  });

  test('of another account is wrong', async () => {
    await enrol(call, ada.token);
    const eve = await createUser(`eve-${tests}@example.test`);
    const { secret, recovery_codes } = await enrol(call, eve.token);
    expect((await verify(totpCode(secret))).body).toEqual({ valid: false });
    expect((await verify(recovery_codes[0] ?? '')).body).toEqual({ valid: false });
  });

  test('can be guessed at most ten times, even by signed-in users', async () => {
    const { secret } = await enrol(call, ada.token);
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => verify(totpCode(secret, 100 + i))));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(40);
    expect((await post('/auth/2fa/disable', { code: totpCode(secret) })).status).toBe(429);
  });
});

describe('a recovery code', () => {
  test('is accepted at login, at a challenge, for verify and for disable, each once', async () => {
    await givePassword(ada);
    const { recovery_codes } = await enrol(call, ada.token);
    const [first = '', second = '', third = '', fourth = ''] = recovery_codes;
    const credentials = { email: ada.email, password: PASSWORD };
    expect((await post('/auth/login', { ...credentials, totp_code: first })).body).toHaveProperty('access_token');
    expect((await post('/auth/login', { ...credentials, totp_code: first })).body).toMatchObject(
      error('TOTP_INVALID', 401),
    );
    const { challenge_token } = (await post('/auth/login', credentials)).body as { challenge_token: string };
    expect((await post('/auth/2fa/verify', { challenge_token, code: second })).body).toHaveProperty('access_token');
    expect((await verify(third)).body).toEqual({ valid: true });
    expect((await verify(third)).body).toEqual({ valid: false });
    const me = await call('GET', '/auth/me', { token: ada.token });
    expect(me.body).toMatchObject({ recovery_codes_left: 7 });
    expect((await post('/auth/2fa/disable', { code: fourth })).body).toEqual({ enabled: false });
  });

  test('is accepted as people type it', async () => {
    const { recovery_codes } = await enrol(call, ada.token);
    const written = (recovery_codes[0] ?? '')
      .toUpperCase()
      .replaceAll('-', ' ')
      .replaceAll('0', 'O')
      .replaceAll('1', 'l');
    expect((await verify(written)).body).toEqual({ valid: true });
  });

  test('in many concurrent requests works once', async () => {
    const { recovery_codes } = await enrol(call, ada.token);
    const answers = await Promise.all(Array.from({ length: 8 }, () => verify(recovery_codes[0] ?? '')));
    expect(answers.filter(({ body }) => (body as { valid: boolean }).valid)).toHaveLength(1);
  });

  test('of an earlier second factor is worthless', async () => {
    const { secret, recovery_codes } = await enrol(call, ada.token);
    await post('/auth/2fa/disable', { code: totpCode(secret) });
    await enrol(call, ada.token);
    expect((await verify(recovery_codes[0] ?? '')).body).toEqual({ valid: false });
  });
});

describe('disable', () => {
  test('needs a valid code, and then the password is enough', async () => {
    await givePassword(ada);
    const { secret } = await enrol(call, ada.token);
    expect((await post('/auth/2fa/disable', { code: totpCode(secret, 9) })).body).toMatchObject(
      error('TOTP_INVALID', 401),
    );
    expect((await post('/auth/2fa/disable', { code: totpCode(secret) })).body).toEqual({ enabled: false });
    expect((await post('/auth/login', { email: ada.email, password: PASSWORD })).body).toHaveProperty('access_token');
    const row = await prisma().user.findUniqueOrThrow({ where: { id: ada.id } });
    expect([row.totp_secret, row.totp_activated_at]).toEqual([null, null]);
    expect((await post('/auth/2fa/disable', { code: totpCode(secret) })).body).toMatchObject(error('CONFLICT', 409));
  });
});

describe('verify', () => {
  test('without a challenge needs a signed-in person', async () => {
    const anonymous = await call('POST', '/auth/2fa/verify', { body: { code: '123456' }, address });
    expect(anonymous.body).toMatchObject(error('UNAUTHENTICATED', 401));
    expect(anonymous.headers.get('www-authenticate')).toBe('Bearer');
  });
});

test('the audit log records events of the second factor, but neither key nor code', async () => {
  const { users } = await createProject('audited');
  const { secret, recovery_codes } = await enrol(call, users.admin.token);
  const code = totpCode(secret);
  await post('/auth/2fa/verify', { code }, users.admin.token);
  await post('/auth/2fa/disable', { code: recovery_codes[0] }, users.admin.token);
  const entries = await prisma().auditEntry.findMany({ where: { actor_id: users.admin.id }, orderBy: { id: 'asc' } });
  expect(entries.map(({ action, result }) => [action, result])).toEqual([
    ['second_factor.setup', 'succeeded'],
    ['second_factor.activate', 'succeeded'],
    ['second_factor.verify', 'succeeded'],
    ['second_factor.disable', 'succeeded'],
  ]);
  const text = JSON.stringify(entries);
  for (const hidden of [secret, code, ...recovery_codes]) expect(text).not.toContain(hidden);
});
