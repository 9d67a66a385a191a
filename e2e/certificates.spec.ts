import { certificateUpload, testCertificate } from '../lib/testing/certificates';
import { bearer, expect, expectAccessible, open, test } from './support';

test('a certificate is uploaded from its files, shows its time left and its chain, and is deleted by its name', async ({
  page,
  tenant,
}) => {
  const list = `/projects/${tenant.slug}/network/certificates`;
  const authority = await testCertificate({ is_authority: true });
  const { certificate, key } = await testCertificate({ names: ['shop.example.com'], issuer: authority });
  const [, secret = ''] = key.split('\n');
  await open(page, list, tenant.admin);
  await expect(page.getByRole('heading', { name: 'No certificates yet' })).toBeVisible();
  await expectAccessible(page);

  await page.getByRole('link', { name: 'Add certificate' }).first().click();
  await expect(page).toHaveTitle('Add certificate · Nephele');
  await expectAccessible(page);
  await page.getByLabel('Name', { exact: true }).fill('shop');
  await page.getByRole('button', { name: 'Upload certificate' }).click();
  await expect(page.getByText('Paste the private key, or choose its file.')).toBeVisible();
  const pem = (name: string, text: string) => ({ name, mimeType: 'application/x-pem-file', buffer: Buffer.from(text) });
  const files = [pem('key.pem', key), pem('fullchain.pem', certificate + authority.certificate)];
  await page.getByLabel('PEM files').setInputFiles(files);
  await expect(page.getByLabel('Private key', { exact: true })).toHaveValue(key);
  await page.getByRole('button', { name: 'Upload certificate' }).click();
  await expect(page.getByRole('heading', { name: 'shop', level: 1 })).toBeVisible();
  await expect(page.getByRole('meter', { name: 'Remaining time of shop' })).toHaveAttribute(
    'aria-valuetext',
    /8[89] days/,
  );
  await expect(page.getByText('CN=shop.example.com')).toBeVisible();
  await expect(page.getByText('EC P-256')).toHaveCount(2);
  await expect(page.getByText(secret)).toHaveCount(0);
  await expectAccessible(page);

  await page.goto(list);
  await expect(page.getByRole('row', { name: /shop/ })).toContainText('shop.example.com');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Actions for shop' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const confirm = page.getByRole('alertdialog', { name: 'Delete shop?' });
  await expect(confirm).toContainText('private key are permanently deleted');
  await confirm.getByRole('textbox').fill('shop');
  await confirm.getByRole('button', { name: 'Delete certificate' }).click();
  await expect(page.getByRole('heading', { name: 'No certificates yet' })).toBeVisible();
});

test('a refusal appears at its field, and a certificate that ends soon is marked', async ({
  page,
  tenant,
  request,
}) => {
  const ending = await certificateUpload('ending', { started_days_ago: 80 });
  await request.post('/api/v1/gateway/certificates', { headers: bearer(tenant.token), data: ending });
  const stranger = await certificateUpload('stranger');
  await open(page, `/projects/${tenant.slug}/network/certificates/new`, tenant.admin);
  await page.getByLabel('Name', { exact: true }).fill('shop');
  await page.getByLabel('Certificate and chain', { exact: true }).fill(ending.certificate_pem);
  await page.getByLabel('Private key', { exact: true }).fill(stranger.private_key_pem);
  await page.getByRole('button', { name: 'Upload certificate' }).click();
  await expect(page.getByText('Does not belong to the certificate.')).toBeVisible();
  await page.getByRole('radio', { name: /Order/ }).check();
  await page.getByLabel('Host names').fill('*.example.com');
  await page.getByRole('button', { name: 'Order certificate' }).click();
  await expect(page.getByText(/wildcards can’t be ordered/)).toBeVisible();
  await page.getByLabel('Host names').fill('www.example.com');
  await page.getByRole('button', { name: 'Order certificate' }).click();
  await expect(page.getByText(/www\.example\.com does not belong to this project/i)).toBeVisible();
  await expectAccessible(page);
  await open(page, `/projects/${tenant.slug}/network/certificates`, tenant.admin);
  await expect(page.getByRole('row', { name: /ending/ })).toContainText('Expiring');
});
