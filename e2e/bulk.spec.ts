import { bearer, expect, expectAccessible, open, test } from './support';

test('rows are selected with Shift and deleted with one confirmation; a failed row is shown and retried', async ({
  page,
  tenant,
  request,
}) => {
  const headers = bearer(tenant.token);
  const create = async (path: string, data: object): Promise<string> => {
    const answer = await request.post(`/api/v1${path}`, { headers, data });
    expect(answer.status()).toBe(201);
    return (await answer.json()).id;
  };
  const ids = [];
  for (const name of ['group-1', 'group-2', 'group-3', 'group-4'])
    ids.push(await create('/network/security-groups', { name, description: '' }));
  await open(page, `/projects/${tenant.slug}/network/security-groups?sort=name`, tenant.admin);
  const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
  const bar = page.getByRole('region', { name: 'Actions for selected security groups' });

  await page.getByRole('checkbox', { name: 'Select all security groups on this page' }).check();
  await expect(bar.getByRole('status')).toHaveText('5 security groups selected');
  await expectAccessible(page);
  await bar.getByRole('button', { name: 'Clear selection' }).click();
  await expect(bar).toBeHidden();

  await box('group-1').focus();
  await page.keyboard.press('Space');
  await box('group-4').click({ modifiers: ['Shift'] });
  await expect(bar.getByRole('status')).toHaveText('4 security groups selected');
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
  await expectAccessible(page);
  await page.setViewportSize({ width: 1280, height: 900 });

  await bar.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: /^Delete.*4 security groups/ });
  await expect(dialog.getByRole('listitem')).toHaveText(['group-1', 'group-2', 'group-3', 'group-4']);
  await expectAccessible(page);
  // One of them is gone before its turn.
  const gone = await request.delete(`/api/v1/network/security-groups/${ids[1]}`, { headers });
  expect(gone.ok()).toBe(true);
  await dialog.getByRole('button', { name: 'Delete 4 security groups' }).click();
  await expect(dialog.getByRole('status')).toHaveText('3 of 4 done, 1 failed');
  await expect(dialog.getByRole('listitem').filter({ hasText: 'group-2' })).toContainText('Failed');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Retry 1 security group' }).click();
  await expect(dialog.getByRole('status')).toHaveText('3 of 4 done, 1 failed');
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByRole('row', { name: /group-/ })).toHaveCount(0);
  // The focus stays in the list, on the row that took the place of the deleted ones.
  await expect(box('default')).toBeFocused();
});

test('an action that one of the rows does not allow is disabled with its reason', async ({ page, tenant, request }) => {
  const headers = bearer(tenant.token);
  for (const name of ['data-1', 'data-2'])
    await request.post('/api/v1/storage/volumes', { headers, data: { name, size_gb: 1 } });
  const volumes = await (await request.get('/api/v1/storage/volumes', { headers })).json();
  expect(volumes).toHaveLength(2);
  await open(page, `/projects/${tenant.slug}/storage/volumes?sort=name`, tenant.admin);
  await page.getByRole('checkbox', { name: 'Select all volumes on this page' }).check();
  const bar = page.getByRole('region', { name: 'Actions for selected volumes' });
  const detach = bar.getByRole('button', { name: 'Detach' });
  await expect(detach).toHaveAttribute('aria-disabled', 'true');
  await expect(detach).toHaveAccessibleDescription('Not attached.');
  await bar.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: /^Delete.*2 volumes/ });
  await expect(dialog.getByRole('button', { name: 'Delete 2 volumes' })).toBeDisabled();
  await expect(dialog.getByRole('textbox')).toBeFocused();
  await dialog.getByRole('textbox').fill('delete 2 volumes');
  await dialog.getByRole('button', { name: 'Delete 2 volumes' }).click();
  await expect(dialog.getByRole('status')).toHaveText('2 of 2 done');
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByText('No volumes yet')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Volumes', level: 1 })).toBeFocused();
});
