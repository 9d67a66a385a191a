import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import * as relying from 'openid-client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { prisma } from '@/lib/core/db/prisma';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { ownUrl } from '@/lib/testing/own-address';
import { enrol, stepStart, totpCode } from '@/lib/testing/sign-in';
import {
  Browser,
  CALLBACK,
  createSsoProject,
  errorOf,
  GOODBYE,
  refusal,
  registerClient,
  relyingParty,
  type SsoCredentials,
  startSsoServer,
} from '@/lib/testing/sso';
import { api, type TestProject } from '@/lib/testing/world';
import { rotateSsoKey, rotateSsoKeysJob } from './keys';
import { forgetProvider } from './provider';
import { newSsoClient, workspaceInfo } from './schema';

testDatabase();
const call = api();
let stop: () => Promise<void>;
let acme: TestProject;
let client: SsoCredentials;
let app: Awaited<ReturnType<typeof relyingParty>>;

beforeAll(async () => {
  stop = await startSsoServer();
});
afterAll(() => stop());
beforeEach(async () => {
  await setTestClock(0);
  acme = await createSsoProject();
  client = await registerClient(call, acme);
  app = await relyingParty(client);
});

async function signedIn(email = acme.users.member.email): Promise<Browser> {
  const browser = new Browser();
  expect(await browser.signIn(email)).toBeNull();
  return browser;
}

const lastConsent = () => prisma().auditEntry.findFirst({ where: { action: 'sso.consent' }, orderBy: { id: 'desc' } });

