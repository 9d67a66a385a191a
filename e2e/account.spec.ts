import { expect, expectAccessible, forgetSession, open, test, totpNow } from './support';

test('a second factor is set up, required, and turned off', async ({ page, tenant }) => {
  test.setTimeout(120_000);
  const account = `/projects/${tenant.slug}/account`;
  await open(page, account, tenant.admin);
  await expect(page).toHaveTitle('Profile and security · Nephele');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Set up two-factor authentication' }).click();
  await expect(page.getByRole('img', { name: /QR code/ })).toBeVisible();
  const secret = (await page.getByText(/^[A-Z2-7]{16,}$/).textContent()) ?? '';
  await page.getByLabel('Code').fill('000000');
  await page.getByRole('button', { name: 'Activate' }).click();
  await expect(page.getByText(/does not match this key/)).toBeVisible();
  await page.getByLabel('Code').fill(totpNow(secret));
  await page.getByRole('button', { name: 'Activate' }).click();

  const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
  await expect(codes).toHaveCount(10);
  const [recovery = ''] = await codes.allTextContents();
  await expectAccessible(page);
  await expect(page.getByRole('button', { name: 'Done' })).toBeDisabled();
  await page.getByLabel('I have saved them').check();
  await page.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByText('10 recovery codes left')).toBeVisible();

  await test.step('sign-in asks for a code; the one used for activation is spent', async () => {
    await forgetSession(page);
    await page.goto(account);
    await page.getByLabel('E-mail').fill(tenant.admin.email);
    await page.getByLabel('Password').fill(tenant.admin.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByRole('heading', { name: 'Two-factor authentication' })).toBeVisible();
    await expectAccessible(page);
    // The next step's code is accepted early: one step of drift is allowed.
    await page.getByLabel('Code').fill(totpNow(secret, 1));
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(account);
  });

  await test.step('a recovery code turns it off', async () => {
    await page.getByRole('button', { name: 'Turn off' }).click();
    await page.getByLabel('Code').fill(recovery);
    await page.getByRole('button', { name: 'Turn off two-factor authentication' }).click();
    await expect(page.getByRole('button', { name: 'Set up two-factor authentication' })).toBeVisible();
  });
});

test('a new password ends the other sessions and keeps this one', async ({ page, tenant, otherBrowser }) => {
  const account = `/projects/${tenant.slug}/account`;
  await open(page, account, tenant.admin);
  const elsewhere = await otherBrowser();
  await open(elsewhere, account, tenant.admin);

  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByLabel('Current password').fill('wrong');
  await page.getByLabel('New password').fill('a much better passphrase');
  await page.getByRole('button', { name: 'Set new password' }).click();
  await expect(page.getByText('Is incorrect.')).toBeVisible();
  await page.getByLabel('Current password').fill(tenant.admin.password);
  await page.getByLabel('Revoke my API tokens').check();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Set new password' }).click();
  await expect(page.getByText('Password changed')).toBeVisible();
  await expect(page.getByText('Your other sessions and your API tokens have ended.')).toBeVisible();

  await elsewhere.reload();
  await expect(elsewhere.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Profile and security' })).toBeVisible();
});

test('a revoked session ends at once; signing out everywhere ends this one too', async ({
  page,
  tenant,
  otherBrowser,
}) => {
  const account = `/projects/${tenant.slug}/account`;
  await open(page, account, tenant.admin);
  const elsewhere = await otherBrowser({ userAgent: 'other-program/1.0' });
  await open(elsewhere, account, tenant.admin);
  await page.reload();
  const sessions = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');
  await sessions.filter({ hasText: 'other-program' }).getByRole('button', { name: 'End session' }).click();
  await expect(sessions.filter({ hasText: 'other-program' })).toHaveCount(0);
  await elsewhere.reload();
  await expect(elsewhere.getByRole('heading', { name: 'Sign in' })).toBeVisible();

  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
});
