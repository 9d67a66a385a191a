import { readFile } from 'node:fs/promises';
import type { APIRequestContext, Page } from '@playwright/test';
import { addPerson, bearer, expect, expectAccessible, open, type Tenant, test } from './support';

/** Creates a secret twice: one entry of the audit log succeeds, the other is refused. */
async function leaveEntries(request: APIRequestContext, { token }: Tenant, name: string): Promise<void> {
  const data = { name, type: 'opaque', payload: 'CANARY-payload' };
  for (let count = 0; count < 2; count += 1)
    await request.post('/api/v1/vault/secrets', { headers: bearer(token), data });
}

/** The lines that are visible. */
const lines = (page: Page) => page.getByRole('log').getByRole('button', { expanded: false });

/** Refreshes until the log has the lines of entries that were just written. */
async function expectLines(page: Page, text: RegExp, count: number): Promise<void> {
  await expect(async () => {
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect(lines(page).filter({ hasText: text })).toHaveCount(count, { timeout: 2000 });
  }).toPass();
}

test('a line is found by filters, its fields become filters, and the address brings others to the same lines', async ({
  page,
  tenant,
  request,
  otherBrowser,
}) => {
  await leaveEntries(request, tenant, 'found-by-filters');
  await open(page, `/projects/${tenant.slug}/observability/logs`, tenant.admin);
  await expect(page).toHaveTitle('Logs · Nephele');
  await expectLines(page, /secret\.create/, 2);
  await expectAccessible(page);

  await page.getByRole('combobox', { name: 'Level' }).click();
  await page.getByRole('option', { name: 'warn' }).click();
  await expect(lines(page).filter({ hasText: 'secret.create' })).toHaveCount(1);
  await expect(page.getByRole('textbox', { name: 'LogQL query' })).toContainText('level="warn"');
  await page.getByLabel('Text').fill('CONFLICT');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/CONFLICT/);
  await expect(lines(page)).toHaveCount(1);

  await lines(page).first().press('Enter');
  await page.getByRole('button', { name: 'Filter for status 409' }).click();
  await expect(page.getByRole('textbox', { name: 'LogQL query' })).toContainText('| json | status="409"');
  await expect(page.getByRole('log')).toContainText('secret.create');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Filter out action secret.create' }).click();
  await expect(page.getByRole('heading', { name: 'No lines found' })).toBeVisible();

  const other = await otherBrowser();
  await open(other, page.url(), tenant.admin);
  await expect(other.getByRole('textbox', { name: 'LogQL query' })).toContainText('| action!="secret.create"');
});

test('a wrong query is refused at its position, and an example starts from an empty result', async ({
  page,
  tenant,
}) => {
  await open(
    page,
    `/projects/${tenant.slug}/observability/logs?query=${encodeURIComponent('{service="ai"}')}`,
    tenant.admin,
  );
  await expect(page.getByRole('heading', { name: 'No lines found' })).toBeVisible();
  const query = page.getByRole('textbox', { name: 'LogQL query' });
  await query.fill('{service="audit"} | jsn');
  await query.press('Enter');
  await expect(page.getByRole('alert').filter({ hasText: /Line 1, column \d+/ })).toBeVisible();
  await expectAccessible(page);
});

test('the query field completes labels and their values', async ({ page, tenant, request }) => {
  await leaveEntries(request, tenant, 'completed');
  await open(page, `/projects/${tenant.slug}/observability/logs`, tenant.admin);
  await expectLines(page, /secret\.create/, 2);
  const query = page.getByRole('textbox', { name: 'LogQL query' });
  await query.fill('{');
  await query.pressSequentially('serv');
  await page.getByRole('option', { name: 'service' }).click();
  await query.pressSequentially('="aud');
  await page.getByRole('option', { name: 'audit' }).click();
  await expect(query).toContainText('{service="audit');
});

