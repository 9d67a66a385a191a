import { bearer, expect, expectAccessible, open, test } from './support';

test('the command palette leads to pages and actions with the keyboard alone', async ({ page, tenant }) => {
  await open(page, `/projects/${tenant.slug}`, tenant.admin);
  await expect(page.getByRole('meter')).toHaveCount(9);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('create secret');
  await expect(page.getByRole('option', { name: 'Create secret' })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await expect(page).toHaveTitle('Create secret · Nephele');
});

test('the chosen theme stays', async ({ page, tenant }) => {
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
  await page.getByRole('button', { name: 'Open navigation' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Secrets' }).click();
  await expect(page).toHaveTitle('Secrets · Nephele');
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
  await expectAccessible(page);
});

test('a select works with the keyboard, with the page readable behind it', async ({ page, tenant }) => {
  await open(page, `/projects/${tenant.slug}/project/tokens/new`, tenant.admin);
  const expiry = page.getByRole('combobox', { name: 'Expires after' });
  await expiry.press('ArrowDown');
  await expect(page.getByRole('option', { name: '30 days', selected: true })).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.press('n');
  await expect(page.getByRole('option', { name: 'Never' })).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await expect(expiry).toHaveText('1 year');
  await expect(expiry).toBeFocused();
});

test('a lost connection is reported, keeps the input, and recovers on its own', async ({ page, context, tenant }) => {
  await open(page, `/projects/${tenant.slug}/security/secrets/new`, tenant.admin);
  await page.getByLabel('Name', { exact: true }).fill('written-before');
  await context.setOffline(true);
  const menu = page.getByRole('button', { name: /account and appearance/ });
  await menu.click();
  await page.keyboard.press('Control+k');
  await page.getByLabel('Value').fill('s3cret');
  await page.getByRole('button', { name: 'Create secret' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'Nephele is not responding' })).toBeVisible();
  await context.setOffline(false);
  // The dialog requested meanwhile opens with the connection.
  await expect(page.getByRole('dialog', { name: 'Search pages and actions' })).toBeVisible();
  // The menu requested first may open after the palette.
  await expect(async () => {
    await page.keyboard.press('Escape');
    await expect(menu).toBeVisible({ timeout: 500 });
  }).toPass();
  await menu.click();
  await expect(page.getByRole('menuitemradio', { name: 'Dark' })).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Create secret' }).click();
  await expect(page.getByRole('row', { name: /written-before/ })).toBeVisible();
});

test('an address without a page gets an answer inside the project', async ({ page, tenant }) => {
  await open(page, `/projects/${tenant.slug}/no-such-page`, tenant.admin);
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
  await expectAccessible(page);
});

test('related pages are tabs of one entry, and an old address leads to its page', async ({ page, tenant }) => {
  await open(page, `/projects/${tenant.slug}/routers?sort=name`, tenant.admin);
  await expect(page).toHaveURL(`/projects/${tenant.slug}/network/routers?sort=name`);
  const navigation = page.getByRole('navigation', { name: 'Main' });
  await expect(navigation.getByRole('link', { name: 'Networks' })).toHaveAttribute('aria-current', 'page');
  const tabs = page.getByRole('navigation', { name: 'Networks' });
  await expect(tabs.getByRole('link', { name: 'Routers' })).toHaveAttribute('aria-current', 'page');
  await tabs.getByRole('link', { name: 'Ports' }).click();
  await expect(page).toHaveTitle('Ports · Nephele');
  await expectAccessible(page);
});

test('groups stay collapsed, open for the current page, and pins and recent resources are on top', async ({
  page,
  tenant,
  request,
}) => {
  const headers = bearer(tenant.token);
  const [group] = await (await request.get('/api/v1/network/security-groups', { headers })).json();
  await open(page, `/projects/${tenant.slug}/network/security-groups/${group.id}`, tenant.admin);
  await expect(page.getByRole('heading', { name: group.name, level: 1 })).toBeVisible();

  const navigation = page.getByRole('navigation', { name: 'Main' });
  await navigation.getByRole('button', { name: 'Storage' }).click();
  await expect(navigation.getByRole('link', { name: 'Volumes' })).toBeHidden();
  await navigation.getByRole('button', { name: 'Pin Secrets' }).press('Enter');
  await page.goto(`/projects/${tenant.slug}/billing`);
  await expect(navigation.getByRole('button', { name: 'Storage' })).toHaveAttribute('aria-expanded', 'false');
  // The first link is the product's name.
  await expect(navigation.getByRole('link').nth(1)).toHaveText('Secrets');
  await expect(navigation.getByRole('link', { name: group.name, exact: true })).toBeVisible();
  await expectAccessible(page);

  await page.goto(`/projects/${tenant.slug}/storage/snapshots`);
  await expect(navigation.getByRole('link', { name: 'Volumes' })).toHaveAttribute('aria-current', 'page');
});
