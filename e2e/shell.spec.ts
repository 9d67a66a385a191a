import type { APIRequestContext } from '@playwright/test';
import { bearer, expect, expectAccessible, open, type Tenant, test } from './support';

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

test('no keystroke after Ctrl-K is lost while the palette loads', async ({ page, tenant }) => {
  await open(page, `/projects/${tenant.slug}/security/secrets`, tenant.admin);
  await expect(page.getByText('No secrets yet')).toBeVisible();
  // The palette's code arrives long after the text.
  const devtools = await page.context().newCDPSession(page);
  const network = { offline: false, downloadThroughput: -1, uploadThroughput: -1 };
  await devtools.send('Network.emulateNetworkConditions', { ...network, latency: 1000 });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('/create voll');
  await page.keyboard.press('Backspace');
  await expect(page.getByText('Loading the search…')).toBeVisible();
  await expect(page.getByRole('combobox')).toHaveValue('/create vol');
  await page.keyboard.type('ume');
  await expect(page.getByRole('combobox')).toHaveValue('/create volume');
  await devtools.send('Network.emulateNetworkConditions', { ...network, latency: 0 });
  await page.getByRole('combobox').fill('create volume');
  await page.keyboard.press('Enter');
  await expect(page).toHaveTitle('Create volume · Nephele');
});

