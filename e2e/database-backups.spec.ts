import type { APIRequestContext } from '@playwright/test';
import { bearer, expect, expectAccessible, open, type Tenant, test } from './support';

/** Members start in seconds, but their program may have to be fetched first. */
const START = { timeout: 240_000 };

async function statusOf(request: APIRequestContext, { token }: Tenant, name: string): Promise<string> {
  const answer = await request.get(`/api/v1/dbaas/postgres/default/${name}`, { headers: bearer(token) });
  return answer.ok() ? (await answer.json()).status : 'gone';
}

test('a cluster is backed up, restored to a new one from the page, and leaves a last backup', async ({
  page,
  tenant,
  request,
}) => {
  test.setTimeout(600_000);
  const size = { vcpus: 1, ram_gb: 1, storage_gb: 1, instances: 1 };
  const created = await request.post('/api/v1/dbaas/postgres', {
    headers: bearer(tenant.token),
    data: { name: 'orders', ...size },
  });
  expect(created.status()).toBe(201);
  await expect.poll(() => statusOf(request, tenant, 'orders'), START).toBe('available');

  const clusters = `/projects/${tenant.slug}/databases/clusters`;
  await open(page, `${clusters}/postgres/default/orders?tab=backups`, tenant.admin);
  await expect(page.getByText('No backups yet')).toBeVisible();
  await page.getByRole('button', { name: 'Back up', exact: true }).click();
  const backups = page.getByRole('list', { name: 'Backups' }).getByRole('listitem');
  await expect(backups).toContainText('Available', START);
  await expect(backups).toContainText('Manual');
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page);
  await page.setViewportSize({ width: 1280, height: 900 });

  await backups.getByRole('button', { name: /^Actions/ }).click();
  await page.getByRole('menuitem', { name: 'Restore' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name of the new cluster').fill('orders-again');
  await expect(dialog.getByText(/\/ month|per month|a month/).first()).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Restore to new cluster' }).click();
  await expect(dialog.getByRole('heading', { name: 'orders-again is being restored' })).toBeVisible();
  await dialog.getByRole('link', { name: 'View orders-again' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('orders-again');
  await expect.poll(() => statusOf(request, tenant, 'orders-again'), START).toBe('available');

  const deleted = await request.delete('/api/v1/dbaas/clusters/postgres/default/orders', {
    headers: bearer(tenant.token),
  });
  expect(deleted.status()).toBe(202);
  await expect.poll(() => statusOf(request, tenant, 'orders'), START).toBe('gone');
  await page.goto(`/projects/${tenant.slug}/databases/backups`);
  const last = page.getByRole('row').filter({ hasText: 'Deleted' });
  await expect(last).toHaveCount(2);
  await expectAccessible(page);
  await last
    .first()
    .getByRole('button', { name: /^Actions/ })
    .click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete backup' }).click();
  await expect(last).toHaveCount(1, START);
});
