import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { prisma } from '@/lib/core/db/prisma';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { enrol, givePassword, PASSWORD, stepStart, totpCode } from '@/lib/testing/sign-in';
import { api, createProject, createUser, type TestProject } from '@/lib/testing/world';

const counted = vi.hoisted(() => ({ verifications: 0 }));
// The real argon2 with a call counter: the number of calls determines the response time.
vi.mock('@node-rs/argon2', async (original) => {
  const argon2 = await original<typeof import('@node-rs/argon2')>();
  const verify: typeof argon2.verify = (...given) => {
    counted.verifications += 1;
    return argon2.verify(...given);
  };
  return { ...argon2, verify };
});

testDatabase();
const call = api();
let acme: TestProject;
let email: string;
let address: string;
let addresses = 0;
let start: number;

beforeAll(async () => {
  acme = await createProject('acme');
  email = acme.users.member.email;
  await givePassword(acme.users.member);
});
beforeEach(async () => {
  // A fresh address per test, so that none uses up another's failures.
  addresses += 1;
  address = `192.0.2.${addresses}`;
  start = stepStart();
  await setTestClock(start);
});

const login = (body: object) => call('POST', '/auth/login', { body, address });
const verify = (body: object, token?: string) =>
  call('POST', '/auth/2fa/verify', { body, address, ...(token ? { token } : {}) });
const error = (code: string, status: number) => ({ error: { code, status } });

async function enrolled() {
  const { users } = await createProject('safe');
  await givePassword(users.admin);
  return { ...users.admin, ...(await enrol(call, users.admin.token)) };
}

async function challengeFor(person: { email: string }): Promise<string> {
  const { status, body } = await login({ email: person.email, password: PASSWORD });
  expect(status).toBe(200);
  expect(body).toEqual({ mfa_required: true, challenge_token: expect.any(String), expires_in: 300 });
  return (body as { challenge_token: string }).challenge_token;
}

describe('login', () => {
  test('returns an access token that works for an hour', async () => {
    const { status, body } = await login({ email, password: PASSWORD });
    expect(status).toBe(200);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, user: { id: acme.users.member.id, email } });
    const token = (body as { access_token: string }).access_token;
    expect((await call('GET', '/auth/me', { token })).status).toBe(200);
    await setTestClock(start + 59 * 60_000);
    expect((await call('GET', '/auth/me', { token })).status).toBe(200);
    await setTestClock(start + 60 * 60_000 + 1000);
    expect((await call('GET', '/auth/me', { token })).status).toBe(401);
  });

  test('ignores the case of the e-mail', async () => {
    expect((await login({ email: email.toUpperCase(), password: PASSWORD })).status).toBe(200);
  });

  test.each(['', 'x', PASSWORD.toUpperCase(), 'y'.repeat(1024), 'ünïcödé\u{1f511}'])(
    'refuses a wrong password like an unknown account, with equal work (%#)',
    async (password) => {
      counted.verifications = 0;
      const wrong = await login({ email, password });
      expect(counted.verifications).toBe(1);
      const unknown = await login({ email: 'nobody@example.test', password });
      expect(counted.verifications).toBe(2);
      const withoutPassword = await login({ email: acme.users.reader.email, password });
      expect(counted.verifications).toBe(3);
      for (const answer of [wrong, unknown, withoutPassword]) {
        expect(answer.body).toMatchObject(error('INVALID_CREDENTIALS', 401));
        expect((answer.body as { error: object }).error).toMatchObject({
          message: 'Incorrect e-mail address or password.',
        });
      }
    },
  );

  test('tries at most ten of fifty concurrent guesses', async () => {
    counted.verifications = 0;
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => login({ email, password: `guess-${i}` })));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(40);
    expect(counted.verifications).toBe(10);
    const refused = await login({ email, password: PASSWORD });
    expect(refused.body).toMatchObject(error('RATE_LIMITED', 429));
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800);
    const elsewhere = await call('POST', '/auth/login', {
      body: { email, password: PASSWORD },
      address: '198.51.100.7',
    });
    expect(elsewhere.status).toBe(200);
  });

  test('limits guesses at unknown accounts in the same way', async () => {
    const guess = () => login({ email: 'ghost@example.test', password: 'x' });
    const answers = await Promise.all(Array.from({ length: 12 }, guess));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2);
  });

  test('renews a hash with an outdated cost', async () => {
    const { hash } = await import('@node-rs/argon2');
    const { id, email } = await createUser(`old-hash-${addresses}@example.test`);
    const outdated = await hash(PASSWORD, { memoryCost: 8192, timeCost: 1 });
    await prisma().user.update({ where: { id }, data: { password_hash: outdated } });
    expect((await login({ email, password: PASSWORD })).status).toBe(200);
    const { password_hash } = await prisma().user.findUniqueOrThrow({ where: { id } });
    expect(password_hash).not.toBe(outdated);
    expect(password_hash).toContain('m=47104,t=1,p=1');
    expect((await login({ email, password: PASSWORD })).status).toBe(200);
  });
});

