import { addPerson, bearer, expect, expectAccessible, open, test } from './support';

test('a secret is stored, shown after a fresh confirmation, and deleted by its name', async ({ page, tenant }) => {
  const list = `/projects/${tenant.slug}/security/secrets`;
  await open(page, list, tenant.admin);
  await expect(page.getByRole('heading', { name: 'No secrets yet' })).toBeVisible();
  await expectAccessible(page);

  await page.getByRole('link', { name: 'Create secret' }).first().click();
  await expect(page).toHaveTitle('Create secret · Nephele');
  await expectAccessible(page);
  await page.getByLabel('Name', { exact: true }).fill('db-password');
  await page.getByLabel('Value').fill('correct horse battery staple');
  await page.getByRole('button', { name: 'Create secret' }).click();
  await page.waitForURL(list);
  const row = page.getByRole('row', { name: /db-password/ });
  await expect(row).toContainText('Passphrase');
  await expect(page.getByText('correct horse battery staple')).toHaveCount(0);

  await page.getByRole('button', { name: 'Actions for db-password' }).click();
  await page.getByRole('menuitem', { name: 'Show value' }).click();
  const dialog = page.getByRole('dialog', { name: 'db-password' });
  await expect(dialog).toContainText('audit log');
  await dialog.getByRole('button', { name: 'Show the value' }).click();
  await dialog.getByRole('button', { name: 'Show value' }).click();
  await expect(dialog.getByText('correct horse battery staple')).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText('correct horse battery staple')).toHaveCount(0);

  await page.getByRole('button', { name: 'Actions for db-password' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const confirm = page.getByRole('alertdialog', { name: 'Delete db-password?' });
  const button = confirm.getByRole('button', { name: 'Delete secret' });
  await expect(button).toBeDisabled();
  await confirm.getByRole('textbox').fill('db-password');
  await button.click();
  await expect(page.getByRole('heading', { name: 'No secrets yet' })).toBeVisible();
});

test('a refusal appears at the field that it names', async ({ page, tenant, request }) => {
  await request.post('/api/v1/vault/secrets', {
    headers: bearer(tenant.token),
    data: { name: 'taken', type: 'opaque', payload: 'x' },
  });
  await open(page, `/projects/${tenant.slug}/security/secrets/new`, tenant.admin);
  await page.getByLabel('Name', { exact: true }).fill('taken');
  await page.getByRole('radio', { name: /Certificate/ }).check();
  await page.getByLabel('Value').fill('not a certificate');
  await page.getByRole('button', { name: 'Create secret' }).click();
  await expect(page.getByText(/Is not an X.509 certificate/)).toBeVisible();
  await page.getByRole('radio', { name: /Opaque/ }).check();
  await page.getByRole('button', { name: 'Create secret' }).click();
  await expect(page.getByText(/a secret named "taken" already exists/i)).toBeVisible();
  await expect(page.getByLabel('Name', { exact: true })).toHaveAttribute('aria-invalid', 'true');
});

test('search, filter and order are in the address and survive a reload', async ({ page, tenant, request }) => {
  for (const [name, type] of [
    ['alpha', 'opaque'],
    ['beta', 'passphrase'],
    ['gamma', 'opaque'],
  ]) {
    await request.post('/api/v1/vault/secrets', { headers: bearer(tenant.token), data: { name, type, payload: 'x' } });
  }
  await open(page, `/projects/${tenant.slug}/security/secrets`, tenant.admin);
  const names = page.getByRole('table', { name: 'secrets' }).locator('tbody tr td:nth-child(2)');
  await expect(names).toHaveText(['gamma', 'beta', 'alpha']);
  await page.getByRole('button', { name: 'Name' }).click();
  await expect(names).toHaveText(['alpha', 'beta', 'gamma']);
  await page.getByRole('button', { name: 'Type' }).click();
  await page.getByRole('menuitemradio', { name: 'Opaque' }).click();
  await expect(names).toHaveText(['alpha', 'gamma']);
  await page.getByRole('searchbox', { name: 'Search secrets' }).fill('gam');
  await expect(names).toHaveText(['gamma']);
  await expect(page).toHaveURL(/search=gam/);
  await page.reload();
  await expect(names).toHaveText(['gamma']);
  await expect(page).toHaveURL(/sort=name.*|type=opaque.*/);
});

test('other people’s changes appear on their own', async ({ page, tenant, request }) => {
  await open(page, `/projects/${tenant.slug}/security/secrets`, tenant.admin);
  await expect(page.getByRole('heading', { name: 'No secrets yet' })).toBeVisible();
  await request.post('/api/v1/vault/secrets', {
    headers: bearer(tenant.token),
    data: { name: 'from-afar', type: 'opaque', payload: 'x' },
  });
  await expect(page.getByRole('row', { name: /from-afar/ })).toBeVisible();
});

test('a reader sees the secrets, and why nothing can be changed', async ({ page, tenant, request }) => {
  await request.post('/api/v1/vault/secrets', {
    headers: bearer(tenant.token),
    data: { name: 'look-only', type: 'opaque', payload: 'x' },
  });
  const reader = await addPerson(request, tenant, 'reader');
  await open(page, `/projects/${tenant.slug}/security/secrets`, reader);
  await page.getByRole('button', { name: 'Actions for look-only' }).click();
  await expect(page.getByRole('menuitem', { name: /Show value/ })).toContainText('Requires the member role');
  await expect(page.getByRole('menuitem', { name: /Delete/ })).toBeDisabled();
});

test('a long list is paged in order, at addresses that can be shared', async ({ page, tenant, request }) => {
  const names = Array.from({ length: 120 }, (_, position) => `key-${String(position).padStart(3, '0')}`);
  for (const name of names) {
    const data = { name, type: 'opaque', payload: name };
    const made = await request.post('/api/v1/vault/secrets', { headers: bearer(tenant.token), data });
    expect(made.status()).toBe(201);
  }
  await open(page, `/projects/${tenant.slug}/security/secrets?sort=name`, tenant.admin);
  const cells = page.getByRole('table', { name: 'secrets' }).locator('tbody tr td:nth-child(2)');
  const pages = page.getByRole('navigation', { name: 'Pages of secrets' });
  await expect(cells).toHaveText(names.slice(0, 50));
  await expect(pages.getByRole('button', { name: 'Previous' })).toBeDisabled();
  await pages.getByRole('button', { name: 'Next' }).click();
  await expect(cells).toHaveText(names.slice(50, 100));
  await page.reload();
  await expect(cells).toHaveText(names.slice(50, 100));
  await expect(pages).toContainText('51–100');
  await pages.getByRole('button', { name: 'Next' }).click();
  await expect(cells).toHaveText(names.slice(100));
  await expect(pages.getByRole('button', { name: 'Next' })).toBeDisabled();
  await expectAccessible(page);
  await page.goBack();
  await expect(cells).toHaveText(names.slice(50, 100));

  // A search covers all secrets, not just this page.
  await page.getByRole('searchbox', { name: 'Search secrets' }).fill('key-11');
  await expect(cells).toHaveText(names.slice(110));
});
