import { createHmac, createPublicKey } from 'node:crypto';
import { base64url, exportJWK, exportSPKI, generateKeyPair, importJWK, type JWK, type JWTPayload, SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { prisma } from '@/lib/core/db/prisma';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { startIssuer, TEST_AUDIENCE, type TestIssuer } from '@/lib/testing/issuer';
import { type Answer, api, createProject, type TestProject } from '@/lib/testing/world';

// The issuer of these tests is on a local address, which an operator would have to allow too.
process.env.ALLOW_PRIVATE_URLS = '127.0.0.1';

testDatabase();
const call = api();
let issuer: TestIssuer;
let acme: TestProject;
beforeAll(async () => {
  issuer = await startIssuer();
  acme = await createProject('acme');
  await trust(acme);
});
afterAll(() => issuer.close());
afterEach(() => {
  issuer.answers.clear();
  issuer.asked.clear();
});

async function trust(project: TestProject, changes: object = {}): Promise<string> {
  const provider = {
    name: `provider-${Math.random()}`,
    issuer: issuer.issuer,
    audience: TEST_AUDIENCE,
    conditions: { sub: ['repo:acme/site:*'] },
    max_role: 'member',
  };
  const body = { ...provider, ...changes };
  const made = await call('POST', '/iam/providers', { token: project.users.admin.token, body });
  if (made.status !== 201) throw new Error(made.text);
  return (made.body as { id: string }).id;
}

let address = 0;
/** Calls from a fresh address, so that failures of one test do not use up the attempts of another. */
function assume(web_identity_token: string, changes: object = {}, from?: string): Promise<Answer> {
  address += 1;
  const body = { project_id: acme.id, web_identity_token, role: 'member', ...changes };
  return call('POST', '/iam/sts/assume-role', { body, address: from ?? `10.1.${address >> 8}.${address & 255}` });
}
async function credentialsFor(
  token: string,
  changes: object = {},
): Promise<{ access_token: string; expires_at: string }> {
  const answer = await assume(token, changes);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body as { access_token: string; expires_at: string };
}
const statusWith = async (token: string, method = 'GET', path = '/tenant/quota', body?: object) =>
  (await call(method, path, { token, ...(body ? { body } : {}) })).status;
const lastEntry = (projectId: string | null = acme.id) =>
  prisma().auditEntry.findFirst({
    where: { action: 'sts.assume_role', project_id: projectId },
    orderBy: { id: 'desc' },
  });

/** The parts of a refusal that must be equal in all refusals. */
const essence = ({ status, body, headers }: Answer) => {
  const { error } = body as { error: Record<string, unknown> };
  const names = [...headers.keys()].sort();
  return { status, names, error: { ...error, timestamp: '' } };
};

describe('a good token', () => {
  test('is exchanged for working credentials with the requested role', async () => {
    const answer = await assume(await issuer.sign());
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_at: expect.stringMatching(/Z$/),
    });
    const { access_token } = answer.body as { access_token: string };
    expect(await statusWith(access_token)).toBe(200);
    expect(await statusWith(access_token, 'POST', '/vault/secrets', { name: 'w', type: 'opaque', payload: 'x' })).toBe(
      201,
    );
    expect(await statusWith(access_token, 'GET', '/iam/providers')).toBe(403);
    expect(await statusWith(access_token, 'GET', '/auth/tokens')).toBe(403);
    const weaker = await credentialsFor(await issuer.sign(), { role: 'reader' });
    expect(await statusWith(weaker.access_token, 'POST', '/vault/secrets', {})).toBe(403);
  });

  test('leaves an audit trace with the workload and without the token', async () => {
    const token = await issuer.sign({ sub: 'repo:acme/site:traced' });
    const { access_token } = await credentialsFor(token);
    expect(await lastEntry()).toMatchObject({
      actor_type: 'workload',
      actor_name: 'repo:acme/site:traced',
      result: 'succeeded',
      resource_type: 'identity_provider',
      details: { role: 'member' },
    });
    const [all] = await prisma().$queryRaw<
      { text: string }[]
    >`SELECT string_agg(a::text, '') AS text FROM audit_entries a`;
    expect(all?.text).not.toContain(token.slice(-20));
    expect(all?.text).not.toContain(access_token.slice(-20));
  });

  test('gives credentials that expire as announced, after 15 minutes to 12 hours', async () => {
    const { access_token, expires_at } = await credentialsFor(await issuer.sign(), { duration_s: 900 });
    const left = new Date(expires_at).getTime() - Date.now();
    expect(left).toBeGreaterThan(890_000);
    expect(left).toBeLessThanOrEqual(900_000);
    await setTestClock(880_000);
    expect(await statusWith(access_token)).toBe(200);
    await setTestClock(901_000);
    expect(await statusWith(access_token)).toBe(401);
    await setTestClock(0);
    for (const duration_s of [899, 43_201, 900.5]) {
      expect((await assume(await issuer.sign(), { duration_s })).status, `${duration_s} s`).toBe(400);
    }
    expect((await assume(await issuer.sign(), { duration_s: 43_200 })).status).toBe(200);
  });

  test('gives credentials that end at once with the provider', async () => {
    const project = await createProject();
    const id = await trust(project);
    const { access_token } = await credentialsFor(await issuer.sign(), { project_id: project.id });
    expect(await statusWith(access_token)).toBe(200);
    await call('DELETE', `/iam/providers/${id}`, { token: project.users.admin.token });
    expect(await statusWith(access_token)).toBe(401);
    expect((await assume(await issuer.sign(), { project_id: project.id })).status).toBe(401);
  });

  test('works for one project only', async () => {
    const other = await createProject('other');
    const { access_token } = await credentialsFor(await issuer.sign());
    const headers = { 'X-Project-Id': other.id };
    expect((await call('GET', '/tenant/quota', { token: access_token, headers })).status).toBe(404);
    expect((await assume(await issuer.sign(), { project_id: other.id })).status).toBe(401);
  });

  test.each(['ES256', 'PS256', 'EdDSA'])('may be signed with %s', async (alg) => {
    const another = await startIssuer(alg);
    const project = await createProject();
    await trust(project, { issuer: another.issuer });
    expect((await assume(await another.sign(), { project_id: project.id })).status).toBe(200);
    await another.close();
  });

  test('is verified with the provider’s given key address, without discovery', async () => {
    const project = await createProject();
    await trust(project, { jwks_uri: `${issuer.jwks_uri}?own` });
    issuer.answers.set('/keys?own', { status: 200, body: JSON.stringify({ keys: issuer.published() }) });
    expect((await assume(await issuer.sign(), { project_id: project.id })).status).toBe(200);
    expect([...issuer.asked.keys()]).toEqual(['/keys?own']);
  });
});

