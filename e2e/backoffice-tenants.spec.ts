import { randomBytes } from 'node:crypto';
import { openOffice, test } from './backoffice-support';
import { bearer, expect, expectAccessible, open, openWithInitialPassword } from './support';

// Axe checks every page in two themes, possibly on a machine with two cores.
test.describe.configure({ timeout: 180_000 });

const row = (name: string) => new RegExp(`^${name}\\b`);

test('a tenant is created, and its first admin signs in to the portal', async ({
  page,
  administrator,
  otherBrowser,
}) => {
  const mark = randomBytes(4).toString('hex');
  await openOffice(page, '/admin/tenants', administrator);
  await page.getByRole('link', { name: 'Create tenant' }).first().click();
  await expect(page).toHaveTitle('Create tenant · Nephele back office');
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Create tenant' }).click();
  await expect(page.getByText('Enter a name.').first()).toBeVisible();
  await page.getByLabel('Name', { exact: true }).fill(`Åcme & Sons ${mark}`);
  await expect(page.getByLabel('Slug')).toHaveValue(`acme-sons-${mark}`);
  await page.getByLabel('E-mail').fill(`ada-${mark}@example.test`);
  await page.getByLabel('Admin name').fill('Ada Lovelace');
  const password = await page.getByLabel('Initial password').inputValue();
  await page.getByRole('button', { name: 'Create tenant' }).click();

  await expect(page.getByRole('heading', { name: `Åcme & Sons ${mark} created` })).toBeVisible();
  const details = page.getByRole('figure', { name: 'sign-in details' });
  await expect(details).toContainText(password);
  await expect(details).toContainText('/sign-in');
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Go to the tenant' }).click();
  await expect(page).toHaveTitle(`Åcme & Sons ${mark} · Nephele back office`);
  await expectAccessible(page);

  const portal = await otherBrowser();
  await openWithInitialPassword(portal, '/', { email: `ada-${mark}@example.test`, name: 'Ada Lovelace', password });
  await expect(portal).toHaveURL(`/projects/acme-sons-${mark}`);
});

test('a tenant without an admin gets another one, who signs in to the portal', async ({
  page,
  administrator,
  tenant,
  otherBrowser,
}) => {
  const address = `grace-${randomBytes(4).toString('hex')}@example.test`;
  await openOffice(page, `/admin/tenants/${tenant.id}`, administrator);
  await page.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Add admin' }).click();
  await expect(page).toHaveURL(`/admin/tenants/${tenant.id}/admins/new`);
  await page.getByLabel('E-mail').fill(tenant.admin.email);
  await page.getByLabel('Name', { exact: true }).fill('Grace Hopper');
  const password = await page.getByLabel('Initial password').inputValue();
  await page.getByRole('button', { name: 'Add admin' }).click();
  await expect(page.getByText('is already an admin of this tenant')).toBeVisible();
  await page.getByLabel('E-mail').fill(address);
  await page.getByRole('button', { name: 'Add admin' }).click();
  await expect(page.getByRole('heading', { name: `${address} added as admin` })).toBeVisible();
  const details = page.getByRole('figure', { name: 'sign-in details' });
  await expect(details).toContainText(password);
  await expect(details).toContainText('/sign-in');
  await expectAccessible(page);

  const portal = await otherBrowser();
  await openWithInitialPassword(portal, `/projects/${tenant.slug}/project/users`, {
    email: address,
    name: 'Grace Hopper',
    password,
  });
  await expect(portal.getByRole('row', { name: /^Select Grace Hopper\b/ })).toContainText('Admin');
});

