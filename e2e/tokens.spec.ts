import { addPerson, bearer, expect, expectAccessible, open, test } from './support';

test('a token is shown once, works, and is refused after its revocation', async ({ page, tenant, request }) => {
  const list = `/projects/${tenant.slug}/project/tokens`;
  await open(page, list, tenant.admin);
  await expect(page).toHaveTitle('API tokens · Nephele');
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Create API token' }).first().click();
  await expectAccessible(page);
  await page.getByLabel('Name', { exact: true }).fill('ci');
  await page.getByRole('radio', { name: /Member/ }).check();
  await page.getByRole('button', { name: 'Create API token' }).click();
  await page.getByRole('button', { name: 'Show API token' }).click();
  const token = (await page.getByText(/^neph_/).textContent()) ?? '';
  const works = () => request.get('/api/v1/tenant/quota', { headers: bearer(token) });
  expect((await works()).status()).toBe(200);
  await expectAccessible(page);

  await page.getByRole('link', { name: 'Done' }).click();
  await expect(page.getByRole('row', { name: /ci/ })).toContainText('Member');
  await expect(page.getByText(token)).toHaveCount(0);
  await page.getByRole('button', { name: 'Actions for ci' }).click();
  await page.getByRole('menuitem', { name: 'Revoke' }).click();
  await page.getByRole('button', { name: 'Revoke token' }).click();
  await expect(page.getByRole('heading', { name: 'No tokens yet' })).toBeVisible();
  expect((await works()).status()).toBe(401);
});

test('a person cannot create a token with more access than their own', async ({ page, tenant, request }) => {
  const member = await addPerson(request, tenant, 'member');
  await open(page, `/projects/${tenant.slug}/project/tokens/new`, member);
  await expect(page.getByRole('radio', { name: /Admin/ })).toBeDisabled();
  await expect(page.getByText('A token cannot exceed your own role (member).')).toBeVisible();
});

test('an admin sees and revokes everyone’s tokens', async ({ page, tenant, request }) => {
  const member = await addPerson(request, tenant, 'member');
  const login = await request.post('/api/v1/auth/login', { data: { email: member.email, password: member.password } });
  const { access_token } = await login.json();
  await request.post('/api/v1/auth/tokens', {
    headers: bearer(access_token),
    data: { name: 'theirs', role: 'reader' },
  });
  await open(page, `/projects/${tenant.slug}/project/tokens`, tenant.admin);
  await page.getByRole('link', { name: 'All tokens' }).click();
  await expect(page.getByRole('row', { name: /theirs/ })).toContainText(member.email);
});