describe('an invalid token gets the same refusal as an unknown project', () => {
  const now = () => Math.floor(Date.now() / 1000);
  const claims = (changes: JWTPayload = {}) => ({
    iss: issuer.issuer,
    aud: TEST_AUDIENCE,
    sub: 'repo:acme/site:x',
    exp: now() + 300,
    ...changes,
  });
  const encode = (value: object) => base64url.encode(JSON.stringify(value));
  const publishedKid = () => issuer.published()[0]?.kid ?? '';

  const wrong: [what: string, reason: string, token: () => Promise<string>][] = [
    ['no JWT at all', 'not a JWT', async () => 'not-a-token'],
    ['an empty payload', 'not a JWT', async () => `${encode({ alg: 'RS256' })}..`],
    [
      'the key of somebody else under the right id',
      'signature verification failed',
      async () => {
        const { privateKey } = await generateKeyPair('RS256');
        return new SignJWT(claims()).setProtectedHeader({ alg: 'RS256', kid: publishedKid() }).sign(privateKey);
      },
    ],
    [
      'a payload that was changed after it was signed',
      'signature verification failed',
      async () => {
        const [header, , signature] = (await issuer.sign()).split('.');
        return `${header}.${encode(claims({ sub: 'repo:acme/site:other' }))}.${signature}`;
      },
    ],
    ['no signature and alg none', '"alg"', async () => `${encode({ alg: 'none' })}.${encode(claims())}.`],
    [
      'no signature and alg NoNe',
      '"alg"',
      async () => `${encode({ alg: 'NoNe', kid: publishedKid() })}.${encode(claims())}.`,
    ],
    [
      'the public key used as an HMAC secret',
      '"alg"',
      async () => {
        const pem = await exportSPKI((await importJWK(issuer.published()[0] ?? {}, 'RS256')) as CryptoKey);
        const signed = `${encode({ alg: 'HS256', kid: publishedKid() })}.${encode(claims())}`;
        return `${signed}.${createHmac('sha256', pem).update(signed).digest('base64url')}`;
      },
    ],
    [
      'the public key in DER used as an HMAC secret',
      '"alg"',
      async () => {
        const key = createPublicKey({ key: issuer.published()[0] ?? {}, format: 'jwk' });
        const signed = `${encode({ alg: 'HS256', kid: publishedKid() })}.${encode(claims())}`;
        const secret = key.export({ type: 'spki', format: 'der' });
        return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
      },
    ],
    [
      'a key that it brings along itself',
      'no applicable key',
      async () => {
        const { privateKey, publicKey } = await generateKeyPair('RS256');
        const jwk = await exportJWK(publicKey);
        return new SignJWT(claims()).setProtectedHeader({ alg: 'RS256', kid: 'mine', jwk }).sign(privateKey);
      },
    ],
    [
      'a key at an address of its own',
      'no applicable key',
      async () => {
        const { privateKey } = await generateKeyPair('RS256');
        const jku = 'https://evil.example.test/keys';
        return new SignJWT(claims()).setProtectedHeader({ alg: 'RS256', kid: 'mine', jku }).sign(privateKey);
      },
    ],
    ['a key id that nobody published', 'no applicable key', () => issuer.sign({}, { kid: 'unknown' })],
    ['another issuer', 'trusts this issuer', () => issuer.sign({ iss: 'https://issuer.example.test' })],
    ['an issuer with a slash more', 'trusts this issuer', () => issuer.sign({ iss: `${issuer.issuer}/` })],
    ['no issuer', 'trusts this issuer', () => issuer.sign({ iss: undefined })],
    ['another audience', '"aud"', () => issuer.sign({ aud: 'https://elsewhere.example.test' })],
    ['several audiences, none of them ours', '"aud"', () => issuer.sign({ aud: ['a', 'b'] })],
    ['no audience', '"aud"', () => issuer.sign({ aud: undefined })],
    ['an expiry in the past', '"exp"', () => issuer.sign({ exp: now() - 60 })],
    ['no expiry', '"exp"', () => issuer.sign({ exp: undefined })],
    ['a beginning in the future', '"nbf"', () => issuer.sign({ nbf: now() + 120 })],
    ['another subject', 'claim sub', () => issuer.sign({ sub: 'repo:acme/other:x' })],
    ['a subject that only begins like it', 'claim sub', () => issuer.sign({ sub: 'repo:acme/site' })],
    ['no subject', '"sub"', () => issuer.sign({ sub: undefined })],
    ['a subject that cannot be stored', 'claim sub', () => issuer.sign({ sub: 'repo:acme/site:\u0000' })],
    ['an issuer that cannot be stored', 'trusts this issuer', () => issuer.sign({ iss: '\u0000' })],
    ['a subject without an end', 'claim sub', () => issuer.sign({ sub: `repo:acme/site:${'x'.repeat(1000)}` })],
    [
      'credentials of this platform',
      'trusts this issuer',
      async () => (await credentialsFor(await issuer.sign())).access_token,
    ],
    ['an access token of this platform', 'trusts this issuer', async () => acme.users.admin.token],
  ];

  let expected: ReturnType<typeof essence>;
  beforeAll(async () => {
    const project_id = '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f';
    expected = essence(await assume(await issuer.sign(), { project_id }));
    expect(expected).toMatchObject({ status: 401, error: { code: 'INVALID_CREDENTIALS' } });
  });

  test.each(wrong)('%s', async (_, reason, token) => {
    expect(essence(await assume(await token()))).toEqual(expected);
    const entry = await lastEntry();
    expect(entry).toMatchObject({
      result: 'refused',
      status: 401,
      code: 'INVALID_CREDENTIALS',
      actor_type: 'anonymous',
    });
    expect(entry?.details).toMatchObject({ role: 'member', reason: expect.stringContaining(reason) });
  });

  test('a project that trusts nobody, and a malformed project id', async () => {
    const bare = await createProject();
    expect(essence(await assume(await issuer.sign(), { project_id: bare.id }))).toEqual(expected);
    expect(await lastEntry(bare.id)).toMatchObject({ details: { reason: 'No identity provider trusts this issuer.' } });
    expect(essence(await assume(await issuer.sign(), { project_id: 'nothing' }))).toEqual(expected);
  });

  test('an issuer that is down, sends garbage, or claims to be another', async () => {
    const broken = await startIssuer();
    const project = await createProject();
    await trust(project, { issuer: broken.issuer });
    const refused = async () => essence(await assume(await broken.sign(), { project_id: project.id }));
    const discovery = '/.well-known/openid-configuration';
    const answers = [
      { status: 500, body: '{}' },
      { status: 302, body: '' },
      { status: 200, body: '<html>' },
      { status: 200, body: JSON.stringify({ issuer: issuer.issuer, jwks_uri: issuer.jwks_uri }) },
      { status: 200, body: JSON.stringify({ issuer: broken.issuer, jwks_uri: 'https://169.254.169.254/keys' }) },
      { status: 200, body: JSON.stringify({ issuer: broken.issuer, jwks_uri: 'file:///etc/passwd' }) },
      { status: 200, body: JSON.stringify({ issuer: broken.issuer, jwks_uri: `${broken.issuer}/${discovery}` }) },
    ];
    for (const [index, answer] of answers.entries()) {
      broken.answers.set(discovery, answer);
      await setTestClock((index + 1) * 6_000);
      expect(await refused(), answer.body).toEqual(expected);
      expect(broken.asked.get(discovery), 'asked anew for each').toBe(index + 1);
    }
    await refused();
    expect(broken.asked.get(discovery), 'but not again within seconds').toBe(answers.length);
    await broken.close();
    await setTestClock(600_000);
    expect(await refused()).toEqual(expected);
    expect(await lastEntry(project.id)).toMatchObject({
      details: { reason: expect.stringContaining('refused the connection') },
    });
    await setTestClock(0);
  });
});

