import { getRequestListener } from '@hono/node-server';
import * as relying from 'openid-client';
import { newSsoClient } from '@/lib/people/oidc/schema';
import { serveSso } from '@/lib/people/oidc/serve';
import { app } from '@/lib/platform/app';
import { ConnectionLimit } from '@/lib/runtime/connection-limit';
import { isApi, isSso, plainPath } from '@/lib/runtime/paths';
import { listen } from '@/lib/runtime/web-server';
import { ownPort, ownUrl } from './own-address';
import { type Client, givePassword, PASSWORD } from './sign-in';
import { signInPage } from './sign-in-pages';
import { createProject, type TestProject } from './world';

/** Where the application of these tests waits for its users. Nothing listens there. */
export const CALLBACK = 'https://app.example.test/callback';
export const GOODBYE = 'https://app.example.test/bye';

/** Our web server with everything that single sign-on needs, but without pages. @returns how to stop it */
export function startSsoServer(): Promise<() => Promise<void>> {
  const sso = serveSso();
  const api = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const signIn = getRequestListener(
    async (request) => {
      const path = new URL(request.url).pathname.split('/').slice(3).join('/');
      const cookies = Object.fromEntries(
        (request.headers.get('cookie') ?? '').split('; ').map((pair) => {
          const [name = '', ...value] = pair.split('=');
          return [name, decodeURIComponent(value.join('='))];
        }),
      );
      const body = Object.fromEntries(new URLSearchParams(await request.text()));
      const answer = await signInPage(request.method, path, { headers: request.headers, cookies, body });
      const response = Response.json(answer.body, { status: answer.status });
      for (const cookie of answer.set_cookies) response.headers.append('Set-Cookie', cookie);
      return response;
    },
    { overrideGlobalObjects: false },
  );
  return listen(
    {
      async request(request, response) {
        const path = plainPath(request.url ?? '') ?? '';
        if (isSso(path)) await sso(request, response);
        else if (isApi(path)) await api(request, response);
        else if (path.startsWith('/api/auth/')) await signIn(request, response);
        else response.writeHead(200, { 'Content-Type': 'text/html' }).end('a page');
      },
      upgrade: async () => {},
    },
    { host: '127.0.0.1', port: ownPort },
    { body: { ms: 30_000, isUpload: () => false }, connections: new ConnectionLimit(1000), trustedProxies: [] },
  );
}

/** The `client_id` and secret of an application. */
export type SsoCredentials = { id: string; client_secret: string };

/** A project whose people have a password. */
export async function createSsoProject(name?: string): Promise<TestProject> {
  const project = await createProject(name);
  await Promise.all(Object.values(project.users).map((user) => givePassword(user)));
  return project;
}

/** Registers an application of the project. */
export async function registerClient(
  call: Client,
  project: TestProject,
  changes: object = {},
): Promise<SsoCredentials> {
  const { body, text, status } = await call('POST', '/workspace/sso/clients', {
    token: project.users.admin.token,
    body: { name: 'Grafana', redirect_uris: [CALLBACK], post_logout_redirect_uris: [GOODBYE], ...changes },
  });
  if (status !== 201) throw new Error(text);
  return newSsoClient.parse(body);
}

/** The error code with which an endpoint of the provider refused. */
export async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  if (error instanceof relying.ResponseBodyError) return error.error;
  if (error instanceof relying.WWWAuthenticateChallengeError) return error.cause[0]?.parameters.error ?? '';
  throw new Error(`not refused: ${String(error)}`);
}

/** The error code that an application is sent. */
export const errorOf = (url: URL) => url.searchParams.get('error');

type Cookie = { value: string; path: string };

/** A browser: it keeps cookies by their path, and follows redirects within our server. */
export class Browser {
  private readonly jar = new Map<string, Cookie>();

