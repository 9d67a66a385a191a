import { addPerson, bearer, expect, expectAccessible, open, type Tenant, test } from './support';

const MIB = 1024 ** 2;
const disk = Buffer.alloc(2 * MIB, 7);

/** A QCOW2 version 3 header with a file of the host as its backing file. */
function hostile(): Buffer {
  const backing = Buffer.from('/etc/passwd');
  const image = Buffer.alloc(MIB);
  image.write('QFI\u00fb', 'latin1');
  image.writeUInt32BE(3, 4);
  image.writeBigUInt64BE(512n, 8);
  image.writeUInt32BE(backing.length, 16);
  image.writeUInt32BE(16, 20);
  image.writeBigUInt64BE(BigInt(MIB), 24);
  image.writeUInt32BE(4, 96);
  image.writeUInt32BE(104, 100);
  backing.copy(image, 512);
  return image;
}

const listOf = (tenant: Tenant) => `/projects/${tenant.slug}/compute/images`;

test('an image is dropped, recognised, uploaded, shown with its checksum, and deleted by its name', async ({
  page,
  tenant,
}) => {
  await open(page, listOf(tenant), tenant.admin);
  await expect(page).toHaveTitle('Images · Nephele');
  await expect(page.getByRole('row', { name: /nephele-tiny/ })).toContainText('Certified');
  await expectAccessible(page);

  await page.getByRole('link', { name: 'Upload image' }).click();
  await expect(page).toHaveTitle('Upload image · Nephele');
  const data = await page.evaluateHandle((bytes) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(bytes).fill(7)], 'golden.img'));
    return transfer;
  }, disk.length);
  await page.getByText('Drop an image file here').dispatchEvent('drop', { dataTransfer: data });
  await expect(page.getByText('golden.img')).toBeVisible();
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('golden');
  await expect(page.getByRole('radio', { name: /RAW/ })).toBeChecked();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Upload image' }).click();
  await page.waitForURL(listOf(tenant));
  const row = page.getByRole('row', { name: /golden/ });
  await expect(row).toContainText('Active', { timeout: 60_000 });

  await row.getByRole('link', { name: 'golden' }).click();
  await expect(page).toHaveTitle('golden · Nephele');
  await expect(page.getByRole('figure', { name: 'checksum' })).toContainText(/[0-9a-f]{64}/);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const confirm = page.getByRole('alertdialog', { name: 'Delete golden?' });
  await confirm.getByRole('textbox').fill('golden');
  await confirm.getByRole('button', { name: 'Delete image' }).click();
  await page.waitForURL(listOf(tenant));
  await expect(page.getByRole('row', { name: /golden/ })).toHaveCount(0);
});

test('an image that refers to a file of the host is refused with the reason', async ({ page, tenant }) => {
  await open(page, `${listOf(tenant)}/upload`, tenant.admin);
  await page
    .getByLabel('Image file')
    .setInputFiles({ name: 'evil.qcow2', mimeType: 'application/octet-stream', buffer: hostile() });
  await expect(page.getByText('Detected from the file’s contents: QCOW2.')).toBeVisible();
  await page.getByRole('button', { name: 'Upload image' }).click();
  const row = page.getByRole('row', { name: /evil/ });
  await expect(row).toContainText('Error', { timeout: 60_000 });
  await row.getByRole('link', { name: 'evil' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'This image is unusable' })).toContainText(/backing file/i);
});

test('a compressed file is not uploaded', async ({ page, tenant }) => {
  await open(page, `${listOf(tenant)}/upload`, tenant.admin);
  await page.getByLabel('Image file').setInputFiles({
    name: 'disk.raw.gz',
    mimeType: 'application/gzip',
    buffer: Buffer.from([0x1f, 0x8b, 8, 0, 0, 0]),
  });
  await expect(page.getByText(/The file is compressed\. Decompress it first/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Upload image' })).toHaveAttribute('aria-disabled', 'true');
});

test('filters and order are in the address and survive a reload', async ({ page, tenant, request }) => {
  const answer = await request.post('/api/v1/images/images?name=own&format=RAW', {
    headers: { ...bearer(tenant.token), 'Content-Type': 'application/octet-stream' },
    data: disk,
  });
  expect(answer.status()).toBe(201);
  await open(page, listOf(tenant), tenant.admin);
  await page.getByRole('button', { name: 'Source' }).click();
  await page.getByRole('menuitemradio', { name: 'This project' }).click();
  const names = page.getByRole('table', { name: 'images' }).locator('tbody tr');
  await expect(names).toContainText(['own']);
  await expect(page).toHaveURL(/visibility=private/);
  await page.reload();
  await expect(names).toContainText(['own']);
  await expect(names).toHaveCount(1);
});

test('a reader sees why nothing can be uploaded or deleted', async ({ page, tenant, request }) => {
  const reader = await addPerson(request, tenant, 'reader');
  await open(page, listOf(tenant), reader);
  await expect(page.getByRole('button', { name: 'Upload image' })).toHaveAttribute('aria-disabled', 'true');
  await page.getByRole('button', { name: 'Actions for nephele-tiny' }).click();
  await expect(page.getByRole('menuitem', { name: /Delete/ })).toContainText('Certified images cannot be deleted.');
});
