import { addPerson, bearer, expect, expectAccessible, open, test } from './support';

test('credit is paid on the sandbox’s page, and is available when the browser returns', async ({ page, tenant }) => {
  await open(page, `/projects/${tenant.slug}/billing/credit`, tenant.admin);
  await expect(page).toHaveTitle('Credit · Nephele');
  await expect(page.getByRole('heading', { name: 'No credit yet' })).toBeVisible();
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Add credit' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Add credit' });
  await expect(page).toHaveURL(/top_up=25/);
  await dialog.getByLabel('Amount').fill('0.5');
  await dialog.getByRole('button', { name: 'Continue to payment' }).click();
  await expect(dialog.getByText('From $1.00 to $10,000.00 per payment.')).toBeVisible();
  await dialog.getByRole('button', { name: '$50', exact: true }).click();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Continue to payment' }).click();

  await page.waitForURL(/\/checkout\//);
  await expect(page).toHaveTitle('Pay $50.00 · Sandbox · Nephele');
  await expect(page.getByText('no money moves')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Pay $50.00' }).click();

  await page.waitForURL(/\/billing\/credit\?checkout=/);
  await expect(page.getByText('$50.00 of credit added')).toBeVisible();
  await expect(page.getByRole('row', { name: /Top-up by card/ })).toContainText('+$50.00');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await expect(page).toHaveURL(/\/billing\/credit$/);
});

test('a declined card charges nothing, the bank may refuse, and the page stays open for another try', async ({
  page,
  tenant,
  request,
}) => {
  const begun = await request.post('/api/v1/billing/checkout-session', {
    headers: bearer(tenant.token),
    data: { amount_usd: 12.5 },
  });
  const { id } = await begun.json();
  await open(page, `/checkout/${tenant.id}/${id}`, tenant.admin);
  await page.getByRole('radio', { name: /ending in 0002/ }).check();
  const pay = page.getByRole('button', { name: 'Pay $12.50' });
  await pay.click();
  await expect(page.getByRole('main').getByRole('alert')).toContainText('Your card was declined.');

  await page.getByRole('radio', { name: /ending in 3184/ }).check();
  await pay.click();
  const bank = page.getByRole('dialog', { name: 'Confirm with your bank' });
  await expect(bank).toContainText('charge $12.50 with your Visa ending in 3184');
  await bank.getByRole('button', { name: 'Decline' }).click();
  await expect(page.getByRole('main').getByRole('alert')).toContainText(
    'The bank declined because it did not receive your confirmation',
  );

  await pay.click();
  await bank.getByRole('button', { name: 'Yes, confirm' }).click();
  await page.waitForURL(/\/billing\/credit\?checkout=/);
  await expect(page.getByText('$12.50 of credit added')).toBeVisible();

  await page.goto(`/checkout/${tenant.id}/${id}`);
  await expect(page.getByRole('heading', { name: 'Done' })).toBeVisible();
  await expect(page.getByRole('button', { name: /Pay/ })).toHaveCount(0);
});

test('cards are saved on the sandbox’s page; the first one is the default, and removing it shows the effects', async ({
  page,
  tenant,
  request,
}) => {
  await open(page, `/projects/${tenant.slug}/billing/payment-methods`, tenant.admin);
  await expect(page).toHaveTitle('Payment methods · Nephele');
  await expect(page.getByRole('heading', { name: 'No cards yet' })).toBeVisible();
  await page.getByRole('button', { name: 'Add card' }).first().click();
  await page.waitForURL(/\/checkout\//);
  await page.getByRole('button', { name: 'Save card' }).click();
  await page.waitForURL(/\/billing\/payment-methods\?checkout=/);
  await expect(page.getByText('Card saved')).toBeVisible();
  const visa = page.getByRole('row', { name: /Visa ending in 4242/ });
  await expect(visa).toContainText('Default');

  await request.post('/api/v1/billing/payment-methods', {
    headers: bearer(tenant.token),
    data: { payment_method: 'pm_card_mastercard' },
  });
  const mastercard = page.getByRole('row', { name: /Mastercard ending in 4444/ });
  await expect(mastercard).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Actions for Mastercard ending in 4444' }).click();
  await page.getByRole('menuitem', { name: 'Make default' }).click();
  await expect(mastercard).toContainText('Default');
  await expect(visa).not.toContainText('Default');

  await page.getByRole('button', { name: 'Actions for Mastercard ending in 4444' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  const confirm = page.getByRole('alertdialog', { name: 'Remove Mastercard ending in 4444?' });
  await expect(confirm).toContainText('Invoices will be charged to Visa ending in 4242.');
  await confirm.getByRole('button', { name: 'Remove card' }).click();
  await expect(mastercard).toHaveCount(0);
  await expect(visa).toContainText('Default');
});

test('a reader sees the balance, and why no credit can be added', async ({ page, tenant, request }) => {
  const reader = await addPerson(request, tenant, 'reader');
  await open(page, `/projects/${tenant.slug}/billing/credit`, reader);
  await expect(page.getByRole('button', { name: 'Add credit' }).first()).toHaveAccessibleDescription(
    'Requires the admin role.',
  );
});
