import { bearer, expect, expectAccessible, expectLoaded, open, test } from './support';

test('the overview shows nine quotas, each in its own unit, and recent activity', async ({ page, tenant, request }) => {
  await request.post('/api/v1/vault/secrets', {
    headers: bearer(tenant.token),
    data: { name: 'first-secret', type: 'opaque', payload: 'x' },
  });
  await open(page, `/projects/${tenant.slug}`, tenant.admin);
  await expect(page).toHaveTitle(`${tenant.name} · Nephele`);
  const meters = page.getByRole('meter');
  await expect(meters).toHaveCount(9);
  const units = { vCPUs: '64 vCPUs', Memory: '256 GB', 'Block storage': '5 TB', Instances: '10 VMs' };
  for (const [name, limit] of Object.entries(units)) {
    await expect(page.getByRole('meter', { name })).toHaveAttribute('aria-valuetext', new RegExp(`of ${limit} used`));
  }
  await expect(page.getByText('created secret first-secret')).toBeVisible();
  await expectAccessible(page);
});

test('a checklist leads through the first steps, until each is done or it is dismissed', async ({
  page,
  tenant,
  request,
}) => {
  await open(page, `/projects/${tenant.slug}`, tenant.admin);
  const checklist = page
    .getByRole('main')
    .locator('section', { has: page.getByRole('heading', { name: 'Get started' }) });
  for (const step of [
    'Create a key pair',
    'Add a network rule',
    'Create an instance',
    'Set a budget',
    'Turn on two-factor authentication',
  ]) {
    await expect(checklist.getByRole('link', { name: step })).toBeVisible();
  }
  await expect(checklist.getByRole('link', { name: /Create a key pair \(done\)/ })).toHaveCount(0);
  await expectAccessible(page);
  const made = await request.post('/api/v1/compute/keypairs', {
    headers: bearer(tenant.token),
    data: { name: 'mine' },
  });
  expect(made.status()).toBe(201);
  await expect(checklist.getByRole('link', { name: /Create a key pair \(done\)/ })).toBeVisible();

  await checklist.getByRole('link', { name: 'Create an instance' }).click();
  await expect(page).toHaveURL(`/projects/${tenant.slug}/compute/instances/new`);
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue(/^nephele-\d+$/);
  await expect(page.getByRole('button', { name: 'Create instance' })).toBeEnabled();

  await page.goBack();
  await checklist.getByRole('button', { name: 'Dismiss' }).click();
  await expect(checklist).toHaveCount(0);
  await page.reload();
  await expect(page.getByText('Forecast for')).toBeVisible();
  await expect(checklist).toHaveCount(0);
});

test('nothing on the overview moves when it is known which of the first steps are done', async ({ page, tenant }) => {
  await page.route('**/api/v1/compute/keypairs*', async (route) => {
    await page.getByText('Forecast for').waitFor();
    await route.continue();
  });
  await open(page, `/projects/${tenant.slug}`, tenant.admin);
  await expect(page.getByText('0 of 5 steps done')).toBeVisible();
  await expectLoaded(page);
  const moved = await page.evaluate(() => {
    const observer = new PerformanceObserver(() => undefined);
    observer.observe({ type: 'layout-shift', buffered: true });
    const shifts = observer.takeRecords().map((entry) => ('value' in entry ? Number(entry.value) : 0));
    return shifts.reduce((sum, shift) => sum + shift, 0);
  });
  expect(moved).toBeLessThan(0.05);
});

test('an administrator’s new limit appears on its own', async ({ page, tenant, request, administratorToken }) => {
  await open(page, `/projects/${tenant.slug}`, tenant.admin);
  await expect(page.getByRole('meter', { name: 'Volumes' })).toHaveAttribute('aria-valuetext', /of 10 volumes/);
  const changed = await request.put(`/admin/api/v1/tenants/${tenant.id}/quota`, {
    headers: bearer(administratorToken),
    data: { volumes_limit: 33 },
  });
  expect(changed.status()).toBe(200);
  await expect(page.getByRole('meter', { name: 'Volumes' })).toHaveAttribute('aria-valuetext', /of 33 volumes/);
});
