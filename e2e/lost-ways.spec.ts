import type { APIRequestContext, Page } from '@playwright/test';
import { addPerson, bearer, expect, expectAccessible, expectLoaded, open, type Tenant, test } from './support';

const newSecret = (tenant: Tenant) => `/projects/${tenant.slug}/security/secrets/new`;
const nowhere = '01890000-0000-7000-8000-000000000000';

async function setSuspended(request: APIRequestContext, token: string, tenant: Tenant, suspended: boolean) {
  const action = suspended ? 'suspend' : 'resume';
  const data = suspended ? { reason: 'Invoice 2026-03 is unpaid.' } : {};
  const answer = await request.post(`/admin/api/v1/tenants/${tenant.id}/${action}`, { headers: bearer(token), data });
  expect(answer.ok()).toBe(true);
}

async function refusals(request: APIRequestContext, tenant: Tenant) {
  const answer = await request.get('/api/v1/audit?result=refused', { headers: bearer(tenant.token) });
  expect(answer.status()).toBe(200);
  return answer.json();
}

/** Resolves once the page follows changes and has refetched its data. A request on its way would be refused on suspension. */
async function requestsAnswered(page: Page) {
  let following = false;
  page.on('response', (response) => {
    following ||= response.url().endsWith('/api/v1/events');
  });
  const refetch = await page.waitForRequest((sent) => following && sent.url().endsWith('/api/v1/billing/budget'));
  await refetch.response();
}

const sidebarLink = (page: Page, name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true });

test('an open tab learns that its project is suspended, disables everything, and recovers when it is resumed', async ({
  page,
  tenant,
  request,
  administratorToken,
}) => {
  const quiet = requestsAnswered(page);
  await open(page, newSecret(tenant), tenant.admin);
  await page.getByLabel('Name', { exact: true }).fill('kept');
  await quiet;
  await setSuspended(request, administratorToken, tenant, true);
  await expect(page.getByRole('status', { name: 'Suspension' })).toContainText('This project is suspended');
  await expect(page.getByRole('button', { name: 'Create secret' })).toBeDisabled();
  await expect(page.getByTitle('The project is suspended. Contact your platform administrator.')).toBeVisible();
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('kept');
  await expectAccessible(page);

  await page.goto(`/projects/${tenant.slug}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('This page is not available');
  await expectAccessible(page);
  await page.goto(`/projects/${tenant.slug}/account`);
  await expect(page.getByRole('button', { name: 'Change password' })).toBeEnabled();
  await sidebarLink(page, 'Secrets').click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('This page is not available');

  await setSuspended(request, administratorToken, tenant, false);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Secrets');
  await expect(page.getByText('No secrets yet')).toBeVisible();
  await expect(page.getByRole('status', { name: 'Suspension' })).toBeEmpty();

  const record = await request.get(`/admin/api/v1/audit?tenant_id=${tenant.id}&result=refused`, {
    headers: bearer(administratorToken),
  });
  expect(await record.json()).toEqual([]);
});

test('without a connection, links stay on the page and say so', async ({ page, context, tenant }) => {
  await open(page, `/projects/${tenant.slug}/account`, tenant.admin);
  await expect(page.getByRole('status', { name: 'Connection' })).toBeAttached();
  await context.setOffline(true);
  await sidebarLink(page, 'Secrets').click();
  await expect(page.getByText('Connection lost.')).toBeVisible();
  await expect(page).toHaveTitle(/Profile and security/);
  await context.setOffline(false);
  await expect(page.getByText('Connection lost.')).toBeHidden();
  await sidebarLink(page, 'Secrets').click();
  await expect(page).toHaveTitle('Secrets · Nephele');
});

test('input that is not saved is discarded only after a question', async ({ page, tenant }) => {
  await open(page, `/projects/${tenant.slug}/security/secrets`, tenant.admin);
  await page.getByRole('link', { name: 'Create secret' }).first().click();
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('half-written');
  const question = page.getByRole('alertdialog', { name: 'Discard unsaved changes?' });

  await test.step('by a link', async () => {
    await sidebarLink(page, 'Volumes').click();
    await expect(question).toBeVisible();
    await expectAccessible(page);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await expect(name).toHaveValue('half-written');
  });
  await test.step('by closing the tab', async () => {
    const asked = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    await expect(name).toHaveValue('half-written');
  });
  await test.step('by going back', async () => {
    await page.evaluate(() => window.history.back());
    await expect(question).toBeVisible();
    await expect(page).toHaveURL(newSecret(tenant));
    await question.getByRole('button', { name: 'Discard changes' }).click();
    await expect(page).toHaveTitle('Secrets · Nephele');
  });
  await test.step('but not after it was saved', async () => {
    await page.getByRole('link', { name: 'Create secret' }).first().click();
    await name.fill('written');
    await page.getByLabel('Value').fill('s3cret');
    await page.getByRole('button', { name: 'Create secret' }).click();
    await expect(page.getByRole('row', { name: /written/ })).toBeVisible();
    await sidebarLink(page, 'Volumes').click();
    await expect(page).toHaveTitle('Volumes · Nephele');
  });
});

test('whatever pages a reader opens, nothing refused is put on record', async ({ page, tenant, request }) => {
  const reader = await addPerson(request, tenant, 'reader');
  await open(page, `/projects/${tenant.slug}`, reader);
  const links = await page.getByRole('navigation', { name: 'Main' }).getByRole('link').all();
  const addresses = await Promise.all(links.map((link) => link.getAttribute('href')));
  expect(addresses.length).toBeGreaterThan(10);
  const hidden = ['security/audit', 'project/users', 'project/identity-providers', 'billing/payment-methods'];
  for (const address of [...addresses, ...hidden.map((path) => `/projects/${tenant.slug}/${path}`)]) {
    await page.goto(address ?? '');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expectLoaded(page);
  }
  await expect(page.getByText('Your role, reader, cannot read this page.')).toBeVisible();
  expect(await refusals(request, tenant)).toEqual([]);
});

test('the address of a deleted resource offers its list, and is no refusal', async ({ page, request, tenant }) => {
  await open(page, `/projects/${tenant.slug}/compute/instances/${nowhere}`, tenant.admin);
  await page.getByRole('link', { name: 'View instances' }).click();
  await expect(page).toHaveTitle('Instances · Nephele');
  await page.goto(`/projects/${tenant.slug}/compute/images/${nowhere}`);
  await expect(page.getByRole('link', { name: 'View images' })).toBeVisible();
  await expectAccessible(page);
  expect(await refusals(request, tenant)).toEqual([]);
});
