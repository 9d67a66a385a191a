import { addPerson, bearer, expect, expectAccessible, open, test } from './support';

test('a volume is created within its quota, resized, frozen, and deleted when nothing depends on it', async ({
  page,
  tenant,
}) => {
  const list = `/projects/${tenant.slug}/storage/volumes`;
  await open(page, list, tenant.admin);
  await expect(page.getByRole('heading', { name: 'No volumes yet' })).toBeVisible();
  await expectAccessible(page);

  await page.getByRole('link', { name: 'Create volume' }).first().click();
  await expect(page).toHaveTitle('Create volume · Nephele');
  await page.getByLabel('Name', { exact: true }).fill('data');
  await page.getByLabel('Size').fill('3');
  await expect(page.getByRole('meter', { name: 'Block storage' })).toHaveAttribute('aria-valuetext', /this adds 3 GB/);
  await expect(page.getByRole('meter', { name: 'Volumes' })).toHaveAttribute('aria-valuetext', /this adds 1 volume/);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create volume' }).click();
  await expect(page).toHaveTitle('data · Nephele');
  const main = page.getByRole('main');
  await expect(main.getByText('Available').first()).toBeVisible({ timeout: 60_000 });
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Resize' }).click();
  const dialog = page.getByRole('dialog', { name: 'Resize data' });
  await dialog.getByLabel('New size').fill('3');
  await dialog.getByRole('button', { name: 'Resize volume' }).click();
  await expect(dialog.getByText('Enter more than the current 3 GB.')).toBeVisible();
  await dialog.getByLabel('New size').fill('5');
  await expect(dialog.getByRole('meter', { name: 'Block storage' })).toHaveAttribute('aria-valuetext', /adds 2 GB/);
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Resize volume' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(main.getByText('5 GB').first()).toBeVisible();
  await expect(main.getByText('Available').first()).toBeVisible({ timeout: 60_000 });

  await page.getByRole('link', { name: 'Create snapshot' }).click();
  await expect(page).toHaveTitle('Create snapshot · Nephele');
  await expectAccessible(page);
  await page.getByLabel('Name', { exact: true }).fill('before-upgrade');
  await page.getByRole('button', { name: 'Create snapshot' }).click();
  await expect(page).toHaveURL(/tab=snapshots/);
  await expect(page.getByRole('row', { name: /before-upgrade/ })).toContainText('Available', { timeout: 60_000 });
  await page.getByRole('button', { name: 'Actions', exact: true }).click();
  await expect(page.getByRole('menuitem', { name: /Delete/ })).toContainText('Delete its 1 snapshot first.');
  await page.keyboard.press('Escape');
  await page.reload();
  await expect(page.getByRole('tab', { name: 'Snapshots' })).toHaveAttribute('aria-selected', 'true');
  await page.getByRole('tab', { name: 'Activity' }).click();
  await expect(page.getByText('created volume')).toBeVisible();
  await expectAccessible(page);

  await page.goto(`/projects/${tenant.slug}/storage/snapshots`);
  await expect(page).toHaveTitle('Snapshots · Nephele');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Actions for before-upgrade' }).click();
  await page.getByRole('menuitem', { name: 'Create volume' }).click();
  await expect(page.getByRole('radio', { name: /Snapshot/ })).toBeChecked();
  await expect(page.getByLabel('Size')).toHaveValue('5');
  await page.goto(`/projects/${tenant.slug}/storage/snapshots`);
  await page.getByRole('button', { name: 'Actions for before-upgrade' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete snapshot' }).click();
  await expect(page.getByRole('heading', { name: 'No snapshots yet' })).toBeVisible({ timeout: 60_000 });

  await page.goto(list);
  await page.getByRole('button', { name: 'Actions for data' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const confirm = page.getByRole('alertdialog', { name: 'Delete data?' });
  await expect(confirm).toContainText('5 GB');
  await confirm.getByRole('textbox').fill('data');
  await confirm.getByRole('button', { name: 'Delete volume' }).click();
  await expect(page.getByRole('heading', { name: 'No volumes yet' })).toBeVisible({ timeout: 60_000 });
});

test('search and order are in the address, and other people’s changes appear on their own', async ({
  page,
  tenant,
  request,
}) => {
  const make = (name: string) =>
    request.post('/api/v1/storage/volumes', { headers: bearer(tenant.token), data: { name, size_gb: 1 } });
  await make('beta');
  await make('alpha');
  await open(page, `/projects/${tenant.slug}/storage/volumes?sort=name`, tenant.admin);
  const names = page.getByRole('table', { name: 'volumes' }).locator('tbody tr td:nth-child(2)');
  await expect(names).toHaveText(['alpha', 'beta']);
  await make('gamma');
  await expect(names).toHaveText(['alpha', 'beta', 'gamma']);
  await page.getByRole('searchbox', { name: 'Search volumes' }).fill('gam');
  await expect(names).toHaveText(['gamma']);
  await expect(page).toHaveURL(/search=gam/);
  await page.reload();
  await expect(names).toHaveText(['gamma']);
});

test('a reader sees why a volume cannot be changed', async ({ page, tenant, request }) => {
  await request.post('/api/v1/storage/volumes', { headers: bearer(tenant.token), data: { name: 'look', size_gb: 1 } });
  const reader = await addPerson(request, tenant, 'reader');
  await open(page, `/projects/${tenant.slug}/storage/volumes`, reader);
  await page.getByRole('button', { name: 'Actions for look' }).click();
  for (const name of [/Attach/, /Detach/, /Resize/, /Delete/]) {
    await expect(page.getByRole('menuitem', { name })).toContainText('Requires the member role');
  }
});