describe('a member signs in to an application', () => {
  test('with password and consent, and it learns name, e-mail, project and role', async () => {
    const browser = new Browser();
    const { url, redeem } = await app.request({ nonce: 'n-1' });
    const page = await browser.visit(url);
    expect(page.url.pathname).toBe('/sign-in');
    expect(await browser.signIn(acme.users.member.email)).toBeNull();
    const consent = await browser.visit(page.url.searchParams.get('back') ?? '');
    expect(consent.url.pathname).toMatch(/^\/sign-in\/consent\//);
    const { location } = await (await browser.decide(consent, true)).json();
    const tokens = await redeem((await browser.visit(location)).url);
    const { id, email } = acme.users.member;
    expect(tokens.claims()).toMatchObject({ sub: id, project: acme.id, role: 'member', amr: ['pwd'], nonce: 'n-1' });
    expect(await app.userinfo(tokens.access_token)).toMatchObject({ sub: id, email, project: acme.id, role: 'member' });
    expect(await lastConsent()).toMatchObject({ result: 'succeeded', project_id: acme.id, actor_id: id });
  });

  test('with a second factor, of which the application is told', async () => {
    await setTestClock(stepStart());
    const { member } = acme.users;
    const { secret } = await enrol(call, member.token);
    const browser = new Browser();
    const { url, redeem } = await app.request();
    const page = await browser.visit(url);
    expect(await browser.signIn(member.email)).toBe('MFA_REQUIRED');
    // The password alone opens nothing.
    expect((await browser.visit(url)).url.pathname).toBe('/sign-in');
    expect(await browser.code(totpCode(secret))).toBeNull();
    const callback = await browser.authorize(page.url.searchParams.get('back') ?? '');
    expect((await redeem(callback)).claims()?.amr).toEqual(['pwd', 'mfa']);
  });

  test('once: the next request needs neither password nor consent', async () => {
    const browser = await signedIn();
    await app.signIn(browser);
    const { url, redeem } = await app.request({ prompt: 'none' });
    const back = await browser.visit(url);
    expect(back.url.origin).toBe(new URL(CALLBACK).origin);
    expect((await redeem(back.url)).claims()?.sub).toBe(acme.users.member.id);
  });

  test('and can refuse', async () => {
    const browser = await signedIn();
    const { url } = await app.request();
    const { location } = await (await browser.decide(await browser.visit(url), false)).json();
    expect(errorOf((await browser.visit(location)).url)).toBe('access_denied');
  });

  test('but no other site can consent in their name', async () => {
    const browser = await signedIn();
    const consent = await browser.visit((await app.request()).url);
    const forged = await browser.decide(consent, true, { 'Sec-Fetch-Site': 'cross-site' });
    expect(forged.status).toBe(403);
    const stranger = await signedIn(acme.users.reader.email);
    expect((await stranger.decide(consent, true)).status).toBe(401);
  });
});

describe('a user of another project', () => {
  test('is refused before any consent page, and the project learns nothing of them', async () => {
    const other = await createSsoProject('other');
    const browser = await signedIn(other.users.admin.email);
    const { url } = await app.request();
    const back = await browser.visit(url);
    expect([back.url.origin, errorOf(back.url)]).toEqual([new URL(CALLBACK).origin, 'access_denied']);
    expect(await lastConsent()).toMatchObject({ result: 'refused', project_id: null });
  });

  test('is refused also where they are signed in to an application of their own', async () => {
    const other = await createSsoProject('other');
    const browser = await signedIn(other.users.admin.email);
    const own = await relyingParty(await registerClient(call, other));
    await own.signIn(browser);
    expect(errorOf((await browser.visit((await app.request()).url)).url)).toBe('access_denied');
    expect(errorOf((await browser.visit((await app.request({ prompt: 'none' })).url)).url)).toBe('access_denied');
  });
});

describe('tokens end at once', () => {
  const ends: [string, (person: TestProject['users']['member']) => Promise<unknown>][] = [
    [
      'when the member is removed',
      ({ id }) => call('DELETE', `/identity/role-assignments?user_id=${id}`, { token: acme.users.admin.token }),
    ],
    [
      'when their role changes',
      ({ id }) =>
        call('POST', '/identity/role-assignments', {
          token: acme.users.admin.token,
          body: { user_id: id, role: 'admin' },
        }),
    ],
    [
      'when the project is suspended',
      () => prisma().project.update({ where: { id: acme.id }, data: { status: 'suspended' } }),
    ],
    ['when they sign out everywhere', ({ token }) => call('POST', '/auth/sessions/revoke-all', { token, body: {} })],
    [
      'when the client is deleted',
      () => call('DELETE', `/workspace/sso/clients/${client.id}`, { token: acme.users.admin.token }),
    ],
  ];
  test.each(ends)('%s', async (_name, end) => {
    const browser = await signedIn();
    const tokens = await app.signIn(browser, { scope: 'openid offline_access', prompt: 'consent' });
    await app.userinfo(tokens.access_token);
    await end(acme.users.member);
    expect(await refusal(app.userinfo(tokens.access_token))).toBe('invalid_token');
    expect(await refusal(app.refresh(tokens.refresh_token ?? ''))).toMatch(/^invalid_(grant|client)$/);
  });

  test('when the member is removed: the signed-in browser gets no new ones and no consent page', async () => {
    const browser = await signedIn();
    await app.signIn(browser);
    const { id } = acme.users.member;
    await call('DELETE', `/identity/role-assignments?user_id=${id}`, { token: acme.users.admin.token });
    expect(errorOf((await browser.visit((await app.request({ prompt: 'none' })).url)).url)).toBe('access_denied');
    expect(errorOf((await browser.visit((await app.request()).url)).url)).toBe('access_denied');
  });

  test('when the portal session does, unless the user granted offline access', async () => {
    const browser = await signedIn();
    const bound = await app.signIn(browser);
    const offline = await app.signIn(browser, { scope: 'openid offline_access', prompt: 'consent' });
    await browser.signOut();
    expect(await refusal(app.refresh(bound.refresh_token ?? ''))).toBe('invalid_grant');
    expect((await app.refresh(offline.refresh_token ?? '')).access_token).toBeTruthy();
    expect((await browser.visit((await app.request()).url)).url.pathname).toBe('/sign-in');
  });
});

describe('refresh tokens', () => {
  test('work once each; the second use of one ends its successors', async () => {
    const first = await app.signIn(await signedIn());
    const second = await app.refresh(first.refresh_token ?? '');
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(await refusal(app.refresh(first.refresh_token ?? ''))).toBe('invalid_grant');
    expect(await refusal(app.refresh(second.refresh_token ?? ''))).toBe('invalid_grant');
  });

  test('used by two requests at the same time give tokens to at most one', async () => {
    const { refresh_token = '' } = await app.signIn(await signedIn());
    const outcomes = await Promise.allSettled([app.refresh(refresh_token), app.refresh(refresh_token)]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1);
  });
});

describe('authorization requests', () => {
  test('with a redirect URI that is not registered to the letter are not redirected', async () => {
    const browser = await signedIn();
    for (const redirect_uri of [`${CALLBACK}/`, `${CALLBACK}?x=1`, 'https://evil.example.test/callback']) {
      const { url } = await app.request({ redirect_uri });
      const page = await browser.visit(url);
      expect([page.status, page.url.pathname]).toEqual([400, '/oidc/auth']);
      expect(page.text).toContain('invalid_redirect_uri');
    }
  });

  test('without PKCE, or with a plain challenge, are refused', async () => {
    const browser = await signedIn();
    const { url } = await app.request({ code_challenge_method: 'plain' });
    expect(errorOf((await browser.visit(url)).url)).toBe('invalid_request');
    url.searchParams.delete('code_challenge');
    url.searchParams.delete('code_challenge_method');
    expect(errorOf((await browser.visit(url)).url)).toBe('invalid_request');
  });
});

describe('codes', () => {
  test('need their verifier and the secret of their client', async () => {
    const browser = await signedIn();
    const { url } = await app.request();
    const callback = await browser.authorize(url);
    const expectedState = callback.searchParams.get('state') ?? '';
    const wrong = { pkceCodeVerifier: relying.randomPKCECodeVerifier(), expectedState };
    expect(await refusal(relying.authorizationCodeGrant(app.config, callback, wrong))).toBe('invalid_grant');
    const impostor = await relyingParty({ id: client.id, client_secret: 'guessed' });
    expect(await refusal(relying.authorizationCodeGrant(impostor.config, callback, wrong))).toBe('invalid_client');
  });
});

describe('sign-out', () => {
  async function signOutPage(browser: Browser, id_token: string) {
    const url = relying.buildEndSessionUrl(app.config, {
      id_token_hint: id_token,
      post_logout_redirect_uri: GOODBYE,
      state: 's',
    });
    const page = await browser.visit(url);
    expect(page.text).toContain('Sign out of Nephele');
    return /name="xsrf" value="(\w+)"/.exec(page.text)?.[1] ?? '';
  }
  const confirm = (browser: Browser, form: Record<string, string>) =>
    browser.visit('/oidc/session/end/confirm', { method: 'POST', body: new URLSearchParams(form) });

  test('by an application ends its tokens and the portal session, and returns to it', async () => {
    const browser = await signedIn();
    const tokens = await app.signIn(browser);
    await signOutPage(browser, tokens.id_token ?? '');
    expect((await confirm(browser, { xsrf: 'forged', logout: 'yes' })).status).toBe(400);
    const fresh = await signOutPage(browser, tokens.id_token ?? '');
    const back = await confirm(browser, { xsrf: fresh, logout: 'yes' });
    expect(back.url.href).toBe(`${GOODBYE}?state=s`);
    expect(await refusal(app.userinfo(tokens.access_token))).toBe('invalid_token');
    expect((await browser.visit((await app.request()).url)).url.pathname).toBe('/sign-in');
  });

  test('of the application alone leaves the portal session', async () => {
    const browser = await signedIn();
    const tokens = await app.signIn(browser);
    const xsrf = await signOutPage(browser, tokens.id_token ?? '');
    expect((await confirm(browser, { xsrf })).url.href).toBe(`${GOODBYE}?state=s`);
    expect(await refusal(app.refresh(tokens.refresh_token ?? ''))).toBe('invalid_grant');
    expect((await browser.visit((await app.request()).url)).url.pathname).toMatch(/^\/sign-in\/consent\//);
  });
});

describe('keys', () => {
  const HOUR_MS = 60 * 60 * 1000;
  const keySet = async () => (await (await fetch(`${ownUrl}/oidc/jwks`)).json()).keys as { kid: string }[];

  test('are published before they sign, and tokens of the earlier key are still verifiable', async () => {
    const browser = await signedIn();
    const before = await app.signIn(browser);
    const { kid: earlier } = decodeProtectedHeader(before.id_token ?? '');
    const next = await rotateSsoKey();
    forgetProvider();
    expect((await keySet()).map(({ kid }) => kid)).toEqual(expect.arrayContaining([earlier, next]));
    expect(decodeProtectedHeader((await app.signIn(browser)).id_token ?? '').kid).toBe(earlier);
    await setTestClock(HOUR_MS + 1000);
    forgetProvider();
    expect(decodeProtectedHeader((await app.signIn(browser)).id_token ?? '').kid).toBe(next);
    const keys = createRemoteJWKSet(new URL(`${ownUrl}/oidc/jwks`));
    await expect(jwtVerify(before.id_token ?? '', keys)).resolves.toBeTruthy();
  });

  test('are replaced after 90 days, and forgotten 30 days after their successor', async () => {
    const run = () => rotateSsoKeysJob.run(new AbortController().signal);
    await prisma().oidcKey.deleteMany();
    forgetProvider();
    await app.signIn(await signedIn());
    const kids = async () => (await prisma().oidcKey.findMany({ orderBy: { signs_from: 'asc' } })).map(({ id }) => id);
    const first = await kids();
    await setTestClock(89 * 24 * HOUR_MS);
    await run();
    expect(await kids()).toEqual(first);
    await setTestClock(91 * 24 * HOUR_MS);
    await run();
    const second = await kids();
    expect(second).toHaveLength(first.length + 1);
    await setTestClock(122 * 24 * HOUR_MS);
    await run();
    expect(await kids()).toEqual(second.slice(-1));
    await prisma().oidcKey.deleteMany();
    forgetProvider();
  });

  test('and records are stored sealed: no row holds a token or a private key', async () => {
    const { access_token, refresh_token = '' } = await app.signIn(await signedIn());
    const rows = await prisma().oidcRecord.findMany();
    const keys = await prisma().oidcKey.findMany();
    const stored = [...rows.map(({ payload }) => payload), ...keys.map(({ private_jwk }) => private_jwk)]
      .map((box) => Buffer.from(box).toString('latin1'))
      .join('\n');
    for (const secret of [access_token, refresh_token, '"kty"', '"accountId"', acme.users.member.id]) {
      expect(stored).not.toContain(secret);
    }
    expect(JSON.stringify(await prisma().oidcClient.findMany())).not.toContain(client.client_secret);
    expect(JSON.stringify(await prisma().auditEntry.findMany())).not.toContain(client.client_secret);
  });
});

describe('a rotated secret', () => {
  test('replaces the previous one immediately, and users stay signed in', async () => {
    const tokens = await app.signIn(await signedIn());
    const path = `/workspace/sso/clients/${client.id}/secret/rotate`;
    expect((await call('POST', path, { token: acme.users.member.token, body: {} })).status).toBe(403);
    const { status, body } = await call('POST', path, { token: acme.users.admin.token, body: {} });
    expect(status).toBe(200);
    expect(await refusal(app.refresh(tokens.refresh_token ?? ''))).toBe('invalid_client');
    const renewed = await relyingParty({ id: client.id, client_secret: newSsoClient.parse(body).client_secret });
    const refreshed = await renewed.refresh(tokens.refresh_token ?? '');
    expect(await renewed.userinfo(refreshed.access_token)).toMatchObject({ sub: acme.users.member.id });
  });
});

describe('the API', () => {
  test('names the portal, single sign-on as discovery does, and the data sources, each of which answers', async () => {
    const { token } = acme.users.reader;
    const { body } = await call('GET', '/workspace/info', { token });
    const { name, url, sso, data_sources } = workspaceInfo.parse(body);
    const { discovery_url, ...addresses } = sso;
    expect(await (await fetch(discovery_url)).json()).toMatchObject(addresses);
    expect([name, url]).toEqual(['acme', `${ownUrl}/projects/${acme.slug}`]);
    const probes = { loki: '/loki/api/v1/labels', prometheus: '/api/v1/labels' } as const;
    expect(data_sources.map(({ type }) => type)).toEqual(Object.keys(probes));
    for (const { type, url: base } of data_sources) {
      const answer = await fetch(base + probes[type], { headers: { Authorization: `Bearer ${token}` } });
      expect([type, answer.status]).toEqual([type, 200]);
    }
  });

  test('accepts no token of single sign-on', async () => {
    const { access_token, id_token = '', refresh_token = '' } = await app.signIn(await signedIn());
    for (const token of [access_token, id_token, refresh_token, client.client_secret]) {
      for (const path of ['/auth/me', '/workspace/info', '/observability/loki/api/v1/labels']) {
        expect((await call('GET', path, { token })).status).toBe(401);
      }
    }
  });

  test('trusts no workload identity of our own issuer', async () => {
    const { token } = acme.users.admin;
    const body = { name: 'self', audience: client.id, conditions: { sub: ['*'] }, max_role: 'admin' };
    for (const issuer of [`${ownUrl}/oidc`, `${ownUrl}/oidc/`]) {
      const refused = await call('POST', '/iam/providers', { token, body: { ...body, issuer } });
      expect(refused.status).toBe(400);
    }
  });

  test('registers only redirect URIs that may be called, and at most 20 clients', async () => {
    const { token } = acme.users.admin;
    const create = (name: string, uri: string) =>
      call('POST', '/workspace/sso/clients', { token, body: { name, redirect_uris: [uri] } });
    for (const uri of [
      'http://app.example.test/',
      'https://192.168.1.1/',
      'https://a:b@app.example.test/',
      `${CALLBACK}#x`,
    ]) {
      expect((await create('bad', uri)).status).toBe(400);
    }
    expect((await create('Grafana', CALLBACK)).status).toBe(409);
    for (let i = 1; i < 20; i++) expect((await create(`client-${i}`, CALLBACK)).status).toBe(201);
    const full = await create('one more', CALLBACK);
    expect([full.status, full.text]).toEqual([409, expect.stringContaining('SSO_CLIENTS_PER_PROJECT')]);
  });
});
