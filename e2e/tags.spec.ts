import { readFile } from 'node:fs/promises';
import { bearer, expect, expectAccessible, open, test } from './support';

test('resources are tagged on their pages, found by their tags, and cost by their tags', async ({
  page,
  request,
  tenant,
}) => {
  const headers = bearer(tenant.token);
  const inProject = (path: string) => `/projects/${tenant.slug}${path}`;
  const volume = async (name: string): Promise<string> => {
    const answer = await request.post('/api/v1/storage/volumes', { headers, data: { name, size_gb: 1 } });
    return (await answer.json()).id;
  };
  const id = await volume('orders');
  await volume('scratch');

  await open(page, inProject(`/storage/volumes/${id}`), tenant.admin);
  await page.getByRole('button', { name: 'Add tags' }).click();
  const dialog = page.getByRole('dialog', { name: 'Tags of orders' });
  await dialog.getByRole('button', { name: 'Add tag', exact: true }).click();
  await dialog.getByLabel('Key 1').fill('env');
  await dialog.getByLabel('Value 1').fill('production');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Save tags' }).click();
  await expect(page.getByRole('list', { name: 'Tags' })).toHaveText('env=production');
  await expectAccessible(page);

  await page.goto(inProject('/storage/volumes'));
  await page.getByRole('button', { name: 'Tag', exact: true }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('env=production');
  await page.getByRole('dialog').getByRole('textbox').press('Enter');
  await expect(page).toHaveURL(/tag=env/);
  await expect(page.getByRole('row', { name: /orders/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /scratch/ })).toHaveCount(0);

  await page.goto(inProject('/inventory?type=volume'));
  await expect(page.getByRole('row', { name: /scratch/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /orders/ })).toContainText('env=production');
  await expectAccessible(page);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ]);
  const [head, ...rows] = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
  expect(head).toMatch(/^type,id,name,status,region,/);
  expect(rows).toHaveLength(2);

  await page.goto(inProject('/catalog'));
  await expect(page.getByRole('heading', { name: /^Block storage/ })).toBeVisible();
  await expectAccessible(page);

  await page.goto(inProject('/billing'));
  const costs = page.locator('section', { has: page.getByRole('heading', { name: 'By tag' }) });
  await expect(costs.getByRole('combobox', { name: 'Tag' })).toContainText('env');
  await expect(costs.getByRole('listitem').filter({ hasText: /^production/ })).toContainText('$');
  await expectAccessible(page);
});