test.each([
  ['no key at all', (key: JWK) => ({ kid: key.kid, kty: 'RSA', alg: 'RS256' })],
  ['a key that is too short', (key: JWK) => ({ ...key, n: key.n?.slice(0, 160) })],
  ['a key of another kind under its name', (key: JWK) => ({ ...key, kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' })],
  ['a key with nonsense in it', (key: JWK) => ({ ...key, n: '', e: 7 })],
])('an issuer that publishes %s causes a refusal, not an internal error', async (_, spoil) => {
  const careless = await startIssuer();
  const project = await createProject();
  await trust(project, { issuer: careless.issuer });
  const keys = careless.published().map((key): object => spoil(key));
  careless.answers.set('/keys', { status: 200, body: JSON.stringify({ keys }) });
  const answer = await assume(await careless.sign(), { project_id: project.id });
  expect(answer).toMatchObject({ status: 401, body: { error: { code: 'INVALID_CREDENTIALS' } } });
  expect(await lastEntry(project.id)).toMatchObject({ details: { reason: expect.stringMatching(/./) } });
  await careless.close();
});

describe('a valid token that asks for too much', () => {
  test('a role above the provider’s is refused with the reason', async () => {
    const answer = await assume(await issuer.sign(), { role: 'admin' });
    expect(answer).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } });
    expect(answer.text).toContain('member at most');
    expect(await lastEntry()).toMatchObject({ result: 'refused', status: 403, resource_type: 'identity_provider' });
  });

  test('of several providers the one that allows the role is used', async () => {
    const project = await createProject();
    await trust(project, { max_role: 'reader' });
    await trust(project, { max_role: 'admin', conditions: { sub: ['repo:acme/site:*'], environment: ['production'] } });
    const project_id = project.id;
    const plain = await assume(await issuer.sign(), { project_id, role: 'admin' });
    expect(plain.status, 'the provider that allows it does not accept the token').toBe(403);
    const token = await issuer.sign({ environment: 'production' });
    const { access_token } = await credentialsFor(token, { project_id, role: 'admin' });
    expect(await statusWith(access_token, 'GET', '/iam/providers')).toBe(200);
  });

  test('a suspended project issues no credentials and disables those it issued', async () => {
    const project = await createProject();
    await trust(project);
    const { access_token } = await credentialsFor(await issuer.sign(), { project_id: project.id });
    await prisma().project.update({ where: { id: project.id }, data: { status: 'suspended' } });
    expect(await assume(await issuer.sign(), { project_id: project.id })).toMatchObject({
      status: 403,
      body: { error: { code: 'TENANT_SUSPENDED' } },
    });
    expect(await statusWith(access_token)).toBe(403);
  });
});

describe('failures', () => {
  test('are counted by project and address: after ten, even a valid token must wait, and other addresses need not', async () => {
    const from = '203.0.113.7';
    for (let failure = 0; failure < 10; failure += 1) {
      expect((await assume('nonsense', {}, from)).status).toBe(401);
    }
    const limited = await assume(await issuer.sign(), {}, from);
    expect(limited).toMatchObject({ status: 429, body: { error: { code: 'RATE_LIMITED' } } });
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await assume(await issuer.sign(), {}, '203.0.113.8')).status).toBe(200);
  });

  test('do not include successes and roles that are too high', async () => {
    const from = '203.0.113.9';
    for (let round = 0; round < 11; round += 1) {
      expect((await assume(await issuer.sign(), { role: 'admin' }, from)).status).toBe(403);
      expect((await assume(await issuer.sign(), {}, from)).status).toBe(200);
    }
  });
});
