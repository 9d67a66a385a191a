import { randomBytes } from 'node:crypto';
import {
  accessToken,
  addPerson,
  bearer,
  expect,
  expectAccessible,
  open,
  openWithInitialPassword,
  test,
} from './support';

test('a new person is added, and signs in with the initial password', async ({ page, tenant, otherBrowser }) => {
  const email = `new-${randomBytes(4).toString('hex')}@example.test`;
  await open(page, `/projects/${tenant.slug}/project/users`, tenant.admin);
  await expect(page).toHaveTitle('Users and roles · Nephele');
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Add user' }).first().click();
  await expect(page).toHaveTitle('Add user · Nephele');
  await expect(page.getByText('Give them the acceptance code')).toBeVisible();
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Add user' }).click();
  await expect(page.getByText('Enter an e-mail address')).toBeVisible();
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Name', { exact: true }).fill('Nephos Newcomer');
  await page.getByRole('radio', { name: /Reader/ }).check();
  await expect(page.getByLabel('Initial password')).toHaveValue(/^.{23}$/);
  const password = await page.getByLabel('Initial password').inputValue();
  await page.getByRole('button', { name: 'Add user' }).click();
  await expect(page.getByRole('heading', { name: 'Share the initial password' })).toBeVisible();
  await expect(page.getByRole('figure', { name: 'sign-in details' })).toContainText(password);
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Done' }).click();
  await expect(page.getByRole('row', { name: /Nephos Newcomer/ })).toContainText(/Reader\s*Active\s*Off/);

  const theirs = await otherBrowser();
  await openWithInitialPassword(theirs, '/', { email, name: 'Nephos Newcomer', password });
  await expect(theirs).toHaveURL(`/projects/${tenant.slug}`);
});

test('a changed role applies at once', async ({ page, tenant, request }) => {
  const reader = await addPerson(request, tenant, 'reader');
  const token = await accessToken(request, reader);
  const store = (name: string) =>
    request.post('/api/v1/vault/secrets', {
      headers: bearer(token),
      data: { name, type: 'opaque', payload: 'x' },
    });
  expect((await store('before')).status()).toBe(403);
  await open(page, `/projects/${tenant.slug}/project/users`, tenant.admin);
  await page.getByRole('button', { name: `Actions for ${reader.name}` }).click();
  await page.getByRole('menuitem', { name: 'Change role' }).click();
  const dialog = page.getByRole('dialog', { name: `Role of ${reader.name}` });
  await expect(dialog.getByRole('radio', { name: /Reader/ })).toBeChecked();
  await dialog.getByRole('radio', { name: /Member/ }).check();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Change role' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('button', { name: `Actions for ${reader.name}` })).toBeFocused();
  await expect(page.getByRole('row', { name: new RegExp(reader.name) })).toContainText('Member');
  expect((await store('after')).status()).toBe(201);
});

test('removing a user shows which tokens end with it, and ends them', async ({ page, tenant, request }) => {
  const member = await addPerson(request, tenant, 'member');
  const made = await request.post('/api/v1/auth/tokens', {
    headers: bearer(await accessToken(request, member)),
    data: { name: 'nightly-backup', role: 'reader' },
  });
  const { token } = await made.json();
  const works = async () => (await request.get('/api/v1/tenant/quota', { headers: bearer(token) })).status();
  expect(await works()).toBe(200);

  await open(page, `/projects/${tenant.slug}/project/users`, tenant.admin);
  await page.getByRole('button', { name: `Actions for ${member.name}` }).click();
  await page.getByRole('menuitem', { name: 'Remove from project' }).click();
  const confirm = page.getByRole('alertdialog', { name: `Remove ${member.name} from ${tenant.name}?` });
  await expect(confirm).toContainText(`${member.email} loses the Member role`);
  await expect(confirm).toContainText('1 API token is revoked: nightly-backup.');
  await expectAccessible(page);
  await confirm.getByRole('button', { name: 'Remove user' }).click();
  await expect(confirm).toHaveCount(0);
  await expect(page.getByRole('row', { name: new RegExp(member.name) })).toHaveCount(0);
  expect(await works()).toBe(401);
});

