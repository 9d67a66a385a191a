import { readFile } from 'node:fs/promises';
import { addPerson, bearer, expect, expectAccessible, open, test } from './support';

test('the audit log shows changes with their authors, and refusals, and never a secret', async ({
  page,
  tenant,
  request,
}) => {
  const headers = bearer(tenant.token);
  const data = { name: 'watched', type: 'opaque', payload: 'CANARY-payload' };
  await request.post('/api/v1/vault/secrets', { headers, data });
  await request.post('/api/v1/vault/secrets', { headers, data });
  await open(page, `/projects/${tenant.slug}/security/audit`, tenant.admin);
  await expect(page).toHaveTitle('Audit log · Nephele');
  await expect(page.getByRole('row', { name: /secret\.create.*Succeeded/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /secret\.create.*Refused/ })).toBeVisible();
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Result' }).click();
  await page.getByRole('menuitemradio', { name: 'Refused' }).click();
  await expect(page).toHaveURL(/result=refused/);
  await expect(page.getByRole('row', { name: /Succeeded/ })).toHaveCount(0);
  await page.getByRole('button', { name: 'secret.create' }).first().click();
  const sheet = page.getByRole('dialog', { name: 'secret.create' });
  await expect(sheet).toContainText('409 CONFLICT');
  await expectAccessible(page);
  await page.keyboard.press('Escape');

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const csv = await readFile(await (await download).path(), 'utf8');
  expect(csv).toContain('secret.create');
  expect(csv).not.toContain('succeeded');
  expect(csv).not.toContain('CANARY-payload');
});

test('the audit log counts refused reads in one entry, and finds a request by its id', async ({
  page,
  tenant,
  request,
}) => {
  const reader = await addPerson(request, tenant, 'reader');
  const login = await request.post('/api/v1/auth/login', { data: { email: reader.email, password: reader.password } });
  const headers = { ...bearer((await login.json()).access_token), 'X-Request-Id': 'e2e-refused-read' };
  for (let index = 0; index < 3; index++) await request.get('/api/v1/audit', { headers });
  await open(page, `/projects/${tenant.slug}/security/audit`, tenant.admin);
  await expect(page.getByRole('row', { name: /audit\.list.*Refused.*3 times/ })).toBeVisible();
  await page.getByRole('button', { name: 'Request', exact: true }).click();
  await page.getByRole('textbox', { name: 'Request' }).fill('e2e-refused-read');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/request_id=e2e-refused-read/);
  await expect(page.getByRole('row', { name: /audit\.list/ })).toHaveCount(1);
  await expect(page.getByRole('row', { name: /user\.create/ })).toHaveCount(0);
  await page.getByRole('button', { name: 'audit.list', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'audit.list' })).toContainText('3 within one hour');
  await expectAccessible(page);
});

test('only admins have the audit log in their navigation', async ({ page, tenant, request }) => {
  const reader = await addPerson(request, tenant, 'reader');
  await open(page, `/projects/${tenant.slug}`, reader);
  await expect(page.getByRole('link', { name: 'Secrets' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Audit log' })).toHaveCount(0);
});
