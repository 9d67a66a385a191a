import { addPerson, expect, expectAccessible, open, test } from './support';

test('the simulator answers with a reason, at an address that can be shared', async ({ page, tenant, request }) => {
  const reader = await addPerson(request, tenant, 'reader');
  await open(page, `/projects/${tenant.slug}/security/policy`, tenant.admin);
  await expect(page).toHaveTitle('Policy simulator · Nephele');
  await page.getByRole('combobox', { name: 'Request' }).press('ArrowDown');
  await page.getByPlaceholder('Search endpoints').fill('store secret');
  await expect(page.getByRole('option', { name: /POST \/api\/v1\/vault\/secrets/ })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  const verdict = page.getByRole('status').filter({ hasText: 'Decided by' });
  await expect(verdict).toContainText('Allowed');
  await expectAccessible(page);

  await page.getByRole('combobox', { name: 'User or token' }).click();
  await page.getByPlaceholder('Search users and tokens').fill(reader.email);
  await page.getByRole('option', { name: new RegExp(reader.name) }).click();
  await expect(verdict).toContainText('Denied');
  await expect(verdict).toContainText('role:reader');
  await page.reload();
  await expect(verdict).toContainText('Denied');
  await expect(page.getByRole('combobox', { name: 'User or token' })).toHaveText(reader.name);
});

test('a path is simulated as typed', async ({ page, tenant }) => {
  await open(page, `/projects/${tenant.slug}/security/policy`, tenant.admin);
  await page.getByRole('combobox', { name: 'Request' }).click();
  await page
    .getByPlaceholder('Search endpoints')
    .fill('delete /api/v1/vault/secrets/01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('combobox', { name: 'Request' })).toContainText('DELETE /api/v1/vault/secrets/01940f3c');
  await expect(page.getByRole('status').filter({ hasText: 'Decided by' })).toContainText('Allowed');
});

test('a person without the admin role can only ask about themselves', async ({ page, tenant, request }) => {
  const member = await addPerson(request, tenant, 'member');
  await open(page, `/projects/${tenant.slug}/security/policy?method=GET&path=/api/v1/audit`, member);
  await expect(page.getByRole('status').filter({ hasText: 'Decided by' })).toContainText('Denied');
  await expect(page.getByText('Simulating for others requires the admin role.')).toBeVisible();
});
