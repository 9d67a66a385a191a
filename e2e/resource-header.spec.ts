import { addPerson, bearer, createInstance, expect, expectAccessible, open, test } from './support';

test('the header of an instance has its key facts with the price, and tabs in the order of all resources', async ({
  page,
  tenant,
  request,
}) => {
  const { id, flavor } = await createInstance(request, tenant, 'web-1');
  // The tab has another name in links of earlier versions.
  await open(page, `/projects/${tenant.slug}/compute/instances/${id}?tab=telemetry`, tenant.admin);
  await expect(page.getByRole('tab')).toHaveText([
    'Overview',
    'Console',
    'Network',
    'Volumes',
    'Metrics',
    'Logs',
    'Activity',
  ]);
  await expect(page.getByRole('tab', { name: 'Metrics' })).toHaveAttribute('aria-selected', 'true');
  const header = page.getByRole('main').locator('header').first();
  await expect(header).toContainText(/IP address10\./);
  await expect(header).toContainText(`Flavor${flavor.name}`);
  await expect(header).toContainText(/Per hour\$0\.00[1-9]|Per hour\$0\.0[1-9]/);
  await expectAccessible(page);

  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`/projects/${tenant.slug}/compute/instances/${id}?tab=activity`);
  await expect(page.getByRole('tab', { name: 'Activity' })).toBeInViewport({ ratio: 0.9 });
});

test('a resource is renamed in place, by keyboard alone', async ({ page, tenant, request }) => {
  const headers = bearer(tenant.token);
  const volume = await request.post('/api/v1/storage/volumes', { headers, data: { name: 'data', size_gb: 1 } });
  const { id } = await volume.json();
  await open(page, `/projects/${tenant.slug}/storage/volumes/${id}`, tenant.admin);
  const begin = page.getByRole('button', { name: 'Rename data', exact: true });
  const form = page.getByRole('form', { name: 'Rename volume' });
  const field = form.getByLabel('Name', { exact: true });
  await begin.press('Enter');
  await expect(field).toBeFocused();
  await expectAccessible(page);
  await field.press('Escape');
  await expect(form).toHaveCount(0);
  await expect(begin).toBeFocused();

  await begin.press('Enter');
  await field.fill(' ');
  await field.press('Enter');
  await expect(form.getByText('Enter a name.')).toBeVisible();
  await field.fill('archive');
  await field.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('archive');
  await expect(page.getByRole('button', { name: 'Rename archive' })).toBeFocused();
  await expect(page).toHaveTitle('archive · Nephele');
  expect((await (await request.get(`/api/v1/storage/volumes/${id}`, { headers })).json()).name).toBe('archive');
  await page.getByRole('tab', { name: 'Activity' }).click();
  await expect(page.getByRole('tabpanel', { name: 'Activity' })).toContainText('archive');
});

test('a reader sees why a network cannot be renamed; its ports and its activity have tabs', async ({
  page,
  tenant,
  request,
}) => {
  const reader = await addPerson(request, tenant, 'reader');
  const networks = await request.get('/api/v1/network/networks', { headers: bearer(tenant.token) });
  const [{ id }] = await networks.json();
  await open(page, `/projects/${tenant.slug}/network/networks/${id}`, reader);
  const rename = page.getByRole('button', { name: 'Rename default' });
  await expect(rename).toHaveAttribute('aria-disabled', 'true');
  await expect(rename).toHaveAccessibleDescription('Requires the member role.');
  await expect(page.getByRole('tab')).toHaveText([
    'Overview',
    'Ports',
    'Load balancers',
    'Metrics',
    'Logs',
    'Activity',
  ]);
  await page.getByRole('tab', { name: 'Ports' }).click();
  await expect(page.getByRole('heading', { name: 'No ports yet' })).toBeVisible();
});
