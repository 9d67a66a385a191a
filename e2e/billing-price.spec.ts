import { setBudget } from './money-support';
import { bearer, expect, expectAccessible, open, test } from './support';

test.describe.configure({ timeout: 240_000 });

const usd = (amount: number) => `$${amount.toFixed(2)}`;

test('the form shows a volume’s price, which equals its later cost', async ({ page, tenant, request }) => {
  await setBudget(request, tenant, { monthly_limit_usd: 250, enable_quota_freeze: true });
  await open(page, `/projects/${tenant.slug}/storage/volumes/new`, tenant.admin);
  const price = page.getByRole('region', { name: 'Price' });
  await page.getByLabel('Size').fill('');
  await expect(price).toContainText('Enter a size to see the price.');
  await page.getByLabel('Name', { exact: true }).fill('data');
  await page.getByLabel('Size').fill('10');
  // 10 GB at 0.08 per GB-month, in every month.
  await expect(price).toContainText('$0.80 per month');
  await expect(price).toContainText('Volume, 10 GB at $0.08 / GB-month');
  await expect(price).toContainText(/\$0\.00\s*becomes\s*\$\d\.\d\d\s*of \$250\.00/);
  await expect(price).toContainText('The budget will not be reached this month.');
  await expect(price.getByRole('meter', { name: 'Budget forecast' })).toHaveAttribute('aria-valuemax', '250');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create volume' }).click();
  await expect(page).toHaveTitle('data · Nephele');
  const running = async () => {
    const answer = await request.get('/api/v1/billing/running', { headers: bearer(tenant.token) });
    return (await answer.json()).map(({ usd_per_month }: { usd_per_month: number }) => usd_per_month);
  };
  await expect.poll(running, { timeout: 60_000 }).toEqual([0.8]);

  await test.step('a resize costs the difference', async () => {
    await expect(page.getByRole('main').getByText('Available').first()).toBeVisible({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Resize' }).click();
    const dialog = page.getByRole('dialog', { name: 'Resize data' });
    await dialog.getByLabel('New size').fill('15');
    await expect(dialog.getByRole('region', { name: 'Price' })).toContainText('$0.40 per month');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  await test.step('a snapshot costs as much as its volume’s size', async () => {
    await page.getByRole('link', { name: 'Create snapshot' }).click();
    await expect(page).toHaveTitle('Create snapshot · Nephele');
    await expect(page.getByRole('region', { name: 'Price' })).toContainText('$0.80 per month');
  });
});

test('a quote shows when it would exhaust the budget', async ({ page, tenant, request }) => {
  await setBudget(request, tenant, { monthly_limit_usd: 0.01, enable_quota_freeze: true });
  await open(page, `/projects/${tenant.slug}/storage/volumes/new`, tenant.admin);
  await page.getByLabel('Size').fill('16384');
  const price = page.getByRole('region', { name: 'Price' });
  await expect(price).toContainText(/The budget will be reached on \d+ \w+, \d\d:\d\d/);
  await expect(price).toContainText('After that, nothing can be created or enlarged.');

  await page.goto(`/projects/${tenant.slug}/compute/instances/new`);
  await page.getByRole('tab', { name: 'GPU' }).click();
  const flavor = page.getByRole('tabpanel', { name: 'GPU' }).getByText(/gpu-large.*Exceeds this month’s budget\./);
  await expect(flavor).toBeVisible();
  await expect(page.getByRole('radio', { name: /gpu-large/ })).toBeDisabled();
  await expectAccessible(page);
});

test('a flavor that exceeds the quota is disabled with the reason', async ({
  page,
  tenant,
  request,
  administratorToken,
}) => {
  const limited = await request.put(`/admin/api/v1/tenants/${tenant.id}/quota`, {
    headers: bearer(administratorToken),
    data: { vcpus_limit: 2 },
  });
  expect(limited.status()).toBe(200);
  await open(page, `/projects/${tenant.slug}/compute/instances/new`, tenant.admin);
  await expect(page.getByRole('radio', { name: /^xlarge\b.*Exceeds the quota: 2 vCPUs left\./ })).toBeDisabled();
  await expect(page.getByRole('radio', { name: /^large\b/ })).toBeEnabled();
});

test('a flavor costs the same in the list of flavors and in the form of an instance', async ({
  page,
  tenant,
  request,
}) => {
  const headers = bearer(tenant.token);
  const { month, items } = await (await request.get('/api/v1/billing/pricing', { headers })).json();
  const [year, number] = month.split('-').map(Number);
  const hours = new Date(Date.UTC(year, number, 0)).getUTCDate() * 24;
  const rate = (metric: string) =>
    Number(items.find((item: { metric: string }) => item.metric === metric).unit_price_usd);
  const flavors = await (await request.get('/api/v1/compute/flavors', { headers })).json();
  const { name, vcpus, ram_gb, disk_gb } = flavors.find((flavor: { name: string }) => flavor.name === 'medium');
  const hourly = vcpus * rate('compute_vcpu') + ram_gb * rate('compute_memory');
  const monthly = usd(hourly * hours + disk_gb * rate('block_storage'));

  await open(page, `/projects/${tenant.slug}/compute/flavors`, tenant.admin);
  await expect(page.getByRole('row', { name: new RegExp(`^${name}\\b`) })).toContainText(monthly);
  await expect(page.getByText(`a month is ${hours} hours`)).toBeVisible();
  await page.goto(`/projects/${tenant.slug}/compute/instances/new`);
  const price = page.getByRole('region', { name: 'Price' });
  // The form starts with the smallest flavor that fits the image.
  await expect(page.getByRole('radio', { name: /^nano\b/ })).toBeChecked();
  await expect(price).toContainText(/\$\d+\.\d\d per month/);
  await expect(price).not.toContainText(`${monthly} per month`);
  await page.getByRole('radio', { name: new RegExp(`^${name}\\b`) }).check({ force: true });
  await expect(price).toContainText(`${monthly} per month`);
  await expect(price).toContainText(`Boot disk, ${disk_gb} GB`);
  await expect(price.getByRole('link', { name: 'Set a budget' })).toBeVisible();
  await expectAccessible(page);
});

test('unpriced items are marked as such', async ({ page, tenant }) => {
  await open(page, `/projects/${tenant.slug}/compute/images/upload`, tenant.admin);
  const price = page.getByRole('region', { name: 'Price' });
  await expect(price).toContainText('Choose a file to see the price of storing it.');
  await page.getByLabel('Image file').setInputFiles({
    name: 'tiny.iso',
    mimeType: 'application/octet-stream',
    buffer: Buffer.alloc(64 * 1024, 1),
  });
  await expect(price).toContainText('Free of charge. Image storage is metered, but not priced on the rate card.');
});
