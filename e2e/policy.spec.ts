import { addPerson, expect, expectAccessible, open, test } from './support';

test('the simulator answers with a reason, in an address that can be shared', async ({ page, tenant, request }) => {
  const reader = await addPerson(request, tenant, 'reader');
  await open(page, `/projects/${tenant.slug}/policy`, tenant.admin);
  await expect(page).toHaveTitle('Policy simulator · Nephele');
  await page.getByLabel('Path').fill('/api/v1/vault/secrets');
  const verdict = page.getByRole('status').filter({ hasText: 'What decided' });
  await expect(verdict).toContainText('Allowed');
  await expectAccessible(page);

  await page.getByLabel('Who').click();
  await page.getByRole('option', { name: new RegExp(reader.name) }).click();
  await expect(verdict).toContainText('Refused');
  await expect(verdict).toContainText('role:reader');
  await page.reload();
  await expect(verdict).toContainText('Refused');
});

test('who is no admin asks about themselves alone', async ({ page, tenant, request }) => {
  const member = await addPerson(request, tenant, 'member');
  await open(page, `/projects/${tenant.slug}/policy?method=GET&path=/api/v1/audit`, member);
  await expect(page.getByRole('status').filter({ hasText: 'What decided' })).toContainText('Refused');
  await expect(page.getByText('Asking about others needs the role admin.')).toBeVisible();
});
