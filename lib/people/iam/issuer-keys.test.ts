import { jwtVerify, SignJWT } from 'jose';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { setClockOffset } from '@/lib/clock';
import { startIssuer, type TestIssuer } from '@/lib/testing/issuer';
import { issuerKeys } from './issuer-keys';

// The issuer of these tests is on a local address, which an operator would have to allow too.
process.env.ALLOW_PRIVATE_URLS = '127.0.0.1';

let issuer: TestIssuer;
let token: string;
beforeEach(async () => {
  issuer = await startIssuer('ES256');
  token = await issuer.sign();
});
afterEach(async () => {
  setClockOffset(0);
  await issuer.close();
});

/** Whether the signature verifies with a key of the issuer; expiry is not checked here. */
async function accepts(candidate: string, jwks_uri: string | null = null): Promise<boolean> {
  const source = { issuer: issuer.issuer, jwks_uri };
  const verified = jwtVerify(candidate, issuerKeys(source), { currentDate: new Date() });
  return verified.then(
    () => true,
    () => false,
  );
}
const fetched = () => issuer.asked.get('/keys') ?? 0;

test('keys are fetched once for any number of concurrent and later tokens', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => accepts(token)));
  expect(answers).not.toContain(false);
  expect(await accepts(token)).toBe(true);
  expect([...issuer.asked.values()]).toEqual([1, 1]);
});

test('keys at a given address need no discovery', async () => {
  expect(await accepts(token, issuer.jwks_uri)).toBe(true);
  expect([...issuer.asked.keys()]).toEqual(['/keys']);
});

test('a rotated key is found, and the previous one is no longer accepted', async () => {
  expect(await accepts(token)).toBe(true);
  await issuer.rotate();
  setClockOffset(31_000);
  expect(await accepts(await issuer.sign())).toBe(true);
  expect(await accepts(token)).toBe(false);
  expect(fetched()).toBe(2);
});

test('unknown key ids cause at most one fetch per half minute', async () => {
  expect(await accepts(token)).toBe(true);
  const unknown = await issuer.sign({}, { kid: 'unknown' });
  const ask = async () => expect(await Promise.all([1, 2, 3, 4].map(() => accepts(unknown)))).not.toContain(true);
  await ask();
  expect(fetched()).toBe(1);
  setClockOffset(31_000);
  await ask();
  await ask();
  expect(fetched()).toBe(2);
});

test('a withdrawn key is rejected within ten minutes, even without unknown key ids', async () => {
  expect(await accepts(token)).toBe(true);
  await issuer.rotate();
  setClockOffset(599_000);
  expect(await accepts(token)).toBe(true);
  setClockOffset(601_000);
  expect(await accepts(token)).toBe(false);
});

test('a failed issuer is retried after seconds, and known keys stay valid meanwhile', async () => {
  expect(await accepts(token)).toBe(true);
  issuer.answers.set('/keys', { status: 503, body: '' });
  setClockOffset(100_000);
  const unknown = await issuer.sign({}, { kid: 'unknown' });
  for (let round = 0; round < 3; round += 1) expect(await accepts(unknown)).toBe(false);
  expect(fetched()).toBe(2);
  expect(await accepts(token)).toBe(true);
  issuer.answers.clear();
  await issuer.rotate();
  setClockOffset(106_000);
  expect(await accepts(await issuer.sign())).toBe(true);
});

test('a symmetric key among the published ones is ignored', async () => {
  const secret = Buffer.from('a secret that an issuer published by mistake');
  const keys = [{ kty: 'oct', kid: 'oops', alg: 'HS256', k: secret.toString('base64url') }];
  issuer.answers.set('/keys', { status: 200, body: JSON.stringify({ keys }) });
  const forged = await new SignJWT({}).setProtectedHeader({ alg: 'HS256', kid: 'oops' }).sign(secret);
  expect(await accepts(forged)).toBe(false);
});

test('with hundreds of issuers, the least recently used are dropped', async () => {
  expect(await accepts(token, issuer.jwks_uri)).toBe(true);
  const others = (from: number, to: number) =>
    Promise.all(Array.from({ length: to - from }, (_, n) => accepts(token, `${issuer.issuer}/none/${from + n}`)));
  await others(0, 499);
  expect(await accepts(token, issuer.jwks_uri)).toBe(true);
  expect(fetched(), 'one of five hundred is kept').toBe(1);
  await others(500, 1000);
  expect(await accepts(token, issuer.jwks_uri)).toBe(true);
  expect(fetched()).toBe(2);
});