describe('the audit log', () => {
  test('has every failed sign-in under the e-mail as entered, without passwords', async () => {
    await login({ email: 'Mallory@example.test', password: 'hunter2-hunter2' });
    await login({ email, password: 'hunter2-hunter2' });
    const entries = await prisma().auditEntry.findMany({ where: { address }, orderBy: { id: 'asc' } });
    expect(entries).toMatchObject([
      { action: 'auth.login', actor_type: 'anonymous', actor_name: 'mallory@example.test', result: 'refused' },
      { actor_type: 'anonymous', actor_name: email, code: 'INVALID_CREDENTIALS', resource_id: acme.users.member.id },
    ]);
    expect(JSON.stringify(entries)).not.toContain('hunter2');
  });

  test('has successful sign-ins under the person, once', async () => {
    await login({ email, password: PASSWORD });
    const entries = await prisma().auditEntry.findMany({ where: { address } });
    expect(entries).toMatchObject([
      {
        action: 'auth.login',
        result: 'succeeded',
        actor_type: 'user',
        actor_id: acme.users.member.id,
        actor_name: email,
      },
    ]);
  });

  test('is not filled by rate-limited attempts', async () => {
    await Promise.all(Array.from({ length: 30 }, () => login({ email: 'flood@example.test', password: 'x' })));
    expect(await prisma().auditEntry.count({ where: { address } })).toBe(10);
  });
});

describe('the portal refuses sign-in to', () => {
  test('a person whose projects are all suspended', async () => {
    const { id, users } = await createProject('closed');
    await givePassword(users.admin);
    await prisma().project.update({ where: { id }, data: { status: 'suspended' } });
    const refused = await login({ email: users.admin.email, password: PASSWORD });
    expect(refused.body).toMatchObject(error('TENANT_SUSPENDED', 403));
    // A wrong password must not reveal this.
    const guess = await login({ email: users.admin.email, password: 'x' });
    expect(guess.body).toMatchObject(error('INVALID_CREDENTIALS', 401));
    const membership = { user_id: users.admin.id, status: 'active', created_at: new Date(), updated_at: new Date() };
    await prisma().membership.create({ data: { project_id: acme.id, ...membership } });
    expect((await login({ email: users.admin.email, password: PASSWORD })).status).toBe(200);
  });

  test('a platform administrator, unless they belong to a project', async () => {
    const administrator = await createUser(`root-${addresses}@example.test`, 'backoffice');
    await givePassword(administrator);
    const credentials = { email: administrator.email, password: PASSWORD };
    expect((await login(credentials)).body).toMatchObject(error('FORBIDDEN', 403));
    const membership = { user_id: administrator.id, status: 'active', created_at: new Date(), updated_at: new Date() };
    await prisma().membership.create({ data: { project_id: acme.id, ...membership } });
    const { body } = await login(credentials);
    const { access_token: token } = body as { access_token: string };
    expect((await call('GET', '/auth/me', { token })).body).toMatchObject({ email: administrator.email });
  });
});