test('an administrator learns that an address has an account, and hands over an acceptance code', async ({
  page,
  administrator,
  tenant,
}) => {
  await openOffice(page, '/admin/tenants/new', administrator);
  const slug = `k${randomBytes(4).toString('hex')}`;
  await page.getByLabel('Name', { exact: true }).fill('Known');
  await page.getByLabel('Slug').fill(slug);
  await page.getByLabel('E-mail').fill(tenant.admin.email);
  await expect(page.getByText(`${tenant.admin.email} already has an account`)).toBeVisible();
  await expect(page.getByRole('link', { name: 'open account' })).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel('Admin name').fill('Whoever');
  await page.getByRole('button', { name: 'Create tenant' }).click();
  await expect(page.getByRole('heading', { name: 'Share the acceptance code' })).toBeVisible();
  await expect(page.getByRole('figure', { name: 'acceptance code' })).toContainText(/^\w{4}(-\w{4}){3}/);
  await expectAccessible(page);
});

test('an API refusal appears at the field that it names', async ({ page, administrator, tenant }) => {
  await openOffice(page, '/admin/tenants/new', administrator);
  await page.getByLabel('Name', { exact: true }).fill('Another');
  await page.getByLabel('Slug').fill(tenant.slug);
  await page.getByLabel('E-mail').fill(`${'a'.repeat(250)}@example.test`);
  await page.getByLabel('Admin name').fill('Someone');
  await page.getByRole('button', { name: 'Create tenant' }).click();
  await expect(page.getByLabel('E-mail')).toHaveAttribute('aria-invalid', 'true');
  await page.getByLabel('E-mail').fill('someone@example.test');
  await page.getByRole('button', { name: 'Create tenant' }).click();
  await expect(page.getByLabel('Slug')).toHaveAttribute('aria-invalid', 'true');
});

