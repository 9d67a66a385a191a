import { expect, expectAccessible, open, test } from './support';

test('an issuer is trusted, the exchange is explained at its own address, and the trust ends', async ({
  page,
  tenant,
}) => {
  const list = `/projects/${tenant.slug}/project/identity-providers`;
  await open(page, list, tenant.admin);
  await expect(page).toHaveTitle('Identity providers · Nephele');
  await expect(page.getByRole('heading', { name: 'No identity providers yet' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Add identity provider' }).first().click();
  await expect(page).toHaveTitle('Add identity provider · Nephele');
  await page.getByRole('radio', { name: /GitLab/ }).check();
  await expect(page.getByRole('textbox', { name: 'Issuer URL' })).toHaveValue('https://gitlab.com');
  await page.getByRole('radio', { name: /GitHub/ }).check();
  await expectAccessible(page);

  await page.getByLabel('Name', { exact: true }).fill('site');
  await page.getByRole('button', { name: 'Add identity provider' }).click();
  await expect(page.getByText('Replace the placeholders in capitals.')).toBeVisible();
  await page.getByLabel('Matches').fill('repo:acme/site:ref:refs/heads/main');
  await page.getByLabel('Audience').fill('https://cloud.example.org');
  await page.getByRole('button', { name: 'Add condition' }).click();
  await page.getByLabel('Matches').nth(1).fill('repo:acme/site:environment:production');
  await page.getByRole('button', { name: 'Add identity provider' }).click();

  const hint = page.getByRole('dialog', { name: 'Exchange a token from site' });
  await expect(hint.getByRole('figure', { name: 'how to get a token' })).toContainText(
    'audience=https%3A%2F%2Fcloud.example.org',
  );
  await expect(hint.getByRole('figure', { name: 'how to exchange it' })).toContainText(tenant.id);
  await expect(page).toHaveURL(/exchange=/);
  await expectAccessible(page);
  await page.reload();
  await expect(hint).toBeVisible();
  await hint.getByRole('button', { name: 'Close' }).last().click();
  await expect(page).toHaveURL(list);

  const row = page.getByRole('row', { name: /site/ });
  await expect(row).toContainText('repo:acme/site:ref:refs/heads/main or repo:acme/site:environment:production');
  await expect(row).toContainText('Reader');
  await page.getByRole('button', { name: 'Actions for site' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page
    .getByRole('alertdialog', { name: 'Delete site?' })
    .getByRole('button', { name: 'Delete identity provider' })
    .click();
  await expect(page.getByRole('heading', { name: 'No identity providers yet' })).toBeVisible();
});

test('an issuer that may not be called is refused at its field', async ({ page, tenant }) => {
  await open(page, `/projects/${tenant.slug}/project/identity-providers/new`, tenant.admin);
  await page.getByRole('radio', { name: /Another issuer/ }).check();
  await page.getByLabel('Name', { exact: true }).fill('inside');
  await page.getByRole('textbox', { name: 'Issuer URL' }).fill('https://127.0.0.1/');
  await page.getByLabel('Matches').fill('*');
  await page.getByRole('button', { name: 'Add identity provider' }).click();
  await expect(page.getByRole('textbox', { name: 'Issuer URL' })).toHaveAttribute('aria-invalid', 'true');
});
