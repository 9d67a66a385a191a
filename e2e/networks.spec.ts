import type { APIRequestContext } from '@playwright/test';
import { addPerson, bearer, expect, expectAccessible, open, type Tenant, test } from './support';

/** Creates a network through the API. */
async function network(request: APIRequestContext, { token }: Tenant, name: string, cidr: string): Promise<string> {
  const answer = await request.post('/api/v1/network/networks', { headers: bearer(token), data: { name, cidr } });
  expect(answer.status()).toBe(201);
  return (await answer.json()).id;
}

test('a network form checks input while typing; the network is created, viewed and deleted', async ({
  page,
  tenant,
}) => {
  const list = `/projects/${tenant.slug}/network/networks`;
  await open(page, list, tenant.admin);
  await expect(page).toHaveTitle('Networks · Nephele');
  await expect(page.getByRole('row', { name: /default/ })).toContainText('10.0.0.0/24');
  await expectAccessible(page);

  await page.getByRole('link', { name: 'Create network' }).click();
  await expect(page).toHaveTitle('Create network · Nephele');
  const range = page.getByLabel('IP range', { exact: true });
  await expect(range).toHaveValue('10.1.0.0/24');
  await expect(page.getByText('Does not overlap your other networks.')).toBeVisible();
  await range.fill('10.0.0.0/16');
  await expect(page.getByText('Overlaps default (10.0.0.0/24).')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Create network' })).toBeDisabled();
  await range.fill('10.20.0.9/22');
  await expect(page.getByText('Did you mean 10.20.0.0/22?')).toBeVisible();
  await range.fill('10.20.0.0/22');
  await expect(page.getByText('1,021')).toBeVisible();
  await expect(page.getByText('10.20.0.2 – 10.20.3.254')).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel('Name', { exact: true }).fill('backend');
  await page.getByRole('switch', { name: 'DHCP' }).uncheck();
  await page.getByLabel('DNS servers').fill('9.9.9.9, 1.1.1.1');
  await page.getByRole('button', { name: 'Create network' }).click();

  await expect(page).toHaveTitle('backend · Nephele');
  await expect(page.getByRole('table', { name: 'Subnets' })).toContainText('10.20.0.0/2210.20.0.1Off9.9.9.9, 1.1.1.1');
  await page.getByRole('tab', { name: 'Ports' }).click();
  await expect(page.getByRole('heading', { name: 'No ports yet' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const confirm = page.getByRole('alertdialog', { name: 'Delete network backend?' });
  await expect(confirm).toContainText('10.20.0.0/22');
  await confirm.getByRole('button', { name: 'Delete network' }).click();
  await page.waitForURL(list);
  await expect(page.getByRole('row', { name: /backend/ })).toHaveCount(0);
});

test('search and order are in the address, and other people’s changes appear on their own', async ({
  page,
  tenant,
  request,
}) => {
  await network(request, tenant, 'beta', '10.2.0.0/24');
  await network(request, tenant, 'alpha', '10.3.0.0/24');
  await open(page, `/projects/${tenant.slug}/network/networks`, tenant.admin);
  const rows = page.getByRole('table', { name: 'networks' }).locator('tbody tr');
  await expect(rows).toHaveText([/alpha/, /beta/, /default/]);
  await page.getByRole('button', { name: 'Name' }).click();
  await page.getByRole('button', { name: 'Name' }).click();
  await expect(rows).toHaveText([/default/, /beta/, /alpha/]);
  await page.getByRole('searchbox', { name: 'Search networks' }).fill('et');
  await expect(rows).toHaveText([/beta/]);
  await expect(page).toHaveURL(/search=et/);
  await page.reload();
  await expect(rows).toHaveText([/beta/]);
  await network(request, tenant, 'betty', '10.4.0.0/24');
  await expect(rows).toHaveText([/betty/, /beta/]);
});

test('the topology shows each resource as a link, follows changes, and has a table beside it', async ({
  page,
  tenant,
  request,
}) => {
  await open(page, `/projects/${tenant.slug}/network/topology`, tenant.admin);
  await expect(page).toHaveTitle('Topology · Nephele');
  const picture = page.getByRole('group', { name: 'Network topology' });
  await expect(picture.getByRole('link', { name: /^Router default/ })).toBeVisible();
  await expect(picture.getByRole('link', { name: /^Network default, 10\.0\.0\.0\/24/ })).toBeVisible();
  await expect(picture.getByRole('link', { name: /^No instances on network default/ })).toBeVisible();
  await expectAccessible(page);

  await network(request, tenant, 'backend', '10.20.0.0/24');
  const backend = picture.getByRole('link', { name: /^Network backend, 10\.20\.0\.0\/24/ });
  await expect(backend).toBeVisible();
  const allocated = await request.post('/api/v1/network/floating-ips', { headers: bearer(tenant.token), data: {} });
  const { address } = await allocated.json();
  await expect(picture.getByRole('link', { name: `Floating IP ${address}, not associated` })).toBeVisible();

  await page.setViewportSize({ width: 390, height: 844 });
  await expect(backend).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'Table' }).click();
  await expect(page).toHaveURL(/view=table/);
  await page.reload();
  await expect(
    page.getByRole('table', { name: 'Network topology' }).getByRole('row', { name: /backend/ }),
  ).toContainText('10.20.0.1');
  await expect(page.getByText(address)).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Diagram' }).click();
  // With the keyboard only: Enter opens the focused resource.
  await backend.focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveTitle('backend · Nephele');
});

test('the router leads to its networks, and the ports page explains itself while it is empty', async ({
  page,
  tenant,
}) => {
  await open(page, `/projects/${tenant.slug}/network/routers`, tenant.admin);
  await expect(page).toHaveTitle('Routers · Nephele');
  await expectAccessible(page);
  await page
    .getByRole('row', { name: /default/ })
    .getByRole('link', { name: 'default' })
    .click();
  await expect(page).toHaveTitle('Router default · Nephele');
  await expect(page.getByRole('list', { name: 'Gateway interfaces' })).toContainText('10.0.0.1');
  await expectAccessible(page);
  await page.getByRole('list', { name: 'Gateway interfaces' }).getByRole('link', { name: 'default' }).click();
  await expect(page).toHaveTitle('default · Nephele');
  await page.goto(`/projects/${tenant.slug}/network/ports`);
  await expect(page).toHaveTitle('Ports · Nephele');
  await expect(page.getByRole('heading', { name: 'No ports yet' })).toBeVisible();
  await expectAccessible(page);
});

test('a reader sees everything, and why nothing can be changed', async ({ page, tenant, request }) => {
  const reader = await addPerson(request, tenant, 'reader');
  await open(page, `/projects/${tenant.slug}/network/networks`, reader);
  await expect(page.getByRole('button', { name: 'Create network' })).toBeDisabled();
  await page.getByRole('button', { name: 'Actions for default' }).click();
  await expect(page.getByRole('menuitem', { name: /Delete/ })).toContainText('Requires the member role');
});
