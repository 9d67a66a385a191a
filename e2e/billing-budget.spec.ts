import { addPerson, bearer, expect, expectAccessible, open, test } from './support';

test('a budget shows its effects before it is saved, and then applies', async ({ page, tenant, request }) => {
  // A disk costs money from its first second.
  const volume = await request.post('/api/v1/storage/volumes', {
    headers: bearer(tenant.token),
    data: { name: 'data', size_gb: 10 },
  });
  expect(volume.status()).toBe(201);
  await open(page, `/projects/${tenant.slug}/billing/budget`, tenant.admin);
  await expect(page).toHaveTitle('Budget · Nephele');
  const preview = page.getByRole('complementary');
  await expect(preview).toContainText('Without a limit there are no alerts');
  await expectAccessible(page);

  await page.getByLabel('Monthly limit').fill('much');
  await page.getByLabel('Freeze at 100%').check();
  await page.getByRole('button', { name: 'Save budget' }).click();
  await expect(page.getByText(/Enter an amount in USD/)).toBeVisible();
  await page.getByLabel('Monthly limit').fill('5000');
  await expect(preview).toContainText(/the month ends at \$\d+\.\d\d, below the budget/);
  await page.getByLabel('Alert at').fill('90, 50');
  await expect(preview.getByRole('listitem')).toHaveText([/^50%, alert/, /^90%, alert/, /^100%, freeze/]);
  await page.getByLabel('Alerts by e-mail').fill('finance@example.test\nops@example.test');
  await page.getByRole('button', { name: 'Save budget' }).click();
  await expect(page.getByText('Budget saved')).toBeVisible();
  await expectAccessible(page);

  const read = await request.get('/api/v1/billing/budget', { headers: bearer(tenant.token) });
  expect(await read.json()).toMatchObject({
    monthly_limit_usd: 5000,
    thresholds: [50, 90],
    enable_quota_freeze: true,
    notify_emails: ['finance@example.test', 'ops@example.test'],
  });
  await page.goto(`/projects/${tenant.slug}/billing`);
  await expect(page).toHaveTitle('Costs · Nephele');
  await expect(page.getByText('below the budget of $5,000.00')).toBeVisible();
  await expect(page.getByRole('row', { name: /data.*Volume/ })).toBeVisible();
  await expectAccessible(page);
});

test('another person’s change is never overwritten unseen', async ({ page, tenant, request }) => {
  await open(page, `/projects/${tenant.slug}/billing/budget`, tenant.admin);
  await page.getByLabel('Monthly limit').fill('300');
  await request.put('/api/v1/billing/budget', {
    headers: bearer(tenant.token),
    data: { monthly_limit_usd: 100, thresholds: [75] },
  });
  const warning = page.getByRole('alert').filter({ hasText: 'The budget has changed' });
  await expect(warning).toContainText('Monthly limit: none → $100.00');
  await expect(page.getByRole('button', { name: 'Save budget' })).toHaveAttribute('aria-disabled', 'true');
  await warning.getByRole('button', { name: 'Load current budget' }).click();
  await expect(page.getByLabel('Monthly limit')).toHaveValue('300');
  await expect(page.getByLabel('Alert at')).toHaveValue('75');
  await page.getByRole('button', { name: 'Save budget' }).click();
  await expect(page.getByText('Budget saved')).toBeVisible();
});

test('a reader sees the budget, and why it cannot be changed', async ({ page, tenant, request }) => {
  const reader = await addPerson(request, tenant, 'reader');
  await open(page, `/projects/${tenant.slug}/billing/budget`, reader);
  await expect(page.getByRole('button', { name: 'Save budget' })).toHaveAccessibleDescription(
    'Requires the admin role.',
  );
});
