import { readFile } from 'node:fs/promises';
import { addPerson, bearer, expect, expectAccessible, open, test } from './support';

/** A guest boots in seconds, but takes longer on a busy machine. */
const BOOT = { timeout: 180_000 };

test('an instance is created with its quota in view, boots, and every tab of its page has an address', async ({
  page,
  tenant,
  request,
}) => {
  test.setTimeout(600_000);
  const list = `/projects/${tenant.slug}/compute/instances`;
  await open(page, list, tenant.admin);
  await expect(page.getByRole('heading', { name: 'No instances yet' })).toBeVisible();
  await page.getByRole('link', { name: 'Create instance' }).first().click();
  await expect(page).toHaveTitle('Create instance · Nephele');
  await page.getByRole('combobox', { name: 'Image' }).click();
  await page.getByRole('option', { name: /nephele-tiny/ }).click();
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('nephele-1');
  await page.getByRole('radio', { name: /nano/ }).check();
  await expect(page.getByRole('meter', { name: 'Instances' })).toHaveAttribute('aria-valuetext', /this adds 1 VM/);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create instance' }).click();
  await expect(page).toHaveTitle('nephele-1 · Nephele');
  const status = page.getByRole('main').getByText('Active').first();
  await expect(status).toBeVisible(BOOT);

  for (const tab of ['Overview', 'Console', 'Network', 'Volumes', 'Metrics', 'Logs', 'Activity']) {
    await page.getByRole('tab', { name: tab }).click();
    const panel = page.getByRole('tabpanel', { name: tab });
    await expect(panel).toBeVisible();
    await expect(panel.getByText('could not be loaded')).toHaveCount(0);
    await expectAccessible(page);
    await page.reload();
    await expect(page.getByRole('tab', { name: tab })).toHaveAttribute('aria-selected', 'true');
  }
  await expect(page.getByText('Succeeded')).toBeVisible();

  await page.getByRole('tab', { name: 'Volumes' }).click();
  await request.post('/api/v1/storage/volumes', { headers: bearer(tenant.token), data: { name: 'data', size_gb: 1 } });
  await page.getByRole('button', { name: 'Attach volume' }).click();
  const dialog = page.getByRole('dialog', { name: 'Attach volume to nephele-1' });
  await dialog.getByRole('combobox', { name: 'Volume' }).click();
  await page.getByRole('option', { name: /data/ }).click();
  await dialog.getByRole('button', { name: 'Attach volume' }).click();
  await expect(page.getByRole('row', { name: /data/ })).toContainText('In use', BOOT);

  await page.getByRole('button', { name: 'Actions', exact: true }).click();
  await expect(page.getByRole('menuitem', { name: /Unpause/ })).toContainText('Only for instances that are paused');
  await page.getByRole('menuitem', { name: 'Pause', exact: true }).click();
  await expect(page.getByRole('main').getByText('Paused').first()).toBeVisible(BOOT);
  await page.getByRole('button', { name: 'Actions', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const confirm = page.getByRole('alertdialog', { name: 'Delete nephele-1?' });
  await confirm.getByRole('textbox').fill('nephele-1');
  await confirm.getByRole('button', { name: 'Delete instance' }).click();
  await page.waitForURL(list);
  await expect(page.getByRole('heading', { name: 'No instances yet' })).toBeVisible(BOOT);
});

test('flavors are compared side by side; a key is added, and an invalid one refused at its field', async ({
  page,
  tenant,
}) => {
  await open(page, `/projects/${tenant.slug}/compute/flavors`, tenant.admin);
  await expect(page).toHaveTitle('Flavors · Nephele');
  await expect(page.getByRole('row', { name: /nano/ })).toContainText('256 MB');
  await expectAccessible(page);
  await page.goto(`/projects/${tenant.slug}/compute/key-pairs/new`);
  await page.getByLabel('Name', { exact: true }).fill('laptop');
  await page.getByLabel('Public key').fill('ssh-ed25519 nonsense');
  await page.getByRole('button', { name: 'Add key pair' }).click();
  await expect(page.getByText(/Must be one line with an OpenSSH public key/)).toBeVisible();
  await page
    .getByLabel('Public key')
    .fill('ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDn6+sBBxxLqNXxRMDZLj6YvBmGHPSpCuOJmUYgMCHsa ada@example.org');
  await page.getByRole('button', { name: 'Add key pair' }).click();
  await expect(page.getByRole('row', { name: /laptop/ })).toContainText('ssh-ed25519');
  await expectAccessible(page);

  await page.goto(`/projects/${tenant.slug}/compute/key-pairs/new`);
  await page.getByLabel('Name', { exact: true }).fill('my key/1');
  await page.getByRole('radio', { name: /Generate/ }).check();
  await page.getByRole('button', { name: 'Add key pair' }).click();
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download private key' }).click();
  const file = await downloading;
  expect(file.suggestedFilename()).toBe('my-key-1.pem');
  expect(await readFile(await file.path(), 'utf8')).toContain('PRIVATE KEY');
});

test('a reader sees why nothing can be created', async ({ page, tenant, request }) => {
  const reader = await addPerson(request, tenant, 'reader');
  await open(page, `/projects/${tenant.slug}/compute/instances`, reader);
  await expect(page.getByRole('button', { name: 'Create instance' }).first()).toHaveAttribute('aria-disabled', 'true');
});
