import { createRemoteJWKSet, decodeProtectedHeader, type JWK, jwtVerify, UnsecuredJWT } from 'jose';
import * as relying from 'openid-client';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { setClockOffset } from '@/lib/clock';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { ownUrl } from '@/lib/testing/own-address';
import {
  Browser,
  CALLBACK,
  createSsoProject,
  errorOf,
  refusal,
  registerClient,
  relyingParty,
  type SsoCredentials,
  startSsoServer,
} from '@/lib/testing/sso';
import { api, type TestProject } from '@/lib/testing/world';
import { pendingConsent } from './consent';
import { rotateSsoKey } from './keys';
import { forgetProvider } from './provider';
import { authMethods } from './schema';

/*
 * The test plan "OpenID Connect Core: Basic Certification Profile" of the OpenID Foundation's conformance suite, module
 * by module (`oidcc-…`), and the parts of its "Config" profile that concern it. All requests use PKCE, which our
 * provider requires.
 */

const ISSUER = `${ownUrl}/oidc`;

testDatabase();
const call = api();
let stop: () => Promise<void>;
let acme: TestProject;
let client: SsoCredentials;
let app: Awaited<ReturnType<typeof relyingParty>>;
/** A member's, signed in to the portal. Tests that sign in again use one of their own. */
let browser: Browser;
let discovery: Record<string, unknown>;

beforeAll(async () => {
  stop = await startSsoServer();
  acme = await createSsoProject();
  client = await registerClient(call, acme);
  app = await relyingParty(client);
  browser = await signedIn();
  discovery = await (await fetch(`${ISSUER}/.well-known/openid-configuration`)).json();
});
afterAll(() => stop());
afterEach(async () => {
  if (!vi.isFakeTimers()) return;
  vi.useRealTimers();
  await setTestClock(0);
});

async function signedIn(person = acme.users.member): Promise<Browser> {
  const one = new Browser();
  expect(await one.signIn(person.email)).toBeNull();
  return one;
}

/** Moves the clock of the database and `Date`, which the library reads, ahead of the real time. */
async function pass(seconds: number): Promise<void> {
  vi.useRealTimers();
  await setTestClock(seconds * 1000);
  // Our own clock is `Date` plus its offset.
  setClockOffset(0);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 });
}

/** Asks for a code with the signed-in browser and redeems it. */
async function signIn(parameters: Record<string, string> = {}) {
  const tokens = await app.signIn(browser, parameters);
  return { ...tokens, id_claims: tokens.claims() };
}

/** Asks for a code. @returns the error that the application is sent instead */
async function refusedWith(parameters: Record<string, string>): Promise<string | null> {
  const { url, state } = await withState(parameters);
  const back = await browser.visit(url);
  expect(back.url.href).toMatch(`${CALLBACK}?`);
  expect(back.url.searchParams.get('state')).toBe(state);
  return errorOf(back.url);
}

async function withState(parameters: Record<string, string>) {
  const { url, redeem } = await app.request(parameters);
  return { url, redeem, state: url.searchParams.get('state') };
}

