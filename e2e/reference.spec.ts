import { readFile } from 'node:fs/promises';
import { expect, expectAccessible, open, test } from './support';

test('the API reference finds an endpoint by name and by path, and shows it in full', async ({ page }) => {
  await page.goto('/docs');
  await expect(page.getByRole('heading', { level: 1, name: 'API reference' })).toBeVisible();
  await page.getByRole('button', { name: 'Go to…' }).first().click();
  await page.getByRole('combobox').fill('POST /api/v1/storage/volumes');
  await page.getByRole('option').first().click();
  await expect(page).toHaveURL(/\/docs\/volumes#createVolume$/);
  const endpoint = page.getByRole('region', { name: /create a volume/i });
  await expect(endpoint).toBeInViewport();
  await expect(endpoint.getByText('/api/v1/storage/volumes').first()).toBeVisible();
  await expect(endpoint.getByText('size_gb', { exact: true }).first()).toBeVisible();
  await expect(endpoint.getByText('402 BUDGET_FROZEN')).toBeVisible();
  await expect(endpoint.getByRole('figure', { name: /^request/ })).toContainText("curl -X POST 'http");
});

test('without a sign-in or a token a trial request is refused, as for any program', async ({ page }) => {
  await page.goto('/docs/secrets');
  await page.getByRole('button', { name: 'Try it: List secrets' }).click();
  await page.getByRole('button', { name: 'Send request' }).click();
  const answer = page.getByRole('region', { name: 'Response' });
  await expect(answer).toContainText('401');
  await expect(answer).toContainText('UNAUTHENTICATED');
  await expect(answer.getByText('Request ID')).toBeVisible();
  await expectAccessible(page);
});

test('requests can be tried with the browser’s sign-in or with a token', async ({ page, tenant }) => {
  await open(page, `/projects/${tenant.slug}`, tenant.admin);
  await page.goto('/docs/secrets');
  await page.getByRole('button', { name: /^Try it: .*store a secret/i }).click();
  const sheet = page.getByRole('dialog');
  await sheet.getByRole('textbox', { name: 'Body' }).fill(JSON.stringify({ name: 'from-reference', payload: 'x' }));
  await sheet.getByRole('combobox', { name: 'type' }).click();
  await page.getByRole('option', { name: 'opaque' }).click();
  await expect(sheet.getByRole('textbox', { name: 'Body' })).toHaveValue(/"type": "opaque"/);
  await expect(sheet.getByRole('figure', { name: 'command' })).toContainText('"type": "opaque"');
  await sheet.getByRole('button', { name: 'Send request' }).click();
  const answer = page.getByRole('region', { name: 'Response' });
  await expect(answer).toContainText('201');
  await expect(answer).toContainText('"name": "from-reference"');
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: /^Try it: Read a secret/ }).click();
  await sheet.getByRole('combobox', { name: 'id' }).click();
  await page.getByRole('option', { name: 'from-reference' }).click();
  await sheet.getByRole('button', { name: 'Send request' }).click();
  await expect(answer).toContainText('200');
  await expect(answer).toContainText('"payload": "x"');
  await expectAccessible(page);
  await page.keyboard.press('Escape');

  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Try it: List secrets' }).click();
  await sheet.getByLabel('Token').fill(tenant.token);
  await sheet.getByRole('textbox', { name: 'limit' }).fill('1');
  await sheet.getByRole('combobox', { name: 'type' }).click();
  await page.getByRole('option', { name: 'opaque' }).click();
  await expect(sheet.getByRole('figure', { name: 'command' })).toContainText(
    '/api/v1/vault/secrets?type=opaque&limit=1',
  );
  await expect(sheet.getByRole('figure', { name: 'command' })).not.toContainText(tenant.token);
  await sheet.getByRole('button', { name: 'Send request' }).click();
  await expect(answer).toContainText('200');
  await expect(answer).toContainText('from-reference');
});

test('binary answers are downloaded, and a stream is shown until stopped', async ({ page, tenant }) => {
  await open(page, `/projects/${tenant.slug}`, tenant.admin);
  await page.goto('/docs/audit');
  await page.getByRole('button', { name: /^Try it: .*CSV/ }).click();
  await page.getByRole('button', { name: 'Send request' }).click();
  const downloading = page.waitForEvent('download');
  await page
    .getByRole('region', { name: 'Response' })
    .getByRole('link', { name: /^Download/ })
    .click();
  const file = await (await downloading).path();
  expect((await readFile(file, 'utf8')).split('\n')[0]).toContain('action');

  await page.goto('/docs/events');
  await page.getByRole('button', { name: /^Try it:/ }).click();
  await page.getByRole('button', { name: 'Send request' }).click();
  await expect(page.getByRole('region', { name: 'Response' }).getByRole('figure')).toBeVisible();
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect(page.getByRole('button', { name: 'Stop' })).toHaveCount(0);
  await expect(page.getByRole('region', { name: 'Response' })).toContainText('200');
});

test('an unknown group of the reference is not found', async ({ page }) => {
  const response = await page.goto('/docs/nothing');
  expect(response?.status()).toBe(404);
});