describe('login with a second factor in force', () => {
  test('accepts password and code at once', async () => {
    const person = await enrolled();
    const credentials = { email: person.email, password: PASSWORD };
    const { status, body } = await login({ ...credentials, totp_code: totpCode(person.secret) });
    expect(status).toBe(200);
    expect(body).toMatchObject({ token_type: 'Bearer', user: { two_factor_enabled: true } });
  });

  test('refuses a wrong code, and a wrong password whatever the code', async () => {
    const person = await enrolled();
    const wrongCode = await login({ email: person.email, password: PASSWORD, totp_code: totpCode(person.secret, 10) });
    expect(wrongCode.body).toMatchObject(error('TOTP_INVALID', 401));
    const code = totpCode(person.secret);
    const wrongPassword = await login({ email: person.email, password: 'x', totp_code: code });
    expect(wrongPassword.body).toMatchObject(error('INVALID_CREDENTIALS', 401));
    // A code sent with a wrong password is not spent.
    expect((await login({ email: person.email, password: PASSWORD, totp_code: code })).status).toBe(200);
  });

  test('returns a challenge without a code, and the access token for the challenge and a code', async () => {
    const person = await enrolled();
    const challenge_token = await challengeFor(person);
    const { status, body } = await verify({ challenge_token, code: totpCode(person.secret) });
    expect(status).toBe(200);
    const { access_token: token } = body as { access_token: string };
    expect((await call('GET', '/auth/me', { token })).body).toMatchObject({ id: person.id });
  });

  test('a challenge is not an access token, and an access token is not a challenge', async () => {
    const person = await enrolled();
    const challenge = await challengeFor(person);
    expect((await call('GET', '/auth/me', { token: challenge })).status).toBe(401);
    const answer = await verify({ challenge_token: person.token, code: totpCode(person.secret) });
    expect(answer.body).toMatchObject(error('UNAUTHENTICATED', 401));
  });

  test('a challenge ends after five minutes', async () => {
    const person = await enrolled();
    const challenge_token = await challengeFor(person);
    await setTestClock(start + 5 * 60_000 + 1000);
    const late = await verify({ challenge_token, code: totpCode(person.secret) });
    expect(late.body).toMatchObject(error('UNAUTHENTICATED', 401));
  });

  test('a challenge ends with a change of the password', async () => {
    const person = await enrolled();
    const challenge_token = await challengeFor(person);
    const body = { current_password: PASSWORD, new_password: 'a new and longer one' };
    expect((await call('POST', '/auth/password', { token: person.token, body })).status).toBe(204);
    const answer = await verify({ challenge_token, code: totpCode(person.secret) });
    expect(answer.body).toMatchObject(error('UNAUTHENTICATED', 401));
  });

  test('a challenge ends with a change of the second factor', async () => {
    const person = await enrolled();
    const challenge_token = await challengeFor(person);
    const disabled = await call('POST', '/auth/2fa/disable', {
      token: person.token,
      body: { code: totpCode(person.secret) },
    });
    expect(disabled.status).toBe(200);
    expect((await verify({ challenge_token, code: totpCode(person.secret, 1) })).status).toBe(401);
    const { secret } = await enrol(call, person.token);
    const answer = await verify({ challenge_token, code: totpCode(secret) });
    expect(answer.body).toMatchObject(error('UNAUTHENTICATED', 401));
  });

  test('limits and audits wrong codes for a challenge together with those at login', async () => {
    const person = await enrolled();
    const challenge_token = await challengeFor(person);
    const guess = (i: number) =>
      i % 2 === 0
        ? verify({ challenge_token, code: totpCode(person.secret, 100 + i) })
        : login({ email: person.email, password: PASSWORD, totp_code: totpCode(person.secret, 100 + i) });
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => guess(i)));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(40);
    expect(await prisma().auditEntry.count({ where: { address, code: 'TOTP_INVALID' } })).toBe(10);
    expect((await verify({ challenge_token, code: totpCode(person.secret) })).status).toBe(429);
  });
});

test('a session created while the password changes does not outlive the change', async () => {
  const person = await createUser(`race-${addresses}@example.test`);
  await givePassword(person);
  const { findByEmail } = await import('./account');
  const { openSession } = await import('./sessions');
  const before = await findByEmail(person.email, 'tenant');
  if (!before) throw new Error('the account is missing');
  const body = { current_password: PASSWORD, new_password: 'a new and longer one' };
  expect((await call('POST', '/auth/password', { token: person.token, body, address })).status).toBe(204);
  // Simulates a sign-in that checked the old password just before.
  const origin = { at: new Date(), caller: undefined, address, user_agent: '', request_id: 'race' };
  const late = await openSession(origin, before, { realm: 'tenant', kind: 'access_token', second_factor: null });
  expect((await call('GET', '/auth/me', { token: late.token })).status).toBe(401);
});