test('the command palette finds resources by name, id and address, recent ones, documentation and the way out', async ({
  page,
  tenant,
  request,
}) => {
  const headers = bearer(tenant.token);
  const secret = await request.post('/api/v1/vault/secrets', {
    headers,
    data: { name: 'db-password', type: 'opaque', payload: 'x' },
  });
  expect(secret.status()).toBe(201);
  const [group] = await (await request.get('/api/v1/network/security-groups', { headers })).json();
  const [network] = await (await request.get('/api/v1/network/networks', { headers })).json();
  await open(page, `/projects/${tenant.slug}/network/security-groups/${group.id}`, tenant.admin);
  await expect(page.getByRole('heading', { name: group.name, level: 1 })).toBeVisible();
  await page.goto(`/projects/${tenant.slug}`);
  const field = page.getByRole('combobox');
  const line = (name: string | RegExp) => page.getByRole('option', { name });
  const ask = async (text: string) => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type(text);
    await expect(field).toHaveValue(text);
  };

  await ask('password');
  await expect(line('db-password secret')).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
  await page.setViewportSize({ width: 1280, height: 900 });
  await line('db-password secret').click();
  await expect(page).toHaveURL(`/projects/${tenant.slug}/security/secrets?search=db-password`);

  await ask(network.id.slice(0, 13));
  await page.keyboard.press('Escape');
  await ask(network.cidr);
  await expect(line(`${network.name} network · ${network.cidr}`)).toBeVisible();
  await field.fill(network.id);
  await expect(line(`${network.name} network`)).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/projects/${tenant.slug}/network/networks/${network.id}`);
  await expect(page.getByRole('heading', { name: network.name, level: 1 })).toBeVisible();

  await ask('');
  await expect(page.getByRole('group', { name: 'Recent' }).getByRole('option', { name: group.name })).toBeVisible();
  await field.fill('reference: vol');
  await expect(line('API reference: Volumes')).toBeVisible();
  await field.fill('profile');
  await expect(line('Profile and security')).toBeVisible();
  await field.fill('sign out');
  await expect(line('Sign out')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page).toHaveTitle(/^Sign in/);
});

test('the command palette offers the actions of a resource, with the reason of one that it does not allow', async ({
  page,
  tenant,
  request,
}) => {
  const headers = bearer(tenant.token);
  const made = await request.post('/api/v1/storage/volumes', { headers, data: { name: 'data-1', size_gb: 1 } });
  expect(made.status()).toBe(201);
  const { id } = await made.json();
  const volume = async () => (await request.get(`/api/v1/storage/volumes/${id}`, { headers })).status();
  await open(page, `/projects/${tenant.slug}/security/secrets`, tenant.admin);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('data-1: de');
  await expect(page.getByRole('option', { name: 'data-1: Detach Not attached.' })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
  await expectAccessible(page);
  await page.getByRole('option', { name: 'data-1: Delete' }).click();
  const question = page.getByRole('alertdialog', { name: 'Delete data-1?' });
  await question.getByRole('textbox').fill('data-1');
  await question.getByRole('button', { name: 'Delete volume' }).click();
  await expect(question).toBeHidden();
  await expect.poll(volume).toBe(404);
});

/** Creates resources of a project through the API. */
const creator =
  (request: APIRequestContext, { token }: Tenant) =>
  async (path: string, data: object) => {
    const made = await request.post(`/api/v1${path}`, { headers: bearer(token), data });
    expect([path, made.status(), made.ok() ? '' : await made.text()]).toEqual([path, 201, '']);
    return made.json();
  };

test('the command palette offers the actions of secrets, key pairs and floating IPs', async ({
  page,
  tenant,
  request,
}) => {
  const headers = bearer(tenant.token);
  const create = creator(request, tenant);
  await create('/vault/secrets', { name: 'signing-key', type: 'opaque', payload: 'x' });
  await create('/compute/keypairs', { name: 'laptop' });
  const { address } = await create('/network/floating-ips', {});
  await open(page, `/projects/${tenant.slug}`, tenant.admin);
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox');
  const line = (name: string) => page.getByRole('option', { name });
  await field.fill(`${address}: dis`);
  await expect(line(`${address}: Disassociate Not associated.`)).toHaveAttribute('aria-disabled', 'true');
  await field.fill(`release ${address}`);
  await expect(line(`${address}: Release`)).toBeVisible();
  await field.fill('signing-key: show');
  await line('signing-key: Show value').click();
  await page.getByRole('dialog', { name: 'signing-key' }).getByRole('button', { name: 'Cancel' }).click();
  await page.keyboard.press('Control+k');
  await field.fill('laptop: del');
  await line('laptop: Delete').click();
  await page.getByRole('button', { name: 'Delete key pair' }).click();
  await expect.poll(async () => (await request.get('/api/v1/compute/keypairs', { headers })).json()).toEqual([]);
});

test('the command palette offers the actions of load balancers, routes, buckets, functions and layers', async ({
  page,
  tenant,
  request,
}) => {
  const headers = bearer(tenant.token);
  const create = creator(request, tenant);
  const bucket = `assets-${tenant.slug}`;
  const listeners = [{ name: 'http', protocol: 'HTTP', port: 80, pool: { name: 'web', members: [] } }];
  await create('/lbaas/loadbalancers', { name: 'front', listeners });
  const backends = [{ name: 'stable', url: 'https://www.example.com', weight: 100 }];
  await create('/gateway/routes', { name: 'shop', host: `${tenant.slug}.example.org`, path_prefix: '/', backends });
  await create('/storage/buckets', { name: bucket });
  const code = 'def handler(event, context):\n    return event\n';
  await create('/functions', { name: 'hello', template_id: 'python3.11', code });
  await create('/layers', { name: 'tools', description: '' });
  await open(page, `/projects/${tenant.slug}`, tenant.admin);
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox');
  const line = (name: string) => page.getByRole('option', { name });
  for (const name of ['front', 'shop', bucket, 'hello', 'tools']) {
    await field.fill(`${name}: del`);
    await expect(line(`${name}: Delete`)).toBeVisible();
  }
  await line('tools: Delete').click();
  const question = page.getByRole('alertdialog', { name: 'Delete tools?' });
  await expect(question.getByRole('textbox')).toBeFocused();
  await question.getByRole('textbox').fill('tools');
  await question.getByRole('button', { name: 'Delete layer' }).click();
  await expect.poll(async () => (await request.get('/api/v1/layers?search=tools', { headers })).json()).toEqual([]);
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
  await expect(page.getByRole('dialog', { name: 'Search resources, pages and actions' })).toBeVisible();
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
  await navigation.getByRole('button', { name: 'Storage', exact: true }).click();
  await expect(navigation.getByRole('link', { name: 'Volumes' })).toBeHidden();
  await navigation.getByRole('button', { name: 'Pin Secrets' }).press('Enter');
  await page.goto(`/projects/${tenant.slug}/billing`);
  await expect(navigation.getByRole('button', { name: 'Storage', exact: true })).toHaveAttribute(
    'aria-expanded',
    'false',
  );
  // The first link is the product's name.
  await expect(navigation.getByRole('link').nth(1)).toHaveText('Secrets');
  await expect(navigation.getByRole('link', { name: group.name, exact: true })).toBeVisible();
  await expectAccessible(page);

  await page.goto(`/projects/${tenant.slug}/storage/snapshots`);
  await expect(navigation.getByRole('link', { name: 'Volumes' })).toHaveAttribute('aria-current', 'page');
});

test('single keys lead to pages and forms, are listed, and can be turned off', async ({ page, tenant }) => {
  await open(page, `/projects/${tenant.slug}`, tenant.admin);
  await expect(page.getByRole('meter')).toHaveCount(9);
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(async () => {
    await page.keyboard.press('?');
    await expect(list).toBeVisible({ timeout: 500 });
  }).toPass();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.keyboard.type('gv');
  await expect(page).toHaveTitle('Volumes · Nephele');
  await expect(page.getByText('No volumes yet')).toBeVisible();
  await page.keyboard.press('c');
  await expect(page).toHaveTitle('Create volume · Nephele');
  await page.getByLabel('Name', { exact: true }).fill('');
  await page.getByLabel('Name', { exact: true }).pressSequentially('gi?');
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('gi?');
  await expect(page).toHaveTitle('Create volume · Nephele');

  await page.goto(`/projects/${tenant.slug}/account`);
  await page.getByRole('switch', { name: 'Single-key shortcuts' }).uncheck();
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.type('gv?');
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog', { name: 'Search resources, pages and actions' })).toBeVisible();
  await expect(list).toBeHidden();
  await expect(page).toHaveTitle('Profile and security · Nephele');
});
