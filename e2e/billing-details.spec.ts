import { addPerson, bearer, expect, expectAccessible, open, test } from './support';

test('billing details are saved, and shown again', async ({ page, tenant, request }) => {
  const address = `/projects/${tenant.slug}/project/billing-details`;
  await open(page, address, tenant.admin);
  await expect(page).toHaveTitle('Billing details · Nephele');
  await page.getByRole('button', { name: 'Save billing details' }).click();
  await expect(page.getByText('Choose a country.')).toBeVisible();
  await expectAccessible(page);

  await page.getByLabel('Name', { exact: true }).fill('Acme GmbH');
  await page.getByLabel('Address', { exact: true }).fill('Hauptstraße 1\nHof 2');
  await page.getByLabel('Postal code').fill('10115');
  await page.getByLabel('City').fill('Berlin');
  await page.getByLabel('Country').click();
  await page.getByRole('option', { name: 'Germany', exact: true }).click();
  await page.getByLabel('E-mail for invoices').fill('invoices@acme.example');
  await page.getByRole('button', { name: 'Save billing details' }).click();
  await expect(page.getByText('Billing details saved')).toBeVisible();
  const read = await request.get('/api/v1/billing/details', { headers: bearer(tenant.token) });
  expect(await read.json()).toMatchObject({
    name: 'Acme GmbH',
    address_lines: ['Hauptstraße 1', 'Hof 2'],
    city: 'Berlin',
    postal_code: '10115',
    region: null,
    country: 'DE',
    tax_id: null,
    email: 'invoices@acme.example',
  });
  await page.goto(address);
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Acme GmbH');
  await expect(page.getByLabel('Country')).toContainText('Germany');
});

test('a reader sees the billing details, and why they cannot be changed', async ({ page, tenant, request }) => {
  const reader = await addPerson(request, tenant, 'reader');
  await open(page, `/projects/${tenant.slug}/project/billing-details`, reader);
  await expect(page.getByRole('button', { name: 'Save billing details' })).toHaveAccessibleDescription(
    'Requires the admin role.',
  );
});
