import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  type APIRequestContext,
  type BrowserContext,
  type BrowserContextOptions,
  test as base,
  expect,
  type Page,
} from '@playwright/test';
import axe from 'axe-core';
import { administrator } from '../lib/testing/accounts';

export { expect };

export interface Person {
  email: string;
  name: string;
  password: string;
}

/** A separate tenant per test, created through the back office, with its first admin. */
export interface Tenant {
  id: string;
  slug: string;
  name: string;
  admin: Person;
  /** An access token of the admin, for test data through the API. */
  token: string;
}

interface Fixtures {
  tenant: Tenant;
  /** A page in another browser, for another person or another place. Closed with the test. */
  otherBrowser: (options?: BrowserContextOptions) => Promise<Page>;
}

interface WorkerFixtures {
  /** A session token of the first administrator. */
  administratorToken: string;
}

/** Tests with a tenant of their own, so that they don't interfere. */
export const test = base.extend<Fixtures, WorkerFixtures>({
  administratorToken: [
    async ({ playwright }, use) => {
      const request = await playwright.request.newContext({ baseURL: process.env.E2E_BASE_URL ?? '' });
      const answer = await request.post('/admin/api/v1/auth/login', { data: administrator });
      expect(answer.status()).toBe(200);
      await use((await answer.json()).access_token);
      await request.dispose();
    },
    { scope: 'worker' },
  ],
  otherBrowser: async ({ browser }, use) => {
    const contexts: BrowserContext[] = [];
    await use(async (options) => {
      const context = await browser.newContext(options);
      contexts.push(context);
      return context.newPage();
    });
    for (const context of contexts) await context.close();
  },
  tenant: async ({ request, administratorToken }, use) => {
    const mark = randomBytes(4).toString('hex');
    const admin = { email: `ianthe-${mark}@example.test`, name: 'Ianthe Kallis', password: `pass ${mark} phrase` };
    const slug = `t${mark}`;
    const name = `Tenant ${mark}`;
    const answer = await request.post('/admin/api/v1/tenants', {
      headers: bearer(administratorToken),
      data: { name, slug, admin: { ...admin, password: INITIAL_PASSWORD } },
    });
    expect(answer.status()).toBe(201);
    const token = await chooseOwnPassword(request, admin);
    await use({ id: (await answer.json()).id, slug, name, admin, token });
    // Running guests and databases would slow the following tests down.
    const headers = bearer(token);
    const instances = await request.get('/api/v1/compute/instances', { headers });
    const clusters = await request.get('/api/v1/dbaas/clusters', { headers });
    // The test may have revoked the admin's access.
    if (!instances.ok() || !clusters.ok()) return;
    for (const { id } of await instances.json()) await request.delete(`/api/v1/compute/instances/${id}`, { headers });
    for (const { engine, namespace, name } of await clusters.json())
      await request.delete(`/api/v1/dbaas/clusters/${engine}/${namespace}/${name}`, { headers });
  },
});

export function bearer(token: string) {
  return { Authorization: `Bearer ${token}` };
}

/** An access token of a person without a second factor. */
export async function accessToken(request: APIRequestContext, { email, password }: Person): Promise<string> {
  const answer = await request.post('/api/v1/auth/login', { data: { email, password } });
  expect(answer.status()).toBe(200);
  return (await answer.json()).access_token;
}

/** The initial password of every account that tests create. */
export const INITIAL_PASSWORD = 'chosen by somebody else';

/** Replaces the initial password of a new account with the person's own. @returns an access token */
export async function chooseOwnPassword(
  request: APIRequestContext,
  { email, password }: Person,
  api: '/api/v1' | '/admin/api/v1' = '/api/v1',
): Promise<string> {
  const login = await request.post(`${api}/auth/login`, { data: { email, password: INITIAL_PASSWORD } });
  const { access_token: token } = await login.json();
  const answer = await request.post(`${api}/auth/password`, {
    headers: bearer(token),
    data: { current_password: INITIAL_PASSWORD, new_password: password },
  });
  expect(answer.status()).toBe(204);
  return token;
}

/** Adds a person to a tenant, through the API. */
export async function addPerson(
  request: APIRequestContext,
  tenant: Tenant,
  role: 'admin' | 'member' | 'reader',
): Promise<Person> {
  const mark = randomBytes(4).toString('hex');
  const person = { email: `${role}-${mark}@example.test`, name: `Rhea ${role}`, password: `pass ${mark} phrase` };
  const answer = await request.post('/api/v1/identity/users', {
    headers: bearer(tenant.token),
    data: { ...person, role, password: INITIAL_PASSWORD },
  });
  expect(answer.status()).toBe(201);
  await chooseOwnPassword(request, person);
  return person;
}

/** Creates an instance of the smallest flavor, through the API. */
export async function createInstance(
  request: APIRequestContext,
  { token }: Tenant,
  name: string,
): Promise<{ id: string; flavor: { name: string } }> {
  const headers = bearer(token);
  const first = async (path: string) => (await (await request.get(`/api/v1${path}`, { headers })).json())[0].id;
  const answer = await request.post('/api/v1/compute/instances', {
    headers,
    data: {
      name,
      flavor_id: await first('/compute/flavors'),
      image_id: await first('/images/images?name=nephele-tiny'),
      network_id: await first('/network/networks'),
    },
  });
  expect(answer.status()).toBe(201);
  return answer.json();
}