test('lines are downloaded as text and JSON, and shown with the lines around them', async ({
  page,
  tenant,
  request,
}) => {
  await leaveEntries(request, tenant, 'downloaded');
  await open(
    page,
    `/projects/${tenant.slug}/observability/logs?query=${encodeURIComponent('{level="warn"}')}`,
    tenant.admin,
  );
  await expectLines(page, /secret\.create/, 1);
  const saved = async (form: string) => {
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    await page.getByRole('menuitem', { name: form }).click();
    return readFile(await (await download).path(), 'utf8');
  };
  expect(await saved('Text')).toMatch(/^\d{4}-\d\d-\d\dT\S+Z warn \{.*"secret\.create"/m);
  const [line] = JSON.parse(await saved('JSON'));
  expect(line.labels).toMatchObject({ service: 'audit', level: 'warn' });

  await lines(page).filter({ hasText: 'secret.create' }).click();
  await page.getByRole('button', { name: 'Show context' }).click();
  const context = page.getByRole('dialog', { name: 'Context' });
  // Its source has lines of other levels.
  await expect(context.getByRole('log').getByRole('button', { name: /info.*secret\.create/ })).toBeVisible();
  await expectAccessible(page);
});

test('a link to a line opens the explorer with that line in view and marked', async ({
  page,
  tenant,
  request,
  otherBrowser,
}) => {
  for (let count = 0; count < 20; count += 1) await leaveEntries(request, tenant, `linked-${count}`);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  // Newest first, the line is outside the view.
  await open(page, `/projects/${tenant.slug}/observability/logs?order=oldest`, tenant.admin);
  await expectLines(page, /"linked-3"/, 2);
  await lines(page).filter({ hasText: '"linked-3"' }).first().click();
  await page.getByRole('button', { name: 'Copy link' }).click();
  const link = await page.evaluate(() => navigator.clipboard.readText());

  const other = await otherBrowser();
  await open(other, link, tenant.admin);
  const marked = other.locator('[aria-current="true"]');
  await expect(marked).toContainText('"linked-3"');
  await expect(marked).toBeInViewport();
  await expect(marked).toHaveCount(1);
  await expectAccessible(other);
  await other.getByRole('button', { name: 'Show all lines' }).click();
  await expect(other).not.toHaveURL(/line=/);
  await expect(marked).toHaveCount(0);

  await open(other, link.replace(/-[0-9a-f]{8}$/, '-00000000'), tenant.admin);
  await expect(other.getByText('The linked line was not found.')).toBeVisible();
});

test('a custom time range is entered in local time, shown in UTC and kept in the address', async ({ page, tenant }) => {
  await open(page, `/projects/${tenant.slug}/observability/logs`, tenant.admin);
  await page.getByRole('button', { name: 'Custom' }).click();
  const popup = page.getByRole('dialog', { name: 'Custom time range' });
  await popup.getByLabel('From').fill('2026-03-01T10:00:00');
  await popup.getByLabel('To').fill('2026-03-01T09:00:00');
  await popup.getByRole('button', { name: 'Apply' }).click();
  await expect(popup.getByText('Enter a start and a later end.')).toBeVisible();
  await popup.getByLabel('To').fill('2026-03-01T11:30:00');
  const local = await page.evaluate(() => new Date('2026-03-01T10:00:00').getTime());
  await expect(popup.getByText(`${new Date(local).toISOString().slice(11, 19)} UTC`)).toBeVisible();
  await expectAccessible(page);
  await popup.getByRole('button', { name: 'Apply' }).click();
  await expect(page).toHaveURL(new RegExp(`from=${local}&to=${local + 5_400_000}`));
  await expect(page.getByRole('button', { name: '1 Mar, 10:00 – 11:30' })).toBeVisible();
  await page.getByRole('button', { name: 'Reset' }).click();
  await expect(page).not.toHaveURL(/from=/);
});

test('new lines appear live, and a pause holds them back', async ({ page, tenant, request }) => {
  await open(page, `/projects/${tenant.slug}/observability/logs?live=on`, tenant.admin);
  const live = page.getByRole('log', { name: /^Live lines/ });
  await expect(page.getByText('Waiting for new lines')).toBeVisible();
  await leaveEntries(request, tenant, 'first-secret');
  await expect(live.getByText(/first-secret/)).not.toHaveCount(0);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Pause' }).click();
  await leaveEntries(request, tenant, 'second-secret');
  await expect(page.getByText(/Paused, [1-9]\d* new line/)).toBeVisible();
  await expect(live.getByText(/second-secret/)).toHaveCount(0);
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect(live.getByText(/second-secret/)).not.toHaveCount(0);
});

test('a reader sees no lines of the audit log', async ({ page, tenant, request }) => {
  const reader = await addPerson(request, tenant, 'reader');
  await open(page, `/projects/${tenant.slug}/observability/logs`, reader);
  await expect(page.getByRole('heading', { name: 'No lines found' })).toBeVisible();
});
