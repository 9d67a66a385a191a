import { addPerson, bearer, createInstance, expect, expectAccessible, open, test } from './support';

test('a metric is chosen from lists, and its query can be edited; the address keeps both', async ({
  page,
  tenant,
  request,
  otherBrowser,
}) => {
  await open(page, `/projects/${tenant.slug}/observability/metrics`, tenant.admin);
  await expect(page).toHaveTitle('Metrics · Nephele');
  const query = page.getByRole('textbox', { name: 'PromQL query' });
  await expect(page.getByRole('heading', { name: 'No data in this period' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('combobox', { name: 'Metric' }).click();
  await page.getByRole('option', { name: /memory bytes/ }).click();
  await expect(query).toHaveText('nephele_instance_memory_bytes');
  await page.getByRole('combobox', { name: 'Aggregate' }).click();
  await page.getByRole('option', { name: 'Sum' }).click();
  await expect(query).toHaveText('sum(nephele_instance_memory_bytes)');

  await query.fill('vector(3)');
  await query.press('Enter');
  await expect(page).toHaveURL(/query=vector/);
  const series = page.getByRole('region', { name: 'Series' });
  await expect(series.getByRole('row', { name: /3 3 3 3$/ })).toBeVisible();
  await expectAccessible(page);
  await series.getByRole('button').first().press('Enter');
  await expect(series.getByRole('button', { pressed: false })).toBeVisible();

  const reader = await addPerson(request, tenant, 'reader');
  const other = await otherBrowser();
  await open(other, page.url(), reader);
  await expect(other.getByRole('region', { name: 'Series' })).toBeVisible();
  await page.getByRole('button', { name: 'Use the builder' }).click();
  await expect(query).toHaveText('sum(nephele_instance_memory_bytes)');
});

test('a wrong query is refused at its position, and functions and metrics are completed', async ({ page, tenant }) => {
  await open(page, `/projects/${tenant.slug}/observability/metrics`, tenant.admin);
  const query = page.getByRole('textbox', { name: 'PromQL query' });
  await query.fill('rat(nephele_instance_cpu_seconds[1m])');
  await query.press('Enter');
  await expect(page.getByText(/^Line 1, column 4: /)).toBeVisible();
  await expectAccessible(page);
  await query.fill('');
  await query.pressSequentially('nephele_instance_mem');
  await page.getByRole('option', { name: /nephele_instance_memory_bytes/ }).click();
  await expect(query).toContainText('nephele_instance_memory_bytes');
});

test('the dashboard shows resources, usage, logs and incidents, and leads to the lines behind its numbers', async ({
  page,
  tenant,
  request,
}) => {
  const data = { name: 'counted', type: 'opaque', payload: 'CANARY-payload' };
  await request.post('/api/v1/vault/secrets', { headers: bearer(tenant.token), data });
  await open(page, `/projects/${tenant.slug}/observability/dashboards?refresh=15`, tenant.admin);
  await expect(page).toHaveTitle('Dashboards · Nephele');
  await expect(page.getByRole('link', { name: /^Secrets 1$/ })).toBeVisible();
  for (const title of ['CPU', 'Memory', 'Network', 'Disk', 'Requests', 'Logs', 'Incidents', 'Top resources'])
    await expect(page.getByRole('heading', { name: title, exact: true })).toBeVisible();
  await expectAccessible(page);
  await page.getByText('24 hours', { exact: true }).click();
  await expect(page).toHaveURL(/range=24h/);
  await expect(async () => {
    await page.reload();
    await expect(page.getByText(/^Lines[1-9]/)).toBeVisible({ timeout: 5000 });
  }).toPass();
  await page.getByRole('link', { name: 'View lines' }).click();
  await expect(page.getByRole('log').getByText(/secret\.create/)).not.toHaveCount(0);
});

test('an instance has its own charts and logs', async ({ page, tenant, request }) => {
  const { id } = await createInstance(request, tenant, 'web-1');
  await open(page, `/projects/${tenant.slug}/compute/instances/${id}?tab=logs`, tenant.admin);
  // The machine may not have written anything when the page is opened.
  await expect(async () => {
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect(page.getByRole('log').getByRole('button').first()).toBeVisible({ timeout: 2000 });
  }).toPass();
  await expect(page.getByRole('combobox', { name: 'Service' })).toHaveCount(0);
  await expectAccessible(page);
  await expect(page.getByRole('link', { name: 'Open in Logs' })).toHaveAttribute('href', new RegExp(id));
  await page.getByRole('tab', { name: 'Metrics' }).click();
  await expect(page.getByRole('radio', { name: '1 hour' })).toBeChecked();
  await expectAccessible(page);
});
