import { beforeEach, expect, test } from 'vitest';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { enrol, givePassword, PASSWORD, stepStart, totpCode } from '@/lib/testing/sign-in';
import { api, createUser, type TestUser } from '@/lib/testing/world';
import { failureLimits } from './attempts';
import { resetPassword } from './recovery';

testDatabase();
const call = api();
const { most } = failureLimits.code;
const DAY_MS = 24 * 60 * 60_000;
let ada: TestUser & { secret: string; recovery_codes: string[] };
let addresses = 0;
let start: number;

beforeEach(async () => {
  start = stepStart();
  await setTestClock(start);
  const user = await createUser(`ada-${addresses}@example.test`);
  await givePassword(user);
  ada = { ...user, ...(await enrol(call, user.token)) };
});

/** Sends each request from a fresh address, like a botnet. */
function post(path: string, body: object, token?: string) {
  addresses += 1;
  const address = `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`;
  return call('POST', path, { body, address, ...(token === undefined ? {} : { token }) });
}
const login = (totp_code: string, password = PASSWORD) =>
  post('/auth/login', { email: ada.email, password, totp_code });
const rightCode = () => totpCode(ada.secret);

async function challenge(): Promise<string> {
  const { body } = await post('/auth/login', { email: ada.email, password: PASSWORD });
  return (body as { challenge_token: string }).challenge_token;
}

async function guess(times: number): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: times }, () => login('000000')));
  return answers.map(({ status }) => status);
}

test('wrong codes after the correct password are limited per account, from any number of addresses', async () => {
  const statuses = await guess(2 * most);
  expect(statuses.filter((status) => status === 401)).toHaveLength(most);
  expect(statuses.filter((status) => status === 429)).toHaveLength(most);
  const refused = await login(rightCode());
  expect([refused.status, refused.body]).toMatchObject([429, { error: { code: 'RATE_LIMITED' } }]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(23 * 60 * 60);
  await setTestClock(start + DAY_MS + 60_000);
  expect((await login(rightCode())).status).toBe(200);
});

test('codes at login, for a challenge, recovery codes and codes of a session share one limit', async () => {
  const challenge_token = await challenge();
  const ways = [
    () => login('000000'),
    () => login('k7wp-3mzx-90ab-k7wp'),
    () => post('/auth/2fa/verify', { challenge_token, code: '000000' }),
    () => post('/auth/2fa/verify', { challenge_token, code: 'k7wp-3mzx-90ab-k7wp' }),
    () => post('/auth/2fa/disable', { code: '000000' }, ada.token),
  ];
  for (let i = 0; i < most; i++) expect((await ways[i % ways.length]?.())?.status).toBe(401);
  for (const way of ways) expect((await way()).status).toBe(429);
  expect((await login(ada.recovery_codes[0] ?? '')).status).toBe(429);
  expect((await post('/auth/2fa/verify', { challenge_token, code: rightCode() })).status).toBe(429);
});

test('an attacker without the password cannot lock the account', async () => {
  const answers = await Promise.all(Array.from({ length: 2 * most }, () => login('000000', 'wrong')));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
  expect((await login(rightCode())).status).toBe(200);
});

test('correct codes use up no place', async () => {
  for (const code of ada.recovery_codes) expect((await login(code)).status).toBe(200);
  expect((await login(rightCode())).status).toBe(200);
  expect((await guess(most + 1)).filter((status) => status === 401)).toHaveLength(most);
});

test('a new password clears the limit at once', async () => {
  await guess(most);
  const password = await resetPassword(ada.email);
  expect((await login(rightCode(), password)).status).toBe(200);
});

test('a new second factor starts without failures', async () => {
  await guess(most - 1);
  expect((await post('/auth/2fa/disable', { code: rightCode() }, ada.token)).status).toBe(200);
  await setTestClock(start + 5 * 60_000);
  ada = { ...ada, ...(await enrol(call, ada.token)) };
  expect((await guess(2)).filter((status) => status === 401)).toHaveLength(2);
  expect((await login(rightCode())).status).toBe(200);
});
