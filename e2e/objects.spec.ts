import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { bearer, expect, expectAccessible, open, type Tenant, test } from './support';

/** A name that no other test takes: bucket names are unique in the platform. */
const newName = (word: string) => `${word}-${Date.now().toString(36)}${Math.random().toString(36).slice(2, 6)}`;

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Drags files and folders of this machine onto an element, as a file manager does. */
async function drop(page: Page, label: string, files: string[]): Promise<void> {
  const box = await page.getByLabel(label, { exact: true }).locator('..').boundingBox();
  if (!box) throw new Error(`${label} is not shown`);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x, y, data });
}

async function createBucket(page: Page, tenant: Tenant, name: string): Promise<void> {
  await open(page, `/projects/${tenant.slug}/storage/buckets`, tenant.admin);
  await expect(page.getByRole('heading', { name: 'No buckets yet' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Create bucket' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create bucket' }).click();
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible();
}

test('a folder is dragged into a bucket, looked at, shared with a link, and deleted', async ({
  page,
  tenant,
  request,
  browser,
}) => {
  const name = newName('album');
  const folder = mkdtempSync(join(tmpdir(), 'nephele-drop-'));
  try {
    mkdirSync(join(folder, 'photos', 'old'), { recursive: true });
    writeFileSync(join(folder, 'photos', 'pixel.png'), PNG);
    writeFileSync(join(folder, 'photos', 'read me.txt'), 'Taken in spring.');
    writeFileSync(join(folder, 'photos', 'old', 'page.html'), '<script>document.title = "scripted"</script>');
    await createBucket(page, tenant, name);
    await drop(page, 'Files', [join(folder, 'photos')]);
    await expect(page.getByText('3 uploaded')).toBeVisible();

    const files = page.getByRole('region', { name: `Files in ${name}` });
    await files.getByRole('button', { name: 'photos', exact: true }).click();
    await expect(page).toHaveURL(/prefix=photos/);
    await expectAccessible(page);
    await files.getByRole('button', { name: 'pixel.png', exact: true }).click();
    const picture = page.getByRole('dialog', { name: 'pixel.png' }).getByRole('img');
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await files.getByRole('button', { name: 'read me.txt', exact: true }).click();
    await expect(page.getByRole('dialog')).toContainText('Taken in spring.');
    await page.keyboard.press('Escape');

    await files.getByRole('button', { name: 'Actions for photos/read me.txt' }).click();
    await page.getByRole('menuitem', { name: 'Share' }).click();
    await page.getByRole('button', { name: 'Create link' }).click();
    const link = (await page.getByRole('figure', { name: 'link' }).locator('code').textContent()) ?? '';
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    const stranger = await browser.newContext();
    const page2 = await stranger.newPage();
    await page2.goto(link);
    await expect(page2.locator('body')).toContainText('Taken in spring.');
    await stranger.close();

    await files.getByRole('button', { name: 'Actions for photos/read me.txt' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByLabel('New key').fill('photos/notes.txt');
    await page.getByRole('button', { name: 'Rename', exact: true }).click();
    await expect(files.getByRole('button', { name: 'notes.txt', exact: true })).toBeVisible();
    await expect(files.getByRole('button', { name: 'read me.txt', exact: true })).toHaveCount(0);

    await files.getByRole('button', { name, exact: true }).click();
    await files.getByRole('checkbox', { name: 'Select photos' }).check();
    await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByText('This folder is empty')).toBeVisible();
    const list = await request.get(`/api/v1/storage/buckets/${name}/objects`, { headers: bearer(tenant.token) });
    expect(await list.json()).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('an upload survives a lost connection and a reload: only what is missing is sent again', async ({
  page,
  tenant,
}) => {
  const name = newName('large');
  await createBucket(page, tenant, name);
  const file = {
    name: 'disk.img',
    mimeType: 'application/octet-stream',
    buffer: Buffer.alloc(20 * 1024 ** 2, 'nephele'),
  };
  const sent: string[] = [];
  page.on('response', (response) => {
    const { searchParams } = new URL(response.url());
    if (response.request().method() === 'PUT' && response.ok()) sent.push(searchParams.get('partNumber') ?? 'whole');
  });
  await page.route(/partNumber=3/, (route) => route.abort());
  await page.getByLabel('Files', { exact: true }).setInputFiles(file);
  await expect.poll(() => sent.toSorted()).toEqual(['1', '2']);
  page.on('dialog', (dialog) => void dialog.accept());
  await page.reload();
  await expect(page.getByRole('region', { name: 'Unfinished uploads' })).toContainText('disk.img');
  await expectAccessible(page);
  await page.unroute(/partNumber=3/);
  await page.getByLabel('Files', { exact: true }).setInputFiles(file);
  await expect(page.getByText('1 uploaded')).toBeVisible();
  await expect.poll(() => sent.toSorted()).toEqual(['1', '2', '3']);
  await expect(page.getByRole('region', { name: `Files in ${name}` })).toContainText('20 MB');
});

test('an access key is shown once, with commands for the usual clients', async ({ page, tenant }) => {
  const list = `/projects/${tenant.slug}/storage/access-keys`;
  await open(page, list, tenant.admin);
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Create access key' }).first().click();
  await page.getByLabel('Description').fill('nightly backup');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create access key' }).click();
  await page.getByRole('button', { name: 'Show secret key' }).click();
  await page.getByRole('tab', { name: 'rclone' }).click();
  await expect(page.getByRole('figure', { name: 'Commands for rclone' })).toContainText('rclone sync');
  await page.getByRole('switch', { name: 'For machines in private networks' }).click();
  await expect(page.getByRole('figure', { name: 'Commands for rclone' })).toContainText(
    'http://platform.internal:9000',
  );
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Done' }).click();
  const row = page.getByRole('row', { name: /nightly backup/ });
  await expect(row).toContainText('Read and write');
  await row.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const confirm = page.getByRole('alertdialog');
  await confirm.getByRole('textbox').fill((await row.locator('.font-mono').first().textContent()) ?? '');
  await confirm.getByRole('button', { name: 'Delete access key' }).click();
  await expect(page.getByRole('heading', { name: 'No access keys yet' })).toBeVisible();
});

test('old versions are shown, restored and deleted for good', async ({ page, tenant, request }) => {
  const name = newName('notes');
  await createBucket(page, tenant, name);
  await page.getByRole('tab', { name: 'Settings' }).click();
  await page.getByRole('radio', { name: /^Kept/ }).check();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText(`${name} changed`)).toBeVisible();
  await page.getByRole('tab', { name: 'Objects' }).click();
  for (const text of ['first', 'second']) {
    await page
      .getByLabel('Files', { exact: true })
      .setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from(text) });
    await expect(page.getByText('1 uploaded')).toBeVisible();
    await page.getByRole('region', { name: 'Uploads' }).getByRole('button', { name: 'Dismiss', exact: true }).click();
  }
  await page.getByLabel('Show old versions').check();
  const versions = page.getByRole('region', { name: `Versions in ${name}/` }).getByRole('listitem');
  await expect(versions).toHaveCount(2);
  await expectAccessible(page);
  await versions
    .nth(1)
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await page.getByRole('menuitem', { name: 'Restore' }).click();
  await expect(versions).toHaveCount(3);
  const { url } = await (
    await request.post(`/api/v1/storage/buckets/${name}/objects/presign`, {
      headers: bearer(tenant.token),
      data: { key: 'a.txt' },
    })
  ).json();
  expect(await (await request.get(url)).text()).toBe('first');
  await versions
    .nth(1)
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await page.getByRole('menuitem', { name: 'Delete version' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete version' }).click();
  await expect(versions).toHaveCount(2);
});
