import type { APIRequestContext } from '@playwright/test';
import { addPerson, bearer, expect, expectAccessible, open, type Tenant, test } from './support';

/** An instance of the tiny image; no test here waits for its guest. */
async function instance(request: APIRequestContext, { token }: Tenant, name: string): Promise<string> {
  const headers = bearer(token);
  const first = async (path: string) => (await (await request.get(path, { headers })).json())[0].id;
  const answer = await request.post('/api/v1/compute/instances', {
    headers,
    data: {
      name,
      flavor_id: await first('/api/v1/compute/flavors'),
      image_id: await first('/api/v1/images/images?name=nephele-tiny'),
      network_id: await first('/api/v1/network/networks'),
    },
  });
  expect(answer.status()).toBe(201);
  return (await answer.json()).id;
}

/** A floating IP, associated with an instance if one is given. */
async function floatingIp(
  request: APIRequestContext,
  { token }: Tenant,
  instance_id?: string,
): Promise<{ id: string; address: string }> {
  const headers = bearer(token);
  const answer = await request.post('/api/v1/network/floating-ips', { headers, data: {} });
  expect(answer.status()).toBe(201);
  const allocated = await answer.json();
  if (instance_id !== undefined) {
    const path = `/api/v1/network/floating-ips/${allocated.id}/associate`;
    expect((await request.post(path, { headers, data: { instance_id } })).status()).toBe(200);
  }
  return allocated;
}

test('an address is allocated, associated with an instance, and released', async ({ page, tenant, request }) => {
  await instance(request, tenant, 'web-1');
  await open(page, `/projects/${tenant.slug}/network/floating-ips`, tenant.admin);
  await expect(page).toHaveTitle('Floating IPs · Nephele');
  await expect(page.getByRole('heading', { name: 'No floating IPs yet' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Allocate floating IP' }).first().click();
  const row = page.getByRole('table', { name: 'floating IPs' }).locator('tbody tr');
  await expect(row).toContainText('Available');
  await expect(row).toContainText('Not associated');
  const [held] = await (await request.get('/api/v1/network/floating-ips', { headers: bearer(tenant.token) })).json();
  const { address } = held;
  await expectAccessible(page);

  await page.getByRole('button', { name: `Actions for ${address}` }).click();
  await expect(page.getByRole('menuitem', { name: /^Disassociate/ })).toContainText('Not associated.');
  await page
    .getByRole('menuitem', { name: /Associate/ })
    .first()
    .click();
  await expect(page).toHaveURL(/associate=/);
  const dialog = page.getByRole('dialog', { name: `Associate ${address}` });
  await dialog.getByRole('combobox', { name: 'Instance' }).click();
  await page.getByRole('option', { name: /web-1 · 10\.0\.0\.2/ }).click();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Associate' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(row).toContainText('Associated');
  await expect(row.getByRole('link', { name: 'web-1' })).toBeVisible();
  await expect(row).toContainText('10.0.0.2');

  await page.getByRole('button', { name: `Actions for ${address}` }).click();
  await expect(page.getByRole('menuitem', { name: /Release/ })).toContainText('Disassociate it from web-1 first.');
  await page.getByRole('menuitem', { name: /^Disassociate/ }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Disassociate' }).click();
  await expect(row).toContainText('Available');
  await page.getByRole('button', { name: `Actions for ${address}` }).click();
  await page.getByRole('menuitem', { name: 'Release' }).click();
  const confirm = page.getByRole('alertdialog', { name: `Release ${address}?` });
  await expect(confirm).toContainText('returns to the pool');
  await confirm.getByRole('button', { name: 'Release address' }).click();
  await expect(page.getByRole('heading', { name: 'No floating IPs yet' })).toBeVisible();
});

test('an instance with an address shows it in the diagram and at its port, whose groups can be changed', async ({
  page,
  tenant,
  request,
}) => {
  const id = await instance(request, tenant, 'web-1');
  const { address } = await floatingIp(request, tenant, id);
  await open(page, `/projects/${tenant.slug}/network/topology`, tenant.admin);
  const picture = page.getByRole('group', { name: 'Network topology' });
  await expect(picture.getByRole('link', { name: `Floating IP ${address}, associated with web-1` })).toBeVisible();
  const node = picture.getByRole('link', { name: /^Instance web-1, .*10\.0\.0\.2 on default, floating IP/ });
  await expect(node).toBeVisible();
  await expect(node).toHaveAttribute('href', `/projects/${tenant.slug}/compute/instances/${id}`);
  await node.focus();
  await expectAccessible(page);

  await page.goto(`/projects/${tenant.slug}/network/ports`);
  await page.getByRole('row', { name: /web-1/ }).getByRole('link', { name: '10.0.0.2' }).click();
  await expect(page).toHaveTitle('Port 10.0.0.2 · Nephele');
  await expect(page.getByRole('link', { name: address })).toBeVisible();
  await page.getByRole('button', { name: 'Change security groups' }).click();
  const groups = page.getByRole('dialog', { name: 'Security groups of 10.0.0.2' });
  await groups.getByRole('checkbox', { name: /default/ }).uncheck();
  await expectAccessible(page);
  await groups.getByRole('button', { name: 'Change security groups' }).click();
  await expect(groups).toHaveCount(0);
  await expect(page.getByText('Without a security group, all traffic is dropped.')).toBeVisible();
  await expectAccessible(page);

  await page.getByRole('link', { name: address }).click();
  await expect(page).toHaveURL(/search=/);
  await expect(page.getByRole('row', { name: new RegExp(address) })).toContainText('web-1');

  await page.goto(`/projects/${tenant.slug}/network/networks`);
  await page.getByRole('button', { name: 'Actions for default' }).click();
  await expect(page.getByRole('menuitem', { name: /Delete/ })).toContainText(
    'Delete the instances and load balancers on this network first (1 port).',
  );
});

test('addresses in use cannot be selected, and show what uses them', async ({ page, tenant, request }) => {
  const taken = await floatingIp(request, tenant, await instance(request, tenant, 'web-1'));
  const free = await floatingIp(request, tenant);
  // The dialog has its own address.
  await open(page, `/projects/${tenant.slug}/network/floating-ips?associate=${free.id}`, tenant.admin);
  const dialog = page.getByRole('dialog', { name: `Associate ${free.address}` });
  await expect(dialog.getByText('Every port already has a floating IP.').first()).toBeVisible();
  await dialog.getByRole('combobox', { name: 'Instance' }).click();
  await expect(page.getByRole('option', { name: new RegExp(`Already has ${taken.address}`) })).toBeDisabled();
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(page).toHaveURL(`/projects/${tenant.slug}/network/floating-ips`);

  await page.getByRole('button', { name: 'Status' }).click();
  await page.getByRole('menuitemradio', { name: 'Available' }).click();
  await expect(page).toHaveURL(/status=available/);
  await expect(page.getByRole('row', { name: new RegExp(taken.address) })).toHaveCount(0);
});

test('a reader sees the addresses, and why none can be changed', async ({ page, tenant, request }) => {
  const reader = await addPerson(request, tenant, 'reader');
  await open(page, `/projects/${tenant.slug}/network/floating-ips`, reader);
  await expect(page.getByRole('button', { name: 'Allocate floating IP' }).first()).toBeDisabled();
});
