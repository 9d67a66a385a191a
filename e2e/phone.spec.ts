import type { Locator, Page } from '@playwright/test';
import { bearer, createInstance, expect, expectAccessible, open, test } from './support';

test.use({ viewport: { width: 390, height: 844 } });

/** In sight without scrolling sideways. */
async function expectInSight(page: Page, ...parts: Locator[]): Promise<void> {
  for (const part of parts) {
    await expect(part).toBeVisible();
    const box = await part.boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  const scrolled = page.getByRole('table').locator('xpath=..');
  expect(await scrolled.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBeLessThanOrEqual(0);
}

test('on a phone, rows of a list are stacked: name, status, key fact, price and menu are in sight', async ({
  page,
  tenant,
  request,
}) => {
  const headers = bearer(tenant.token);
  const name = `web-${'x'.repeat(90)}`;
  await createInstance(request, tenant, name);
  const volume = await request.post('/api/v1/storage/volumes', { headers, data: { name: 'data', size_gb: 2 } });
  expect(volume.status()).toBe(201);

  await open(page, `/projects/${tenant.slug}/compute/instances`, tenant.admin);
  const instance = page.getByRole('row', { name });
  await expectInSight(
    page,
    instance.getByRole('link', { name }),
    instance.getByText(/10\.\d+\.\d+\.\d+/),
    instance.locator('data'),
    instance.getByRole('button', { name: `Actions for ${name}` }),
  );
  await expect(instance.locator('td[data-label="Per month"]')).toContainText('$');
  await expectAccessible(page);

  await page.goto(`/projects/${tenant.slug}/storage/volumes`);
  const row = page.getByRole('row', { name: /data/ });
  await expectInSight(page, row.getByText('2 GB'), row.getByText('Available'), row.getByText('$0.16'));
  // Order stays at hand, and the arrow keys go from row to row.
  await expectInSight(page, page.getByRole('button', { name: 'Name' }));
  await expectAccessible(page);
});
