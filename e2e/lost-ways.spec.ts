import { addPerson, bearer, expect, expectAccessible, open, test } from './support';

const nowhere = '01890000-0000-7000-8000-000000000000';

test('pages that a reader opens cause no refusals in the audit log', async ({ page, tenant, request }) => {
  const reader = await addPerson(request, tenant, 'reader');
  const refusals = async () => {
    const answer = await request.get('/api/v1/audit?result=refused', { headers: bearer(tenant.token) });
    expect(answer.status()).toBe(200);
    return answer.json();
  };
  await open(page, `/projects/${tenant.slug}`, reader);
  const links = await page.getByRole('navigation', { name: 'Main' }).getByRole('link').all();
  const addresses = await Promise.all(links.map((link) => link.getAttribute('href')));
  expect(addresses.length).toBeGreaterThan(10);
  const hidden = ['security/audit', 'project/users', 'project/identity-providers', 'billing/payment-methods'];
  for (const address of [...addresses, ...hidden.map((path) => `/projects/${tenant.slug}/${path}`)]) {
    await page.goto(address ?? '');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
  }
  await expect(page.getByText('Your role, reader, cannot read this page.')).toBeVisible();
  expect(await refusals()).toEqual([]);
});

test('the address of a deleted resource offers its list', async ({ page, tenant }) => {
  await open(page, `/projects/${tenant.slug}/compute/instances/${nowhere}`, tenant.admin);
  await page.getByRole('link', { name: 'View instances' }).click();
  await expect(page).toHaveTitle('Instances · Nephele');
  await page.goto(`/projects/${tenant.slug}/compute/images/${nowhere}`);
  await expect(page.getByRole('link', { name: 'View images' })).toBeVisible();
  await expectAccessible(page);
});
