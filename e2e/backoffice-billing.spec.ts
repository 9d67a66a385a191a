import { openOffice, test } from './backoffice-support';
import { setBudget, spendCents, spentTwoMonthsAgo, untilFrozen } from './money-support';
import { bearer, expect, expectAccessible, open } from './support';

test.describe.configure({ timeout: 240_000 });

test('a frozen tenant is marked; credit granted with a reason unfreezes it and is in the ledger', async ({
  page,
  tenant,
  administrator,
  request,
}) => {
  await setBudget(request, tenant, { monthly_limit_usd: 0.01, enable_quota_freeze: true });
  await spendCents(tenant, 3);
  await untilFrozen(request, tenant);

  await openOffice(page, '/admin/billing/budgets', administrator);
  await expect(page).toHaveTitle('Budgets and freezes · Nephele back office');
  await page.getByLabel('Search tenants').fill(tenant.slug);
  await page.getByRole('button', { name: 'Freeze' }).click();
  await page.getByRole('menuitemradio', { name: 'Frozen now' }).click();
  await expect(page).toHaveURL(`/admin/billing/budgets?search=${tenant.slug}&frozen=true`);
  const row = page.getByRole('row', { name: new RegExp(tenant.name) });
  await expect(row).toContainText('Frozen');
  await expect(row).toContainText('$0.01');
  await expectAccessible(page);

  await page.getByRole('button', { name: `Actions for ${tenant.name}` }).click();
  await page.getByRole('menuitem', { name: 'Change credit' }).click();
  const dialog = page.getByRole('dialog', { name: `Credit of ${tenant.name}` });
  await dialog.getByRole('button', { name: 'Grant credit' }).click();
  await expect(dialog.getByText('Enter an amount in USD, such as 25 or 12.50.')).toBeVisible();
  await expect(dialog.getByText('Enter a reason.')).toBeVisible();
  await expectAccessible(page);
  await dialog.getByLabel('Amount').fill('25');
  await dialog.getByLabel('Reason').fill('Compensation for the outage on 3 March');
  await dialog.getByRole('button', { name: 'Grant credit' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText('No tenants match')).toBeVisible();
  const created = await request.post('/api/v1/storage/volumes', {
    headers: bearer(tenant.token),
    data: { name: 'one-more', size_gb: 1 },
  });
  expect(created.status()).toBe(201);

  await page.goto(`/admin/billing/credits?tenant_id=${tenant.id}`);
  const entry = page.getByRole('row', { name: /Compensation for the outage on 3 March/ });
  await expect(entry).toContainText('+$25.00');
  await expect(entry).toContainText(administrator.email);
  await expectAccessible(page);
});

test('a rate is added for a coming month, after a look at its effects', async ({ page, administrator }) => {
  // A metric that nothing here uses and that has no price, so the results of other tests stay the same.
  await openOffice(page, '/admin/billing/rates', administrator);
  await expect(page).toHaveTitle('Rates · Nephele back office');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Actions for MongoDB' }).click();
  await page.getByRole('menuitem', { name: 'Add rate' }).click();
  await expect(page).toHaveTitle('Add rate · Nephele back office');
  await page.getByRole('button', { name: 'Add rate' }).click();
  await expect(page.getByText('Choose a month.')).toBeVisible();
  await page.getByLabel('Price').fill('0.0475');
  await page.getByRole('combobox', { name: 'From' }).click();
  await page.getByRole('option').last().click();
  await expect(page.getByText(/MongoDB costs nothing this month, and \$0\.0475 \/ instance-hour from/)).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Add rate' }).click();
  await page.waitForURL('/admin/billing/rates');
  await expect(page.getByRole('row', { name: /^MongoDB/ })).toContainText('$0.0475 / instance-hour from');
  await expect(
    page.getByRole('list', { name: 'Rate history' }).getByRole('listitem').filter({ hasText: 'MongoDB' }).first(),
  ).toContainText('Upcoming');
});

test('revenue, invoices and months show a month’s income, and the month is in the address', async ({
  page,
  tenant,
  administrator,
}) => {
  await openOffice(page, `/admin/billing?search=${tenant.slug}`, administrator);
  await expect(page).toHaveTitle('Revenue · Nephele back office');
  await expect(page.getByRole('row', { name: new RegExp(tenant.name) })).toContainText('None');
  await expectAccessible(page);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Controls' }).click();
  await expect(page).toHaveTitle('Monthly closing · Nephele back office');
  const running = page.getByRole('row').nth(1);
  await expect(running).toContainText('In progress');
  await running.getByRole('button', { name: /^Actions for/ }).click();
  await expect(page.getByRole('menuitem', { name: /^Close now/ })).toContainText('The month has not ended yet');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu')).toHaveCount(0);
  await expectAccessible(page);
  await page.goto('/admin/billing/reversals');
  await expect(page).toHaveTitle('Refunds and disputes · Nephele back office');
  await expectAccessible(page);
  await page.goto('/admin/billing/invoices?status=failed');
  await expect(page).toHaveTitle('Invoices · Nephele back office');
  await expect(page.getByRole('button', { name: /^Payment/ })).toContainText('Failed');
  await expectAccessible(page);
});

test('an invoice with a declined card needs attention in the office, and is paid with another card in the portal', async ({
  page,
  tenant,
  administrator,
  request,
  otherBrowser,
}) => {
  const headers = bearer(tenant.token);
  const addCard = async (payment_method: string) => {
    const added = await request.post('/api/v1/billing/payment-methods', { headers, data: { payment_method } });
    expect(added.status()).toBe(201);
    return (await added.json()).id;
  };
  await addCard('pm_card_chargeCustomerFail');
  await spentTwoMonthsAgo(tenant, 1234);
  const payment = async () => {
    const [invoice] = await (await request.get('/api/v1/billing/invoices', { headers })).json();
    return invoice?.payment.status;
  };
  await expect.poll(payment, { timeout: 150_000 }).toBe('failed');

  await openOffice(page, '/admin', administrator);
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await expect(attention).toContainText(/payments? failed: \$[\d,]+\.\d\d is due/);
  await attention.getByRole('link', { name: 'View failed payments' }).click();
  await page.waitForURL('/admin/billing/invoices?status=failed');
  await page.goto(`/admin/billing/invoices?status=failed&tenant_id=${tenant.id}`);
  const row = page.getByRole('row', { name: new RegExp(tenant.name) });
  await expect(row).toContainText('$12.34');
  await expect(row).toContainText('Failed');
  await row.getByRole('button', { name: /^Actions for INV-/ }).click();
  const downloaded = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Download PDF' }).click();
  expect((await downloaded).suggestedFilename()).toMatch(/^INV-\d{6}\.pdf$/);

  const portal = await otherBrowser();
  await open(portal, `/projects/${tenant.slug}/billing/invoices`, tenant.admin);
  await portal
    .getByRole('row', { name: /Failed/ })
    .getByRole('link')
    .first()
    .click();
  await expect(portal.getByText('Your card was declined.')).toBeVisible();
  await expectAccessible(portal);
  const good = await addCard('pm_card_visa');
  const chosen = await request.post(`/api/v1/billing/payment-methods/${good}/default`, { headers });
  expect(chosen.status()).toBe(200);
  await portal.getByRole('button', { name: 'Pay now' }).click();
  await portal.getByRole('alertdialog').getByRole('button', { name: 'Pay now' }).click();
  await expect(portal.getByText('Paid', { exact: true }).first()).toBeVisible();
  await expect(page.getByText('No invoices match')).toBeVisible();
});

test('billing is checked on demand, and the differences are shown', async ({ page, administrator }) => {
  await openOffice(page, '/admin/billing/reconciliations', administrator);
  await page.getByRole('button', { name: 'Check now' }).first().click();
  const sheet = page.getByRole('dialog', { name: 'Check result' });
  await expect(sheet).toContainText('Compared');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('row').nth(1)).toContainText(/difference/);
});