/**
 * Opens a page as a person without a second factor. The session is made by the request of the sign-in form: loading the
 * form in every test would be a tenth of the suite's time, and the tests of accounts fill it in.
 */
export async function open(page: Page, address: string, { email, password }: Person): Promise<void> {
  // An address of another platform is absolute, and so are its requests.
  const at = (path: string) => (URL.canParse(address) ? new URL(path, address).href : path);
  const { csrfToken } = await (await page.request.get(at('/api/auth/csrf'))).json();
  const answer = await page.request.post(at('/api/auth/callback/password'), {
    form: { csrfToken, email, password, json: 'true' },
  });
  expect((await answer.json()).url, 'signs in').not.toContain('error=');
  await page.goto(address);
}

/**
 * Ends the session of a browser. The page is left first: an open one goes to the sign-in page when a read is refused,
 * and aborts the navigation of the test.
 */
export async function forgetSession(page: Page): Promise<void> {
  await page.goto('about:blank');
  await page.context().clearCookies();
}

/** Signs in with an initial password, chooses another one, and waits for the page. */
export async function openWithInitialPassword(page: Page, address: string, person: Person): Promise<void> {
  await page.goto(address);
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByLabel('Password').fill(person.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Choose your password');
  await page.getByLabel('Initial password').fill(person.password);
  await page.getByLabel('New password').fill('a password of my own');
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.waitForURL((url) => !/sign-in|initial-password/.test(url.pathname));
}

/** The current TOTP code of a key, by an independent implementation. */
export function totpNow(secret: string, stepsAhead = 0): string {
  const at = `now + ${stepsAhead * 30} seconds`;
  return execFileSync('oathtool', ['--totp', '--base32', '--now', at, secret], { encoding: 'utf8' }).trim();
}

declare global {
  interface Window {
    /** Once `expectAccessible` has brought it. */
    axe?: { run: (options: axe.RunOptions) => Promise<axe.AxeResults> };
  }
}

/** Waits until nothing on the page is loading. Placeholders are drawn paler, and have nothing to focus. */
export async function expectLoaded(page: Page): Promise<void> {
  await expect(page.locator('[aria-busy=true], [data-skeleton]')).toHaveCount(0);
}

/** Checks accessibility in both themes: no serious violations. */
export async function expectAccessible(page: Page): Promise<void> {
  await expectLoaded(page);
  // Once per document: axe is half a megabyte, to be compiled each time.
  if (!(await page.evaluate(() => window.axe !== undefined))) await page.evaluate(axe.source);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.waitForFunction((scheme) => matchMedia(`(prefers-color-scheme: ${scheme})`).matches, colorScheme);
    // Everything except colour is the same in both themes.
    const only = colorScheme === 'dark' ? { runOnly: ['color-contrast'] } : {};
    // Asked again after a moment: the colours of what is just being drawn belong to no theme.
    await expect.poll(() => seriousViolations(page, only), { message: `accessible when ${colorScheme}` }).toEqual([]);
  }
}

/** Runs axe, which is on the page, once everything is drawn and nothing fades in any more. */
function seriousViolations(page: Page, only: axe.RunOptions): Promise<string[] | undefined> {
  return page.evaluate(async (only) => {
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    const ending = document
      .getAnimations()
      .filter(({ effect, playState }) => playState === 'running' && effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ending.map(({ finished }) => finished));
    // Frames are of other origins, which axe cannot read.
    const results = await window.axe?.run({ resultTypes: ['violations'], iframes: false, ...only });
    return results?.violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }, only);
}

/** Opens the serial console of an instance from its page, in a window of its own. */
export async function openConsole(page: Page, tenant: Tenant, instanceId: string): Promise<Page> {
  const instance = await page.context().newPage();
  await instance.goto(`/projects/${tenant.slug}/compute/instances/${instanceId}?tab=console`);
  const [terminal] = await Promise.all([
    instance.waitForEvent('popup'),
    instance.getByRole('button', { name: 'Open serial terminal' }).click(),
  ]);
  await expect(terminal.getByText('Connected', { exact: true }).first()).toBeVisible({ timeout: 60_000 });
  await instance.close();
  return terminal;
}

/** Types a command into a serial console, and waits for its output. The test's own page is in front again afterwards. */
export async function types(terminal: Page, command: string, printed: RegExp): Promise<void> {
  await terminal.bringToFront();
  await terminal.getByRole('textbox', { name: 'Terminal input' }).focus();
  await terminal.keyboard.type(command);
  await terminal.keyboard.press('Enter');
  await expect(terminal.getByRole('tabpanel', { name: 'Serial terminal' })).toContainText(printed, { timeout: 60_000 });
  // Chromium draws pages in the background once a second.
  await terminal.context().pages()[0]?.bringToFront();
}
