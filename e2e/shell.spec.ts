import { expect, expectAccessible, open, test } from './support';

test('the command palette leads to pages and actions by the keyboard alone', async ({ page, tenant }) => {
  await open(page, `/projects/${tenant.slug}`, tenant.admin);
  await expect(page.getByRole('meter')).toHaveCount(9);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('create sec');
  await expect(page.getByRole('option', { name: 'Create secret' })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await expect(page).toHaveTitle('Create secret · Nephele');
});

test('the theme is chosen once and stays', async ({ page, tenant }) => {
  await open(page, `/projects/${tenant.slug}`, tenant.admin);
  await page.getByRole('button', { name: /account and appearance/ }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
});

test('on a phone the navigation is a drawer, and nothing is wider than the screen', async ({ page, tenant }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, `/projects/${tenant.slug}`, tenant.admin);
  await expect(page.getByRole('meter')).toHaveCount(9);
  await page.getByRole('button', { name: 'Open the navigation' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Secrets' }).click();
  await expect(page).toHaveTitle('Secrets · Nephele');
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
  await expectAccessible(page);
});

test('pages run under a strict content policy and ask no other server', async ({ page, tenant, baseURL }) => {
  const foreign: string[] = [];
  const problems: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(baseURL ?? '') && /^https?:/.test(request.url())) foreign.push(request.url());
  });
  page.on('console', (message) => {
    if (/content.security.policy/i.test(message.text())) problems.push(message.text());
  });
  for (const address of ['/sign-in', '/docs', '/no/such/page']) {
    const response = await page.goto(address);
    const policy = response?.headers()['content-security-policy'] ?? '';
    expect(policy).toMatch(/script-src 'nonce-[^']+' 'strict-dynamic'(;| )/);
    expect(policy).not.toContain("script-src 'unsafe-inline'");
    await page.waitForLoadState('networkidle');
  }
  await open(page, `/projects/${tenant.slug}`, tenant.admin);
  await expect(page.getByRole('meter')).toHaveCount(9);
  expect(foreign).toEqual([]);
  expect(problems).toEqual([]);
});

test('the API reference lists the endpoints', async ({ page }) => {
  await page.goto('/docs');
  await expect(page.getByRole('heading', { name: 'Nephele', exact: true })).toBeVisible({ timeout: 30_000 });
  await expect(page.getByText('/api/v1/auth/login').first()).toBeVisible();
});
