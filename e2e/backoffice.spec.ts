import { readFile } from 'node:fs/promises';
import { openOffice, test } from './backoffice-support';
import { inDatabase } from './money-support';
import { addPerson, bearer, expect, expectAccessible, open, openWithInitialPassword, totpNow } from './support';

// Axe checks every page in two themes, possibly on a machine with two cores.
test.describe.configure({ timeout: 180_000 });

test('the overview, engines and operations show the state of the platform', async ({
  page,
  administrator,
  request,
  administratorToken,
}) => {
  await openOffice(page, '/admin', administrator);
  await expect(page).toHaveTitle('Overview · Nephele back office');
  await expect(page.getByRole('meter', { name: 'vCPUs' })).toBeVisible();
  await expectAccessible(page);

  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Engines' }).click();
  await expect(page).toHaveTitle('Engines · Nephele back office');
  await expect(page.getByRole('heading', { name: 'storage', level: 3 })).toBeVisible({ timeout: 60_000 });
  const compute = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'compute', level: 3 }) });
  await compute.getByText(/^Limits: \d+ enforced/).click();
  await expect(compute.getByText('Seccomp filter of QEMU.')).toBeVisible();
  await expectAccessible(page);

  await test.step('programs of services are listed, with instructions for missing ones', async () => {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Programs' }).click();
    await expect(page).toHaveTitle('Programs · Nephele back office');
    const haproxy = page.getByRole('list', { name: 'Programs' }).getByRole('listitem').filter({ hasText: 'haproxy' });
    await expect(haproxy).toContainText('On first use');
    await expect(haproxy).toContainText('npm run admin -- programs fetch haproxy');
    await expectAccessible(page);
  });

  await test.step('operations, with filters in the address', async () => {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Operations' }).click();
    await expect(page).toHaveTitle('Operations · Nephele back office');
    const operations = async () =>
      (await request.get('/admin/api/v1/operations', { headers: bearer(administratorToken) })).json();
    await expect.poll(async () => (await operations()).length, { timeout: 60_000 }).toBeGreaterThan(0);
    const [first] = await operations();
    await expect(page.getByRole('link', { name: first.kind }).first()).toBeVisible();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Kind', exact: true }).click();
    await page.getByRole('textbox', { name: 'Kind' }).fill('nothing.like_it');
    await page.getByRole('button', { name: 'Apply' }).click();
    await expect(page).toHaveURL('/admin/operations?kind=nothing.like_it');
    await expect(page.getByText('No operations match')).toBeVisible();
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await page.getByRole('link', { name: first.kind }).first().click();
    await expect(page).toHaveTitle(`${first.kind} · Nephele back office`);
    await expect(page.getByRole('list', { name: 'Stages' }).or(page.getByText('Not started yet'))).toBeVisible();
    await expectAccessible(page);
  });

  await test.step('incidents, with filters in the address', async () => {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Incidents' }).click();
    await expect(page).toHaveTitle('Incidents · Nephele back office');
    const [first] = await (
      await request.get('/admin/api/v1/operations', { headers: bearer(administratorToken) })
    ).json();
    await expect(page.getByText('No incidents')).toBeVisible();
    await expectAccessible(page);
    await inDatabase(
      `INSERT INTO incidents (id, key, project_id, resource_type, resource_id, operation_id, reason, opened_at)
       SELECT gen_random_uuid(), 'deadline ' || resource_id, project_id, resource_type, resource_id, id,
         kind || ': It did not finish within 60 min.', platform_now() FROM operations WHERE id = $1`,
      [first.id],
    );
    await page.reload();
    const row = page.getByRole('row', { name: `${first.kind}: It did not finish` });
    await expect(row.getByText('Open', { exact: true })).toBeVisible();
    await expectAccessible(page);
    await page.goto('/admin/incidents?status=closed');
    await expect(page.getByText('No incidents match')).toBeVisible();
    await page.goto('/admin/incidents?status=open');
    await row.getByRole('link', { name: /It did not finish/ }).click();
    await expect(page).toHaveURL(`/admin/operations/${first.id}`);
    await inDatabase(`DELETE FROM incidents WHERE operation_id = $1`, [first.id]);
  });
});