test('search, filter and order of tenants are in the address', async ({ page, administrator, tenant }) => {
  await openOffice(page, '/admin/tenants', administrator);
  await page.getByLabel('Search tenants').fill(tenant.slug);
  await expect(page).toHaveURL(`/admin/tenants?search=${tenant.slug}`);
  await expect(page.getByRole('row', { name: row(tenant.name) })).toBeVisible();
  await expect(page.getByText('1 tenant', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Status' }).click();
  await page.getByRole('menuitemradio', { name: 'Suspended' }).click();
  await expect(page.getByText('No tenants match')).toBeVisible();
  await page.reload();
  await expect(page.getByLabel('Search tenants')).toHaveValue(tenant.slug);
  await expect(page.getByText('No tenants match')).toBeVisible();
  await page.getByRole('button', { name: 'Clear', exact: true }).click();
  await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
  await expect(page).toHaveURL('/admin/tenants?sort=name');
  await expect(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'ascending');
});

test('a new limit appears in the portal at once; one below current use shows a warning', async ({
  page,
  administrator,
  tenant,
  otherBrowser,
  request,
}) => {
  const portal = await otherBrowser();
  await open(portal, `/projects/${tenant.slug}`, tenant.admin);
  await expect(portal.getByRole('meter', { name: 'vCPUs' })).toHaveAttribute('aria-valuemax', '64');
  const volume = await request.post('/api/v1/storage/volumes', {
    headers: { ...bearer(tenant.token) },
    data: { name: 'disk', size_gb: 1 },
  });
  expect(volume.status()).toBe(201);

  await openOffice(page, `/admin/tenants/${tenant.id}/limits`, administrator);
  await expect(page).toHaveTitle(`Limits of ${tenant.name} · Nephele back office`);
  await expectAccessible(page);
  await page.getByLabel('vCPUs', { exact: true }).fill('1.5');
  await page.getByLabel('Volumes', { exact: true }).fill('0');
  await expect(page.getByText(/Below current usage \(1 volume\)/)).toBeVisible();
  await page.getByRole('button', { name: 'Save limits' }).click();
  await expect(page.getByText('Enter a whole number, 0 or more.')).toBeVisible();
  await page.getByLabel('vCPUs', { exact: true }).fill('96');
  await page.getByRole('button', { name: 'Save limits' }).click();
  await page.waitForURL(`/admin/tenants/${tenant.id}`);
  await expect(page.getByRole('meter', { name: 'vCPUs' })).toHaveAttribute('aria-valuemax', '96');
  await expect(portal.getByRole('meter', { name: 'vCPUs' })).toHaveAttribute('aria-valuemax', '96');
});

test('limits changed by someone else meanwhile are shown, and neither change is lost', async ({
  page,
  administrator,
  tenant,
  request,
  administratorToken,
}) => {
  await openOffice(page, `/admin/tenants/${tenant.id}/limits`, administrator);
  await page.getByLabel('vCPUs', { exact: true }).fill('128');
  const other = await request.put(`/admin/api/v1/tenants/${tenant.id}/quota`, {
    headers: bearer(administratorToken),
    data: { instances_limit: 33 },
  });
  expect(other.status()).toBe(200);
  await expect(page.getByText('The limits have changed', { exact: true })).toBeVisible();
  await expect(page.getByText('Instances: 10 VMs → 33 VMs')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Load current limits' }).click();
  await expect(page.getByLabel('Instances', { exact: true })).toHaveValue('33');
  await expect(page.getByLabel('vCPUs', { exact: true })).toHaveValue('128');
  await page.getByRole('button', { name: 'Save limits' }).click();
  await page.waitForURL(`/admin/tenants/${tenant.id}`);
  await expect(page.getByRole('meter', { name: 'vCPUs' })).toHaveAttribute('aria-valuemax', '128');
  await expect(page.getByRole('meter', { name: 'Instances' })).toHaveAttribute('aria-valuemax', '33');
});

test('a suspended tenant is refused with the reason, and resuming restores access', async ({
  page,
  administrator,
  tenant,
  request,
}) => {
  const call = () => request.get('/api/v1/vault/secrets', { headers: bearer(tenant.token) });
  expect((await call()).status()).toBe(200);
  await openOffice(page, `/admin/tenants?search=${tenant.slug}`, administrator);
  await page.getByRole('button', { name: `Actions for ${tenant.name}` }).click();
  await page.getByRole('menuitem', { name: 'Suspend', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: `Suspend ${tenant.name}?` });
  await dialog.getByRole('button', { name: 'Suspend tenant' }).click();
  await expect(dialog.getByText('Enter a reason.')).toBeVisible();
  await expectAccessible(page);
  await dialog.getByLabel('Reason').fill('Invoice 2026-03 is unpaid.');
  await dialog.getByRole('button', { name: 'Suspend tenant' }).click();
  await expect(page.getByRole('row', { name: row(tenant.name) })).toContainText('Suspended');
  expect((await call()).status()).toBe(403);
  expect((await (await call()).json()).error.code).toBe('TENANT_SUSPENDED');

  await page.getByRole('link', { name: tenant.name }).click();
  await expect(page.getByText('Invoice 2026-03 is unpaid.')).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Control+k');
  const line = (action: string) => page.getByRole('option', { name: `${tenant.name}: ${action}` });
  await page.getByRole('combobox').fill(`${tenant.name}: sus`);
  await expect(line('Suspend Already suspended.')).toHaveAttribute('aria-disabled', 'true');
  await page.getByRole('combobox').fill(`resume ${tenant.name}`);
  await line('Resume').click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Resume tenant' }).click();
  await expect(page.getByText('Invoice 2026-03 is unpaid.', { exact: true })).toBeHidden();
  await expect.poll(async () => (await call()).status()).toBe(200);

  await test.step('both are audited, with the reason', async () => {
    await page.getByRole('main').getByRole('link', { name: 'Audit log' }).click();
    await expect(page).toHaveURL(`/admin/audit?tenant_id=${tenant.id}`);
    await expect(page.getByRole('button', { name: 'tenant.resume', exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'tenant.suspend', exact: true }).click();
    await expect(page.getByRole('figure', { name: 'details' })).toContainText('Invoice 2026-03 is unpaid.');
  });
});

test('a tenant is renamed, and keeps its slug', async ({ page, administrator, tenant }) => {
  await openOffice(page, `/admin/tenants/${tenant.id}`, administrator);
  await page.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Another name');
  await page.getByRole('dialog').getByRole('button', { name: 'Rename tenant' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Another name' })).toBeVisible();
  await expect(page.getByText(tenant.slug, { exact: true })).toBeVisible();
});
