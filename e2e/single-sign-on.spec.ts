import type { Page } from '@playwright/test';
import * as relying from 'openid-client';
import {
  addPerson,
  bearer,
  chooseOwnPassword,
  expect,
  expectAccessible,
  INITIAL_PASSWORD,
  type Person,
  test,
  totpNow,
} from './support';

const CALLBACK = 'https://app.example.test/callback';

/** An application that signs people in. */
async function application(clientId: string, secret: string) {
  const issuer = new URL('/oidc', process.env.E2E_BASE_URL);
  const config = await relying.discovery(issuer, clientId, secret, relying.ClientSecretBasic(secret), {
    execute: [relying.allowInsecureRequests],
  });
  const pkceCodeVerifier = relying.randomPKCECodeVerifier();
  const code_challenge = await relying.calculatePKCECodeChallenge(pkceCodeVerifier);
  return {
    start: (page: Page) => {
      const parameters = { redirect_uri: CALLBACK, scope: 'openid profile email', code_challenge };
      const url = relying.buildAuthorizationUrl(config, { ...parameters, code_challenge_method: 'S256' });
      return page.goto(url.href);
    },
    finish: (returned: URL) => relying.authorizationCodeGrant(config, returned, { pkceCodeVerifier }),
  };
}

/** The address at which the browser returns to the application. Nothing listens there, so the navigation fails. */
async function returnOf(page: Page, act: () => Promise<unknown>): Promise<URL> {
  const [returned] = await Promise.all([
    page.waitForEvent('requestfailed', (request) => request.url().startsWith(CALLBACK)),
    act().catch(() => {}),
  ]);
  await page.waitForURL('chrome-error://chromewebdata/');
  return new URL(returned.url());
}

async function signIn(page: Page, { email, password }: Person): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('a member signs in to an application with password, second factor and consent', async ({
  page,
  request,
  tenant,
  otherBrowser,
}) => {
  const list = `/projects/${tenant.slug}/project/single-sign-on`;
  await page.goto(list);
  await signIn(page, tenant.admin);
  await expect(page.getByRole('heading', { name: 'No applications yet' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Add application' }).first().click();
  await expect(page).toHaveTitle('Add application · Nephele');
  await page.getByLabel('Name', { exact: true }).fill('Grafana');
  await page.getByLabel('Redirect URLs', { exact: true }).fill('https://127.0.0.1/callback');
  await page.getByRole('button', { name: 'Add application' }).click();
  await expect(page.getByLabel('Redirect URLs', { exact: true })).toHaveAttribute('aria-invalid', 'true');
  await page.getByLabel('Redirect URLs', { exact: true }).fill(CALLBACK);
  await page.getByRole('button', { name: 'Add application' }).click();
  await expect(page.getByText('Grafana added')).toBeVisible();
  const clientId = await page.getByRole('definition').first().innerText();
  await expect(page.getByRole('figure', { name: 'settings for Grafana' })).toContainText(`client_id = ${clientId}`);
  await page.getByRole('button', { name: 'Show client secret' }).click();
  const first = await page.locator('code').first().innerText();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Done' }).click();

  await page.getByRole('button', { name: 'Actions for Grafana' }).click();
  await page.getByRole('menuitem', { name: 'Rotate secret' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Rotate secret' }).click();
  const settings = page.getByRole('dialog', { name: 'Settings for Grafana' });
  await settings.getByRole('button', { name: 'Show client secret' }).click();
  const secret = await settings.locator('code').first().innerText();
  expect(secret).not.toBe(first);
  await settings.getByRole('button', { name: 'Close' }).last().click();

  const member = await addPerson(request, tenant, 'member');
  const login = await request.post('/api/v1/auth/login', { data: { email: member.email, password: member.password } });
  const headers = bearer((await login.json()).access_token);
  const setUp = await request.post('/api/v1/auth/2fa/setup', { headers, data: {} });
  const { secret: key } = await setUp.json();
  const activated = await request.post('/api/v1/auth/2fa/activate', { headers, data: { code: totpNow(key) } });
  expect(activated.ok()).toBe(true);

  const browser = await otherBrowser();
  const app = await application(clientId, secret);
  await app.start(browser);
  await signIn(browser, member);
  await browser.getByLabel('Code').fill(totpNow(key, 1));
  await browser.getByRole('button', { name: 'Continue' }).click();
  await expect(browser.getByRole('heading', { name: 'Sign in to Grafana?' })).toBeVisible();
  await expect(browser.getByText(tenant.name)).toBeVisible();
  await expect(browser.getByText('app.example.test', { exact: true })).toBeVisible();
  await expectAccessible(browser);
  await browser.setViewportSize({ width: 390, height: 844 });
  expect(await browser.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
  const refused = await returnOf(browser, () => browser.getByRole('button', { name: 'Cancel' }).click());
  expect(refused.searchParams.get('error')).toBe('access_denied');

  await app.start(browser);
  const allowed = await returnOf(browser, () => browser.getByRole('button', { name: 'Allow' }).click());
  const claims = (await app.finish(allowed)).claims();
  expect(claims).toMatchObject({ project: tenant.id, role: 'member', amr: ['pwd', 'mfa'] });

  const again = await returnOf(browser, () => app.start(browser));
  expect(again.searchParams.get('code')).not.toBeNull();

  await page.getByRole('button', { name: 'Actions for Grafana' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete application' }).click();
  await expect(page.getByRole('heading', { name: 'No applications yet' })).toBeVisible();
});

test('a person of another project is refused before any consent', async ({
  page,
  request,
  tenant,
  administratorToken,
}) => {
  const client = await request.post('/api/v1/workspace/sso/clients', {
    headers: bearer(tenant.token),
    data: { name: 'Wiki', redirect_uris: [CALLBACK] },
  });
  const { id, client_secret } = await client.json();
  const stranger = {
    email: `stranger-${tenant.slug}@example.test`,
    name: 'Stranger',
    password: 'a password of my own',
  };
  const other = await request.post('/admin/api/v1/tenants', {
    headers: bearer(administratorToken),
    data: { name: 'Other', slug: `${tenant.slug}-other`, admin: { ...stranger, password: INITIAL_PASSWORD } },
  });
  expect(other.status()).toBe(201);
  await chooseOwnPassword(request, stranger);
  await (await application(id, client_secret)).start(page);
  const refused = await returnOf(page, () => signIn(page, stranger));
  expect(refused.searchParams.get('error')).toBe('access_denied');
});