test('several users are removed in one confirmation, which shows what each of them loses; the admin does not leave with them', async ({
  page,
  tenant,
  request,
}) => {
  const [reader, member] = [await addPerson(request, tenant, 'reader'), await addPerson(request, tenant, 'member')];
  await open(page, `/projects/${tenant.slug}/project/users?sort=name`, tenant.admin);
  const bar = page.getByRole('region', { name: 'Actions for selected users' });
  await page.getByRole('checkbox', { name: 'Select all users on this page' }).check();
  await expect(bar).toContainText('3 users selectedNo action applies to all of them.');
  await page.getByRole('checkbox', { name: `Select ${tenant.admin.name}` }).uncheck();
  await bar.getByRole('button', { name: 'Remove from project' }).click();
  const dialog = page.getByRole('dialog', { name: /^Remove 2 users from project/ });
  for (const { email, name } of [reader, member])
    await expect(dialog.getByRole('listitem').filter({ hasText: name })).toContainText(`${email} loses the`);
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Remove 2 users from project' }).click();
  await expect(dialog.getByRole('status')).toHaveText('2 of 2 done');
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByRole('row', { name: /Rhea/ })).toHaveCount(0);
  await expect(page.getByRole('checkbox', { name: `Select ${tenant.admin.name}` })).toBeFocused();
});

test('the last admin cannot be removed until there is another, and the page says why', async ({
  page,
  tenant,
  request,
}) => {
  await addPerson(request, tenant, 'member');
  await open(page, `/projects/${tenant.slug}/project/users`, tenant.admin);
  const menu = page.getByRole('button', { name: `Actions for ${tenant.admin.name}` });
  const removal = page.getByRole('menuitem', { name: /Leave project/ });
  await menu.click();
  await expect(removal).toHaveAttribute('aria-disabled', 'true');
  await expect(removal).toContainText('The last admin cannot be removed');
  await expectAccessible(page);
  await page.keyboard.press('Escape');

  await addPerson(request, tenant, 'admin');
  await expect(page.getByRole('row', { name: /Rhea admin/ })).toBeVisible();
  await menu.click();
  await expect(removal).not.toHaveAttribute('aria-disabled', 'true');
});

test('search and filters are in the address; members can view but not change', async ({ page, tenant, request }) => {
  const member = await addPerson(request, tenant, 'member');
  await addPerson(request, tenant, 'reader');
  await open(page, `/projects/${tenant.slug}/project/users`, member);
  const rows = page.getByRole('table', { name: 'users' }).getByRole('row');
  await expect(rows).toHaveCount(4);
  await expect(page.getByRole('button', { name: 'Add user' })).toHaveAccessibleDescription('Requires the admin role.');
  await expect(page.getByRole('columnheader', { name: '2FA' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Actions for Rhea reader' }).click();
  await expect(page.getByRole('menuitem', { name: /Change role/ })).toContainText('Requires the admin role');
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Role', exact: true }).click();
  await page.getByRole('menuitemradio', { name: 'Member' }).click();
  await expect(rows).toHaveCount(2);
  await page.getByRole('searchbox', { name: 'Search users' }).fill('nobody');
  await expect(page.getByText('No users match')).toBeVisible();
  await expect(page).toHaveURL(/role=member.*search=nobody/);
  await page.reload();
  await expect(page.getByText('No users match')).toBeVisible();
});

test('readers have no users in their navigation', async ({ page, tenant, request }) => {
  const reader = await addPerson(request, tenant, 'reader');
  await open(page, `/projects/${tenant.slug}`, reader);
  await expect(page.getByRole('link', { name: 'Secrets' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Users and roles' })).toHaveCount(0);
});
