import { expect, expectAccessible, test } from './support';

test('a forgotten password: the page asks for the address, and says if no mail is sent', async ({ page, tenant }) => {
  await page.goto('/sign-in');
  await page.getByRole('link', { name: 'Forgot password?' }).click();
  await expect(page).toHaveTitle('Forgot password · Nephele');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Send link' }).click();
  await expect(page.getByText('Enter an e-mail address')).toBeVisible();
  await page.getByLabel('E-mail').fill(tenant.admin.email);
  await page.getByRole('button', { name: 'Send link' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'This platform sends no mail' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Back to sign-in' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
});

test('an invalid link leads to a new one', async ({ page }) => {
  await page.goto('/reset-password#no-such-token');
  await expect(page).toHaveTitle('New password · Nephele');
  await expectAccessible(page);
  await page.getByLabel('New password').fill('short');
  await page.getByRole('button', { name: 'Set password' }).click();
  await expect(page.getByText('At least 10 characters.').last()).toBeVisible();
  await page.getByLabel('New password').fill('a password long enough');
  await page.getByRole('button', { name: 'Set password' }).click();
  await expect(page.getByRole('heading', { name: 'This link does not work' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Request a new link' }).click();
  await expect(page.getByRole('heading', { name: 'Forgot your password?' })).toBeVisible();
});

test('the sign-in callback opened in a browser is refused without a server error', async ({ request }) => {
  const answer = await request.get('/api/auth/callback/password');
  expect([answer.status(), (await answer.json()).error.code]).toEqual([405, 'METHOD_NOT_ALLOWED']);
});
