import { givePassword, openOffice, test } from './backoffice-support';
import { expect, expectAccessible, open, totpNow } from './support';

// Axe checks every page in two themes, possibly on a machine with two cores.
test.describe.configure({ timeout: 180_000 });

test('sign-in to the back office leads to the requested page, and sign-out ends the session', async ({
  page,
  administrator,
  tenant,
}) => {
  const asked = '/admin/tenants?status=suspended';
  await page.goto(asked);
  await expect(page).toHaveTitle('Sign in · Nephele back office');
  await expectAccessible(page);

  await givePassword(page, tenant.admin);
  await expect(page.getByText('E-mail or password is wrong.')).toBeVisible();
  await givePassword(page, administrator);
  await page.waitForURL(asked);
  await expect(page).toHaveTitle('Tenants · Nephele back office');

  await page.getByRole('button', { name: /account and appearance/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page).toHaveTitle('Sign in · Nephele back office');
  await page.goto(asked);
  await expect(page.getByRole('heading', { name: 'Sign in to the back office' })).toBeVisible();
});

test('a portal session is not valid in the back office', async ({ page, tenant }) => {
  await open(page, `/projects/${tenant.slug}`, tenant.admin);
  await page.goto('/admin/tenants');
  await expect(page.getByRole('heading', { name: 'Sign in to the back office' })).toBeVisible();
  await page.goto('/admin/sign-in?back=https://elsewhere.example/');
  await expect(page.getByRole('heading', { name: 'Sign in to the back office' })).toBeVisible();
});

test('an administrator sets up a second factor, is asked for it, and another administrator resets it', async ({
  page,
  administrator,
  otherBrowser,
}) => {
  await openOffice(page, '/admin/account', administrator);
  await expect(page).toHaveTitle('Your account · Nephele back office');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Set up two-factor authentication' }).click();
  const secret = (await page.getByText(/^[A-Z2-7]{16,}$/).textContent()) ?? '';
  await page.getByLabel('Code').fill(totpNow(secret));
  await page.getByRole('button', { name: 'Activate' }).click();
  const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
  await expect(codes).toHaveCount(10);
  const [recovery = ''] = await codes.allTextContents();
  await page.getByLabel('I have saved them').check();
  await page.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByText('10 recovery codes left')).toBeVisible();

  const elsewhere = await otherBrowser();
  await test.step('sign-in asks for a code, once', async () => {
    await elsewhere.goto('/admin/users');
    await givePassword(elsewhere, administrator);
    await expect(elsewhere.getByRole('heading', { name: 'Two-factor authentication' })).toBeVisible();
    await expectAccessible(elsewhere);
    await elsewhere.getByLabel('Code').fill('000000');
    await elsewhere.getByRole('button', { name: 'Continue' }).click();
    await expect(elsewhere.getByText(/This code is wrong/)).toBeVisible();
    // The next step's code is accepted early: one step of drift is allowed.
    await elsewhere.getByLabel('Code').fill(totpNow(secret, 1));
    await elsewhere.getByRole('button', { name: 'Continue' }).click();
    await elsewhere.waitForURL('/admin/users');
  });

  await test.step('a recovery code works too', async () => {
    const third = await otherBrowser();
    await third.goto('/admin');
    await givePassword(third, administrator);
    await third.getByLabel('Code').fill(recovery);
    await third.getByRole('button', { name: 'Continue' }).click();
    await third.waitForURL('/admin');
    await third.close();
  });

  await test.step('a reset ends every session, and then the password is enough', async () => {
    await elsewhere.goto(`/admin/users/${administrator.id}`);
    await elsewhere.getByRole('button', { name: 'Actions' }).click();
    await elsewhere.getByRole('menuitem', { name: 'Reset two-factor authentication' }).click();
    await elsewhere.getByRole('alertdialog').getByRole('button', { name: 'Reset two-factor authentication' }).click();
    await expect(elsewhere.getByRole('heading', { name: 'Sign in to the back office' })).toBeVisible();
    await page.goto('/admin/account');
    await givePassword(page, administrator);
    await expect(page.getByRole('button', { name: 'Set up two-factor authentication' })).toBeVisible();
  });
});
