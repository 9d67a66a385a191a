import { beforeEach, describe, expect, test } from 'vitest';
import { prisma } from '@/lib/core/db/prisma';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { enrol, givePassword, PASSWORD, stepStart } from '@/lib/testing/sign-in';
import { api, createProject, createUser, type TestUser } from '@/lib/testing/world';
import { resetPassword, resetSecondFactor } from './recovery';

testDatabase();
const call = api();
let ada: TestUser;
let tests = 0;

beforeEach(async () => {
  tests += 1;
  await setTestClock(stepStart());
  ada = await createUser(`ada-${tests}@example.test`);
  await givePassword(ada);
});

const login = (password: string) =>
  call('POST', '/auth/login', { body: { email: ada.email, password }, address: `192.0.2.${tests}` });
const works = async (token: string) => (await call('GET', '/auth/me', { token })).status === 200;

describe('recovery on the host', () => {
  test('replaces the password and ends all sessions', async () => {
    const password = await resetPassword(ada.email.toUpperCase());
    expect(await works(ada.token)).toBe(false);
    expect((await login(PASSWORD)).status).toBe(401);
    expect((await login(password)).status).toBe(200);
  });

  test('revokes the API tokens of the account', async () => {
    const acme = await createProject('acme');
    const { member } = acme.users;
    const made = await call('POST', '/auth/tokens', { token: member.token, body: { name: 'ci', role: 'reader' } });
    const { token } = made.body as { token: string };
    expect(await works(token)).toBe(true);
    await resetPassword(member.email);
    expect(await works(token)).toBe(false);
  });

  test('makes the new password work at once, even after too many failures', async () => {
    for (let i = 0; i < 10; i++) await login('wrong');
    expect((await login(PASSWORD)).status).toBe(429);
    const password = await resetPassword(ada.email);
    expect((await login(password)).status).toBe(200);
  });

  test('removes the second factor with its recovery codes and all sessions', async () => {
    await enrol(call, ada.token);
    await resetSecondFactor(ada.email);
    expect(await works(ada.token)).toBe(false);
    expect((await login(PASSWORD)).body).toHaveProperty('access_token');
    expect(await prisma().recoveryCode.count({ where: { user_id: ada.id } })).toBe(0);
  });

  test('audits each reset as the host’s, without the password', async () => {
    const password = await resetPassword(ada.email);
    await resetSecondFactor(ada.email);
    const entries = await prisma().auditEntry.findMany({ where: { resource_id: ada.id }, orderBy: { id: 'asc' } });
    const host = { actor_type: 'host', actor_name: 'test-host', resource_name: ada.email, result: 'succeeded' };
    expect(entries).toMatchObject([
      { ...host, action: 'user.reset_password' },
      { ...host, action: 'user.reset_second_factor' },
    ]);
    expect(JSON.stringify(entries)).not.toContain(password);
  });

  test('reports an unknown e-mail address', async () => {
    await expect(resetPassword('nobody@example.test')).rejects.toThrow('nobody@example.test');
    await expect(resetSecondFactor('nobody@example.test')).rejects.toThrow('nobody@example.test');
  });
});
