import { readFile } from 'node:fs/promises';
import { addPerson, bearer, expect, expectAccessible, open, test } from './support';

test('the audit log says who did what and what was refused, and never a secret', async ({ page, tenant, request }) => {
  const headers = bearer(tenant.token);
  const data = { name: 'watched', type: 'opaque', payload: 'CANARY-payload' };
  await request.post('/api/v1/vault/secrets', { headers, data });
  await request.post('/api/v1/vault/secrets', { headers, data });
  await open(page, `/projects/${tenant.slug}/audit`, tenant.admin);
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

test('only admins have the audit log in their navigation', async ({ page, tenant, request }) => {
  const reader = await addPerson(request, tenant, 'reader');
  await open(page, `/projects/${tenant.slug}`, reader);
  await expect(page.getByRole('link', { name: 'Secrets' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Audit log' })).toHaveCount(0);
});