  async open(url: string | URL, init: RequestInit = {}): Promise<Response> {
    const address = new URL(url, ownUrl);
    const headers = new Headers(init.headers);
    const cookies = [...this.jar].filter(([, { path }]) => address.pathname.startsWith(path));
    headers.set('cookie', cookies.map(([key, { value }]) => `${key.split(' ')[0]}=${value}`).join('; '));
    const response = await fetch(address, { ...init, headers, redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) this.keep(cookie);
    return response;
  }

  /** Opens an address and goes where it leads, until a page is shown or another server is named. */
  async visit(url: string | URL, init?: RequestInit): Promise<{ url: URL; status: number; text: string }> {
    let at = new URL(url, ownUrl);
    let response = await this.open(at, init);
    for (;;) {
      const location = response.headers.get('location');
      if (location === null) return { url: at, status: response.status, text: await response.text() };
      at = new URL(location, at);
      if (at.origin !== ownUrl) return { url: at, status: response.status, text: '' };
      response = await this.open(at);
    }
  }

  /** Signs in to the portal. @returns the error code, if any */
  async signIn(email: string, password = PASSWORD): Promise<string | null> {
    return this.step('password', { email, password });
  }

  async code(code: string): Promise<string | null> {
    return this.step('second-factor', { code });
  }

  signOut(): Promise<string | null> {
    return this.post('/api/auth/signout', {});
  }

  /** Decides on the consent page that `visit` has led to. @returns where the browser goes on */
  async decide(page: { url: URL }, granted: boolean, headers: Record<string, string> = {}): Promise<Response> {
    const uid = page.url.pathname.split('/').at(-1);
    return this.open(`/oidc/interaction/${uid}/decision`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin', ...headers },
      body: JSON.stringify({ granted }),
    });
  }

  /** From an application's address to the address that it is given back, through consent if it is asked for. */
  async authorize(url: string | URL): Promise<URL> {
    const page = await this.visit(url);
    if (!page.url.pathname.startsWith('/sign-in/consent/')) return page.url;
    const decided = await this.decide(page, true);
    const { location } = await decided.json();
    return (await this.visit(location)).url;
  }

  private step(provider: string, given: Record<string, string>): Promise<string | null> {
    return this.post(`/api/auth/callback/${provider}`, given);
  }

  private async post(path: string, given: Record<string, string>): Promise<string | null> {
    const { csrfToken } = await (await this.open('/api/auth/csrf')).json();
    const body = new URLSearchParams({ ...given, csrfToken, json: 'true' });
    const { url } = await (await this.open(path, { method: 'POST', body })).json();
    return new URL(url).searchParams.get('error');
  }

  private keep(cookie: string): void {
    const [pair = '', ...attributes] = cookie.split(/; */);
    const [name = '', ...value] = pair.split('=');
    const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? '/';
    const gone = attributes.some((one) => /^(max-age=0|expires=Thu, 01 Jan 1970)/i.test(one));
    if (gone || value.join('=') === '') this.jar.delete(`${name} ${path}`);
    else this.jar.set(`${name} ${path}`, { value: value.join('='), path });
  }
}

/** An application that signs people in through `openid-client`. */
export async function relyingParty(
  client: SsoCredentials,
  authentication = relying.ClientSecretBasic(client.client_secret),
) {
  const issuer = new URL(`${ownUrl}/oidc`);
  const config = await relying.discovery(issuer, client.id, client.client_secret, authentication, {
    execute: [relying.allowInsecureRequests],
  });
  return {
    config,
    /** An authorization request, and what is needed to redeem its code. */
    async request(parameters: Record<string, string> = {}) {
      const pkceCodeVerifier = relying.randomPKCECodeVerifier();
      const expectedState = relying.randomState();
      const url = relying.buildAuthorizationUrl(config, {
        redirect_uri: CALLBACK,
        scope: 'openid profile email',
        state: expectedState,
        code_challenge: await relying.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
        ...parameters,
      });
      const { nonce } = parameters;
      const checks = { pkceCodeVerifier, expectedState, ...(nonce === undefined ? {} : { expectedNonce: nonce }) };
      return { url, redeem: (callback: URL) => relying.authorizationCodeGrant(config, callback, checks) };
    },
    /** Signs in a browser, with consent where it is asked for. */
    async signIn(browser: Browser, parameters?: Record<string, string>) {
      const { url, redeem } = await this.request(parameters);
      return redeem(await browser.authorize(url));
    },
    userinfo: (accessToken: string) => relying.fetchUserInfo(config, accessToken, relying.skipSubjectCheck),
    refresh: (token: string) => relying.refreshTokenGrant(config, token),
  };
}
