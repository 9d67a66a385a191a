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
  const folder = mkdtempSync(join(tmpdir(), 'nephele-large-'));
  const file = join(folder, 'disk.img');
  writeFileSync(file, Buffer.alloc(20 * 1024 ** 2, 'nephele'));
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
  rmSync(folder, { recursive: true });
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
  await page.getByRole('button', { name: 'Save settings' }).click();
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

test('a policy, CORS rules and lifecycle rules are edited, refused at their place, and take effect', async ({
  page,
  tenant,
  request,
}) => {
  const name = newName('shared');
  await createBucket(page, tenant, name);
  const { url } = await (
    await request.post(`/api/v1/storage/buckets/${name}/objects/presign`, {
      headers: bearer(tenant.token),
      data: { key: 'public/a.txt', method: 'PUT' },
    })
  ).json();
  await request.put(url, { data: 'for everyone' });
  const open_url = url.split('?')[0];
  expect((await request.get(open_url)).status()).toBe(403);
  await page.getByRole('tab', { name: 'Settings' }).click();

  const editor = page.getByRole('textbox', { name: 'Bucket policy' });
  const save = page.getByRole('button', { name: 'Save policy' });
  await editor.fill('{\n  "Version": "2012-10-17"\n  "Statement": []\n}');
  await save.click();
  await expect(page.getByText('No valid JSON from line 3.')).toBeVisible();
  await editor.fill('{"Statement": [{"Effect": "Perhaps"}]}');
  await save.click();
  await expect(page.getByText('Effect must be Allow or Deny.')).toBeVisible();
  await expectAccessible(page);
  await editor.fill('');
  await page.getByRole('button', { name: 'Insert an example' }).click();
  await save.click();
  await expect(page.getByText('Policy changed')).toBeVisible();
  expect(await (await request.get(open_url)).text()).toBe('for everyone');

  await page.getByRole('button', { name: 'Add CORS rule' }).click();
  const saveCors = page.getByRole('button', { name: 'Save CORS rules' });
  await page.getByLabel('Origins').fill('app.example.com');
  await saveCors.click();
  await expect(page.getByText(/^Scheme, host and port/)).toBeVisible();
  await page.getByLabel('Origins').fill('https://app.example.com');
  await saveCors.click();
  await expect(page.getByText('CORS rules changed')).toBeVisible();
  const Origin = 'https://app.example.com';
  const answer = await request.get(open_url, { headers: { Origin } });
  expect(answer.headers()['access-control-allow-origin']).toBe(Origin);

  await page.getByRole('button', { name: 'Add lifecycle rule' }).click();
  const saveRules = page.getByRole('button', { name: 'Save lifecycle rules' });
  await saveRules.click();
  await expect(page.getByText(/each rule needs an action/i)).toBeVisible();
  await page.getByLabel('Prefix').fill('logs/');
  await page.getByLabel('Delete objects after').fill('30');
  await saveRules.click();
  await expect(page.getByText('Lifecycle rules changed')).toBeVisible();
  await expectAccessible(page);
  const bucket = await (await request.get(`/api/v1/storage/buckets/${name}`, { headers: bearer(tenant.token) })).json();
  expect(bucket).toMatchObject({
    has_policy: true,
    cors: [{ origins: [Origin], methods: ['GET', 'HEAD'] }],
    lifecycle: [{ id: 'rule-1', enabled: true, prefix: 'logs/', days: 30 }],
  });
  await page.reload();
  await expect(editor).toContainText('s3:GetObject');
  await page.getByRole('button', { name: 'Remove lifecycle rule 1' }).click();
  await saveRules.click();
  await expect(page.getByText('Lifecycle rules changed')).toBeVisible();
});