test('a user’s lost second factor is reset, and their sessions are ended', async ({
  page,
  administrator,
  tenant,
  request,
  otherBrowser,
}) => {
  const headers = bearer(tenant.token);
  const setUp = await (await request.post('/api/v1/auth/2fa/setup', { headers, data: {} })).json();
  const activated = await request.post('/api/v1/auth/2fa/activate', { headers, data: { code: totpNow(setUp.secret) } });
  expect(activated.status()).toBe(200);

  await openOffice(page, '/admin/users', administrator);
  await expectAccessible(page);
  await page.getByLabel('Search users').fill(tenant.admin.email);
  const row = page.getByRole('row', { name: new RegExp(tenant.admin.email) });
  await expect(row).toContainText(tenant.name);
  await expect(row).toContainText('On');
  await row.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Reset two-factor authentication' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Reset two-factor authentication' }).click();
  await expect(row).toContainText('Off');
  expect((await request.get('/api/v1/auth/me', { headers })).status()).toBe(401);

  const portal = await otherBrowser();
  await open(portal, `/projects/${tenant.slug}`, tenant.admin);
  await page.getByRole('link', { name: tenant.admin.name }).first().click();
  await expect(page).toHaveTitle(`${tenant.admin.name} · Nephele back office`);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'End all sessions' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'End all sessions' }).click();
  await expect(page.getByText(/signed out everywhere/)).toBeVisible();
  // The open page is notified and leaves on its own.
  await expect(portal.getByRole('heading', { name: 'Sign in' })).toBeVisible({ timeout: 30_000 });
});

test('the list of users is filtered by a tenant found by typing', async ({ page, administrator, tenant, request }) => {
  const member = await addPerson(request, tenant, 'member');
  await openOffice(page, '/admin/users', administrator);
  await page.getByRole('button', { name: 'Tenant', exact: true }).click();
  await page.getByLabel('Search tenants').fill(tenant.slug);
  await page.getByRole('button', { name: new RegExp(tenant.name) }).click();
  await expect(page).toHaveURL(`/admin/users?tenant_id=${tenant.id}`);
  await expect(page.getByRole('row', { name: new RegExp(member.email) })).toBeVisible();
  await expect(page.getByText('2 users', { exact: true })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('button', { name: `Tenant ${tenant.name}` })).toBeVisible();
});

test('an e-mail address taken by someone else is released, added as an administrator, and removed', async ({
  page,
  administrator,
  tenant,
  otherBrowser,
}) => {
  const { email } = tenant.admin;
  await openOffice(page, '/admin/administrators', administrator);
  await expect(page).toHaveTitle('Administrators · Nephele back office');
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Add administrator' }).click();
  await expectAccessible(page);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Name', { exact: true }).fill('Grace Hopper');
  await page.getByRole('button', { name: 'Add administrator' }).click();
  await expect(page.getByText(`${tenant.admin.name} already has an account`)).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'release the address' }).click();
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await expect(page.getByText('Address verified')).toBeVisible();
  await page.getByRole('button', { name: 'Actions', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Release e-mail address' }).click();
  const confirm = page.getByRole('alertdialog', { name: `Release ${email}?` });
  await expect(confirm).toContainText('did not create this account');
  await expectAccessible(page);
  await confirm.getByRole('button', { name: 'Release address' }).click();
  await expect(page.getByText(/released-[\w-]+@released\.invalid/).first()).toBeVisible();

  await page.goto('/admin/administrators/new');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Name', { exact: true }).fill('Grace Hopper');
  const password = await page.getByLabel('Initial password').inputValue();
  await page.getByRole('button', { name: 'Add administrator' }).click();
  await expect(page.getByRole('heading', { name: 'Grace Hopper added as administrator' })).toBeVisible();
  await page.getByRole('link', { name: 'Done' }).click();
  await page.getByLabel('Search administrators').fill(email);
  const row = page.getByRole('row', { name: new RegExp(email) });
  await expect(row).toBeVisible();

  const theirs = await otherBrowser();
  await openWithInitialPassword(theirs, '/admin/tenants', { email, name: 'Grace Hopper', password });
  await row.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Remove from administrators' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove administrator' }).click();
  await expect(row).toBeHidden();
  // The open page is notified and leaves on its own.
  await expect(theirs.getByRole('heading', { name: 'Sign in to the back office' })).toBeVisible({ timeout: 30_000 });
});

test('the audit log is filtered, opened and exported', async ({ page, administrator, tenant }) => {
  await openOffice(page, '/admin/audit', administrator);
  await expect(page).toHaveTitle('Audit log · Nephele back office');
  await expectAccessible(page);
  await page.goto(`/admin/audit?tenant_id=${tenant.id}&action=tenant.create`);
  await expect(page.getByRole('button', { name: `Tenant ${tenant.name}` })).toBeVisible();
  await expect(page.getByText('1 entry', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'tenant.create', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'tenant.create' })).toContainText(tenant.admin.email);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Close' }).click();

  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ]);
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\n');
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain(tenant.slug);
});

test('an unknown address gets an answer inside the back office', async ({ page, administrator }) => {
  await openOffice(page, '/admin', administrator);
  await page.goto('/admin/no-such-page');
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await expectAccessible(page);
  await page.goto('/admin/tenants/01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f');
  await expect(page.getByRole('heading', { name: 'This tenant does not exist' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'View tenants' })).toHaveAttribute('href', '/admin/tenants');
  await expectAccessible(page);
});