/** A request to userinfo as it is, without a client library. */
async function userinfo(init: RequestInit) {
  const response = await fetch(`${ISSUER}/me`, init);
  return { status: response.status, claims: await response.json() };
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

describe('oidcc-server', () => {
  test('the code flow returns code, state and issuer, and tokens that no cache keeps', async () => {
    const { url } = await app.request();
    const back = await browser.authorize(url);
    expect([...back.searchParams.keys()].sort()).toEqual(['code', 'iss', 'state']);
    expect(back.searchParams.get('iss')).toBe(ISSUER);
    const { token_type, expires_in, scope } = await signIn();
    expect([token_type, expires_in, scope]).toEqual(['bearer', 900, 'openid profile email']);
  });

  test('the ID token has iss, sub, aud, exp, iat and the nonce of the request', async () => {
    const before = Math.floor(Date.now() / 1000);
    const { id_claims } = await signIn({ nonce: 'n-0S6_WzA2Mj' });
    expect(id_claims).toMatchObject({
      iss: ISSUER,
      sub: acme.users.member.id,
      aud: client.id,
      nonce: 'n-0S6_WzA2Mj',
    });
    const { iat = 0, exp = 0 } = id_claims ?? {};
    expect(iat).toBeGreaterThanOrEqual(before);
    expect(iat).toBeLessThanOrEqual(Date.now() / 1000);
    expect(exp - iat).toBe(3600);
  });
});

test('oidcc-response-type-missing: the application is sent invalid_request', async () => {
  const { url } = await app.request();
  url.searchParams.delete('response_type');
  expect(errorOf((await browser.visit(url)).url)).toBe('invalid_request');
});

test('oidcc-idtoken-signature: ID tokens are signed with RS256 and a published key, never unsigned', async () => {
  const { id_token = '' } = await signIn();
  const { alg, kid } = decodeProtectedHeader(id_token);
  expect(alg).toBe('RS256');
  const keys = createRemoteJWKSet(new URL(`${ISSUER}/jwks`));
  const { protectedHeader } = await jwtVerify(id_token, keys, { issuer: ISSUER, audience: client.id });
  expect(protectedHeader.kid).toBe(kid);
  const [header = '', , signature = ''] = id_token.split('.');
  const forged = [header, Buffer.from('{"sub":"x"}').toString('base64url'), signature].join('.');
  await expect(jwtVerify(forged, keys)).rejects.toThrow('signature');
  expect(discovery.id_token_signing_alg_values_supported).not.toContain('none');
});

describe('userinfo answers with the subject of the ID token', () => {
  const ways: [string, (token: string) => RequestInit][] = [
    ['oidcc-userinfo-get: to GET', (token) => ({ headers: bearer(token) })],
    ['oidcc-userinfo-post-header: to POST with a header', (token) => ({ method: 'POST', headers: bearer(token) })],
    [
      'oidcc-userinfo-post-body: to POST with a form',
      (token) => ({ method: 'POST', body: new URLSearchParams({ access_token: token }) }),
    ],
  ];
  test.each(ways)('%s', async (_name, request) => {
    const { access_token, id_claims } = await signIn();
    const answer = await userinfo(request(access_token));
    expect([answer.status, answer.claims.sub]).toEqual([200, id_claims?.sub]);
    expect((await userinfo(request('guessed'))).status).toBe(401);
  });
});

test('oidcc-ensure-request-without-nonce-succeeds-for-code-flow: the ID token has no nonce', async () => {
  expect((await signIn()).id_claims).not.toHaveProperty('nonce');
});

describe('scopes', () => {
  const always = ['project', 'role', 'sub'];
  const profile = ['name', 'updated_at'];
  const email = ['email', 'email_verified'];
  const cases: [module: string, scope: string, claims: string[]][] = [
    ['oidcc-server: openid alone gives no name and no address', 'openid', []],
    ['oidcc-scope-profile: profile gives name and time of change', 'openid profile', profile],
    ['oidcc-scope-email: email gives the address and whether it is verified', 'openid email', email],
    ['oidcc-scope-address: address, which we do not offer, is ignored', 'openid address', []],
    ['oidcc-scope-phone: phone, which we do not offer, is ignored', 'openid phone', []],
    [
      'oidcc-scope-all: what we offer of all scopes is given',
      'openid profile email address phone',
      [...profile, ...email],
    ],
    ['oidcc-alternate-happy-flow: the order of scopes does not matter', 'email openid', email],
  ];
  test.each(cases)('%s', async (_name, scope, claims) => {
    // A grant covers later requests, so each case begins without one.
    const tokens = await app.signIn(await signedIn(), { scope });
    const told = await app.userinfo(tokens.access_token);
    expect(Object.keys(told).sort()).toEqual([...always, ...claims].sort());
    if (claims.includes('name')) expect([typeof told.name, typeof told.updated_at]).toEqual(['string', 'number']);
    if (claims.includes('email')) expect([told.email, told.email_verified]).toEqual([acme.users.member.email, false]);
    expect(tokens.claims()).not.toHaveProperty('email');
  });

  test('are named in discovery as they are offered', () => {
    expect(discovery.scopes_supported).toEqual(['openid', 'offline_access', 'profile', 'email']);
    expect(discovery.claims_supported).toEqual(expect.arrayContaining([...always, ...profile, ...email]));
  });
});

describe('parameters that change nothing here are accepted', () => {
  const cases: [module: string, parameters: Record<string, string>][] = [
    ['oidcc-display-page', { display: 'page' }],
    ['oidcc-display-popup', { display: 'popup' }],
    ['oidcc-ensure-request-with-unknown-parameter-succeeds', { extra: 'foobar' }],
    ['oidcc-login-hint', { login_hint: 'bob@example.com' }],
    ['oidcc-ui-locales', { ui_locales: 'se' }],
    ['oidcc-claims-locales', { claims_locales: 'se' }],
    ['oidcc-ensure-request-with-acr-values-succeeds', { acr_values: '1 2' }],
  ];
  test.each(cases)('%s', async (_name, parameters) => {
    expect((await signIn(parameters)).id_claims?.sub).toBe(acme.users.member.id);
  });
});

describe('a sign-in that is asked for', () => {
  test('oidcc-prompt-login: by prompt=login happens although the user is signed in', async () => {
    const own = await signedIn();
    const first = (await app.signIn(own, { max_age: '10000' })).claims();
    await pass(2);
    const { url, redeem } = await app.request({ prompt: 'login' });
    const page = await own.visit(url);
    expect(page.url.pathname).toBe('/sign-in');
    const back = page.url.searchParams.get('back') ?? '';
    // Going back without a sign-in leads to it again.
    expect((await own.visit(back)).url.pathname).toBe('/sign-in');
    expect(await own.signIn(acme.users.member.email)).toBeNull();
    const second = (await redeem(await own.authorize(back))).claims();
    expect(second?.sub).toBe(first?.sub);
    expect(Number(second?.auth_time)).toBeGreaterThan(Number(first?.auth_time));
  });

  test('oidcc-max-age-1: by max_age happens once the last one is older', async () => {
    const own = await signedIn();
    // On a busy machine, a second may pass before this request.
    const first = (await app.signIn(own, { max_age: '10000' })).claims();
    await pass(3);
    const { url, redeem } = await app.request({ max_age: '1' });
    const page = await own.visit(url);
    expect(page.url.pathname).toBe('/sign-in');
    expect(await own.signIn(acme.users.member.email)).toBeNull();
    const second = (await redeem(await own.authorize(page.url.searchParams.get('back') ?? ''))).claims();
    expect(Number(second?.auth_time)).toBeGreaterThan(Number(first?.auth_time));
  });

  test('oidcc-max-age-10000: by max_age does not happen before, and auth_time stays', async () => {
    const own = await signedIn();
    await pass(2);
    const first = (await app.signIn(own, { max_age: '10000' })).claims();
    await pass(30);
    const second = (await app.signIn(own, { max_age: '10000', prompt: 'none' })).claims();
    expect(second?.auth_time).toBe(first?.auth_time);
    expect(Number(second?.iat)).toBeGreaterThan(Number(first?.iat));
  });

  test('again in the same browser ends its tokens with the new portal session', async () => {
    const own = await signedIn();
    await app.signIn(own);
    await pass(2);
    const { url, redeem } = await app.request({ prompt: 'login' });
    const page = await own.visit(url);
    expect(await own.signIn(acme.users.member.email)).toBeNull();
    const tokens = await redeem(await own.authorize(page.url.searchParams.get('back') ?? ''));
    const { refresh_token = '' } = await app.refresh(tokens.refresh_token ?? '');
    await own.signOut();
    expect(await refusal(app.refresh(refresh_token))).toBe('invalid_grant');
  });
});

describe('prompt=none', () => {
  test('oidcc-prompt-none-not-logged-in: without a session is refused with login_required', async () => {
    const { url, state } = await withState({ prompt: 'none' });
    const back = await new Browser().visit(url);
    expect([errorOf(back.url), back.url.searchParams.get('state')]).toEqual(['login_required', state]);
  });

  test('oidcc-prompt-none-logged-in: with a session gives the same subject and auth_time', async () => {
    const first = await signIn({ max_age: '10000' });
    const second = await signIn({ max_age: '10000', prompt: 'none' });
    const { sub, auth_time } = first.id_claims ?? {};
    expect(second.id_claims).toMatchObject({ sub, auth_time });
  });

  test('oidcc-id-token-hint: with the ID token of the user succeeds, with that of another user does not', async () => {
    const { id_token = '', id_claims } = await signIn();
    const hinted = await signIn({ prompt: 'none', id_token_hint: id_token });
    expect(hinted.id_claims?.sub).toBe(id_claims?.sub);
    const stranger = await app.signIn(await signedIn(acme.users.reader));
    expect(await refusedWith({ prompt: 'none', id_token_hint: stranger.id_token ?? '' })).toBe('login_required');
    expect(await refusedWith({ prompt: 'none', id_token_hint: 'forged' })).toBe('invalid_request');
  });
});

describe('codes', () => {
  test.each([
    ['oidcc-codereuse: used a second time are refused, and the tokens of the first use end', 1],
    ['oidcc-codereuse-30seconds: are refused likewise half a minute later', 30],
  ])('%s', async (_name, seconds) => {
    const { url, redeem } = await app.request();
    const callback = await browser.authorize(url);
    const tokens = await redeem(callback);
    await app.userinfo(tokens.access_token);
    await pass(seconds);
    expect(await refusal(redeem(callback))).toBe('invalid_grant');
    expect(await refusal(app.userinfo(tokens.access_token))).toBe('invalid_token');
    expect(await refusal(app.refresh(tokens.refresh_token ?? ''))).toBe('invalid_grant');
  });

  test('end after a minute', async () => {
    const { url, redeem } = await app.request();
    const callback = await browser.authorize(url);
    await pass(61);
    expect(await refusal(redeem(callback))).toBe('invalid_grant');
  });

  test('are redeemed only by the application that asked, and with its redirect URI', async () => {
    const other = 'https://app.example.test/other';
    const two = await registerClient(call, acme, { name: 'Two', redirect_uris: [CALLBACK, other] });
    const second = await relyingParty(two);
    const { url } = await app.request();
    const callback = await browser.authorize(url);
    const checks = { pkceCodeVerifier: 'v'.repeat(43), expectedState: url.searchParams.get('state') ?? '' };
    expect(await refusal(relying.authorizationCodeGrant(second.config, callback, checks))).toBe('invalid_grant');
    const own = await second.request();
    const elsewhere = await browser.authorize(own.url);
    const moved = new URL(other + elsewhere.search);
    expect(await refusal(own.redeem(moved))).toBe('invalid_grant');
  });
});

describe('redirect URIs', () => {
  test.each([
    ['oidcc-ensure-registered-redirect-uri: another one', 'https://app.example.test/unknown'],
    ['oidcc-redirect-uri-query-added: a query that is not registered', `${CALLBACK}?foo=bar`],
    ['oidcc-redirect-uri-query-mismatch: another query', 'https://app.example.test/with?foo=other'],
  ])('%s is refused on a page of ours, without a redirect', async (_name, redirect_uri) => {
    const page = await browser.visit((await app.request({ redirect_uri })).url);
    expect([page.status, page.url.origin]).toEqual([400, ownUrl]);
    expect(page.text).toContain('invalid_redirect_uri');
  });

  test('oidcc-redirect-uri-query-OK: a registered query is kept', async () => {
    const redirect_uri = 'https://app.example.test/with?foo=bar';
    const queried = await relyingParty(
      await registerClient(call, acme, { name: 'Query', redirect_uris: [redirect_uri] }),
    );
    const code_verifier = relying.randomPKCECodeVerifier();
    const code_challenge = await relying.calculatePKCECodeChallenge(code_verifier);
    const { url } = await queried.request({ redirect_uri, code_challenge });
    const back = await browser.authorize(url);
    expect(back.href).toMatch(`${redirect_uri}&`);
    // `authorizationCodeGrant` removes the query of a redirect URI.
    const code = back.searchParams.get('code') ?? '';
    const grant = { code, redirect_uri, code_verifier };
    const tokens = await relying.genericGrantRequest(queried.config, 'authorization_code', grant);
    expect((await queried.userinfo(tokens.access_token)).sub).toBe(acme.users.member.id);
  });

  test('are never left out', async () => {
    const { url } = await app.request();
    url.searchParams.delete('redirect_uri');
    const page = await browser.visit(url);
    expect([page.status, page.url.origin]).toEqual([400, ownUrl]);
  });
});

test('oidcc-ensure-post-request-succeeds: an authorization request may be a POST', async () => {
  const { url, redeem } = await app.request();
  const form = { method: 'POST', body: url.searchParams };
  // A browser sends no session cookie with a form of another site, but with the redirect that follows.
  const sent = await new Browser().open(`${ISSUER}/auth`, form);
  expect(sent.status).toBe(303);
  const callback = await browser.authorize(new URL(sent.headers.get('location') ?? '', ISSUER));
  expect((await redeem(callback)).claims()?.sub).toBe(acme.users.member.id);
});

test('a request to sign out may be a POST', async () => {
  const { id_token = '' } = await signIn();
  const form = new URLSearchParams({ id_token_hint: id_token });
  const page = await browser.visit(`${ISSUER}/session/end`, { method: 'POST', body: form });
  expect(page.text).toContain('Sign out of Nephele');
});

describe('applications send their secret', () => {
  const ways: [string, (typeof authMethods)[number], (secret: string) => relying.ClientAuth][] = [
    ['oidcc-server: in the Authorization header', 'client_secret_basic', relying.ClientSecretBasic],
    ['oidcc-server-client-secret-post: in the body', 'client_secret_post', relying.ClientSecretPost],
  ];
  test.each(ways)('%s', async (_name, method, send) => {
    const own = await registerClient(call, acme, { name: method, token_endpoint_auth_method: method });
    const right = await relyingParty(own, send(own.client_secret));
    expect((await right.signIn(browser)).claims()?.aud).toBe(own.id);
    const wrong = await relyingParty(own, send('guessed'));
    expect(await refusal(wrong.signIn(browser))).toBe('invalid_client');
  });

  test('in no other way that discovery names', () => {
    expect(discovery.token_endpoint_auth_methods_supported).toEqual(authMethods);
  });
});

describe('request objects are not supported, and discovery says so', () => {
  const object = () =>
    new UnsecuredJWT({ redirect_uri: 'https://evil.example.test/', state: 'of-the-object' })
      .setIssuer(client.id)
      .setAudience(ISSUER)
      .encode();

  test('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported: request is refused', async () => {
    expect(await refusedWith({ request: object() })).toBe('request_not_supported');
    expect(discovery.request_parameter_supported ?? false).toBe(false);
  });

  test('oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported: request_uri is refused', async () => {
    expect(await refusedWith({ request_uri: 'https://app.example.test/request.jwt' })).toBe(
      'request_uri_not_supported',
    );
    // Left out, it would mean true (Discovery 1.0, section 3).
    expect(discovery.request_uri_parameter_supported).toBe(false);
  });

  test('oidcc-ensure-request-object-with-redirect-uri: its redirect URI is never followed', async () => {
    const { url } = await app.request({ request: object() });
    const back = await browser.visit(url);
    expect(back.url.origin).toBe(new URL(CALLBACK).origin);
  });
});

describe('the claims parameter', () => {
  test('oidcc-claims-essential: gives the name in userinfo without the scope profile', async () => {
    const own = await signedIn();
    const claims = JSON.stringify({ userinfo: { name: { essential: true } } });
    const tokens = await app.signIn(own, { scope: 'openid', claims });
    const told = await app.userinfo(tokens.access_token);
    expect(Object.keys(told).sort()).toEqual(['name', 'project', 'role', 'sub']);
    expect(discovery.claims_parameter_supported).toBe(true);
  });

  test('gives a claim in the ID token where it is asked for there', async () => {
    const claims = JSON.stringify({ id_token: { email: null } });
    expect((await signIn({ scope: 'openid', claims })).id_claims?.email).toBe(acme.users.member.email);
  });

  test('asks for consent, and the page lists the claims', async () => {
    const own = await signedIn();
    await app.signIn(own, { scope: 'openid' });
    const claims = JSON.stringify({ userinfo: { email: null } });
    const { url } = await app.request({ scope: 'openid', claims });
    const consent = await own.visit(url);
    const uid = consent.url.pathname.split('/').at(-1) ?? '';
    expect((await pendingConsent(uid, acme.users.member.id))?.scopes).toEqual(['openid', 'email']);
  });

  test('that is no JSON is refused', async () => {
    expect(await refusedWith({ claims: '{' })).toBe('invalid_request');
  });
});

test('oidcc-refresh-token: gives tokens for the same user, to the application that was given it only', async () => {
  const first = await signIn({ nonce: 'n-1' });
  const second = await app.refresh(first.refresh_token ?? '');
  const { iss, sub, aud } = first.id_claims ?? {};
  expect(second.claims()).toMatchObject({ iss, sub, aud });
  expect(second.access_token).not.toBe(first.access_token);
  expect((await app.userinfo(second.access_token)).sub).toBe(sub);
  const other = await relyingParty(await registerClient(call, acme, { name: 'Thief' }));
  expect(await refusal(other.refresh(second.refresh_token ?? ''))).toBe('invalid_grant');
});

test('oidcc-ensure-request-with-valid-pkce-succeeds: S256 is the one challenge that discovery names', async () => {
  expect((await signIn()).id_claims?.sub).toBe(acme.users.member.id);
  expect(discovery.code_challenge_methods_supported).toEqual(['S256']);
});

test('oidcc-formpost: response_mode=form_post answers with a form to the redirect URI', async () => {
  const { url } = await app.request({ response_mode: 'form_post', prompt: 'none' });
  await signIn();
  const { status, text } = await browser.visit(url);
  expect(status).toBe(200);
  expect(text).toContain(`<form method="post" action="${CALLBACK}">`);
  expect(text).toMatch(/name="code" value="[\w-]+"/);
});

describe('oidcc-discovery', () => {
  test('names the issuer to the byte, and every endpoint below it', async () => {
    expect(discovery.issuer).toBe(ISSUER);
    const { id_claims } = await signIn();
    expect(id_claims?.iss).toBe(discovery.issuer);
    for (const [name, value] of Object.entries(discovery)) {
      if (/_endpoint$|_uri$/.test(name)) expect([name, String(value).startsWith(`${ISSUER}/`)]).toEqual([name, true]);
    }
    expect(discovery).toMatchObject({
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
    });
  });

  test('publishes public keys with kid, use and algorithm', async () => {
    const { keys } = await (await fetch(`${ISSUER}/jwks`)).json();
    expect(keys.length).toBeGreaterThan(0);
    expect(new Set(keys.map(({ kid }: JWK) => kid)).size).toBe(keys.length);
    for (const key of keys) {
      expect(key).toMatchObject({ kty: 'RSA', use: 'sig', alg: 'RS256', kid: expect.any(String), e: 'AQAB' });
      for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi']) expect(key).not.toHaveProperty(secret);
    }
  });

  test('oidcc-server-rotate-keys: keys change, and tokens of the earlier one still verify', async () => {
    const { id_token: earlier = '' } = await signIn();
    await rotateSsoKey();
    // A new key is published an hour before it signs.
    await setTestClock(60 * 60 * 1000 + 1000);
    forgetProvider();
    const { id_token: later = '' } = await app.signIn(await signedIn());
    expect(decodeProtectedHeader(later).kid).not.toBe(decodeProtectedHeader(earlier).kid);
    const keys = createRemoteJWKSet(new URL(`${ISSUER}/jwks`));
    for (const token of [earlier, later]) await expect(jwtVerify(token, keys)).resolves.toBeTruthy();
  });
});
