import { expect, expectAccessible, open, test } from './support';

test('sign-in leads to the requested page, and sign-out ends the session', async ({ page, tenant }) => {
  const asked = `/projects/${tenant.slug}/security/secrets?type=opaque`;
  await page.goto(asked);
  await expect(page).toHaveTitle('Sign in · Nephele');
  await expectAccessible(page);
  await page.getByLabel('E-mail').fill(tenant.admin.email);
  await page.getByLabel('Password').fill('not the password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('E-mail or password is wrong.')).toBeVisible();

  await page.getByLabel('Password').fill(tenant.admin.password);
  await page.getByLabel('Password').press('Enter');
  await page.waitForURL(asked);
  await expect(page).toHaveTitle('Secrets · Nephele');

  await page.getByRole('button', { name: /account and appearance/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page).toHaveTitle('Sign in · Nephele');
  await page.goto(asked);
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
});

test('sign-in never redirects to another site', async ({ page, tenant }) => {
  await page.goto('/sign-in?back=https://elsewhere.example/');
  await page.getByLabel('E-mail').fill(tenant.admin.email);
  await page.getByLabel('Password').fill(tenant.admin.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(`/projects/${tenant.slug}`);
});

test('a foreign project is not found', async ({ page, tenant }) => {
  await open(page, `/projects/${tenant.slug}`, tenant.admin);
  await page.goto('/projects/demo');
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
});
