import type { Page } from '@playwright/test';
import { bearer, expect, expectAccessible, open, test } from './support';

/** Members start in seconds, but their program may have to be fetched first. */
const START = { timeout: 240_000 };

const engines = [
  {
    engine: 'valkey',
    label: 'Valkey',
    from: '8.1',
    to: '9.1',
    members: /^2 members/,
    secret: 'password',
    tab: 'Node.js',
    snippet: "import { Redis } from 'ioredis'",
  },
  {
    engine: 'mysql',
    label: 'MariaDB',
    from: '10.11',
    to: '11.8',
    members: /^1 member/,
    secret: 'password',
    tab: 'mariadb',
    snippet: '--ssl-ca=orders-ca.pem --ssl-verify-server-cert',
  },
  {
    engine: 'qdrant',
    label: 'Qdrant',
    from: '0.8',
    to: '0.9',
    members: /^1 member/,
    secret: 'API key',
    tab: 'curl',
    snippet: 'curl --cacert orders-ca.pem',
  },
] as const;

const phone = { width: 390, height: 844 };
const next = (page: Page) => page.getByRole('button', { name: 'Continue' }).click();

/** Looks at the page on a phone, in both themes. */
async function look(page: Page): Promise<void> {
  await page.setViewportSize(phone);
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth), 'fits a phone').toBeLessThanOrEqual(
    phone.width,
  );
  await page.setViewportSize({ width: 1280, height: 900 });
}

for (const { engine, label, from, to, members, secret, tab, snippet } of engines) {
  test(`a ${label} cluster is created in the wizard, upgraded from ${from} to ${to}, rolled back and deleted`, async ({
    page,
    tenant,
    request,
  }) => {
    test.setTimeout(600_000);
    const read = async () =>
      (await request.get(`/api/v1/dbaas/${engine}/default/orders`, { headers: bearer(tenant.token) })).json();
    const clusters = `/projects/${tenant.slug}/databases/clusters`;
    await open(page, `${clusters}/new`, tenant.admin);
    await page.getByRole('radio', { name: new RegExp(`^${label}`) }).check();
    await next(page);
    await page.getByRole('radio', { name: new RegExp(`^${label} ${from.replace('.', '\\.')}`) }).check();
    await page.getByLabel('Name', { exact: true }).fill('orders');
    await look(page);
    await next(page);
    await page.getByRole('radio', { name: members }).check();
    await page.getByRole('combobox', { name: 'Size of each member' }).click();
    await page.getByRole('option', { name: /^1 vCPU, 1 GB/ }).click();
    await page.getByLabel('Storage of each member').fill('2');
    await expect(page.getByRole('region', { name: 'Price' })).toContainText('per month');
    await next(page);
    await page.setViewportSize(phone);
    await next(page);
    await expect(page.getByRole('button', { name: 'Review' })).toBeInViewport();
    await expect(page.getByRole('main')).toContainText(`${label} ${from}`);
    await look(page);
    await page.getByRole('button', { name: 'Create cluster' }).click();

    const credentials = page.getByRole('region', { name: 'Credentials' });
    await credentials.getByRole('button', { name: `Show ${secret}` }).click();
    await expect(credentials.locator('code').last()).toHaveText(/^\S{12,}$/);
    await expect(page.getByText('orders is available.')).toBeVisible(START);
    await page.getByRole('tab', { name: tab }).click();
    await expect(page.getByRole('figure', { name: `${tab} snippet` })).toContainText(snippet);
    await look(page);
    await page.getByRole('link', { name: 'View orders' }).click();
    await expect(page).toHaveTitle('orders · Nephele');

    await page.getByRole('tab', { name: 'Upgrades' }).click();
    await page.getByRole('link', { name: 'Upgrade', exact: true }).click();
    await expect(page.getByRole('radio', { name: new RegExp(`^${label} ${to.replace('.', '\\.')}`) })).toBeChecked();
    await look(page);
    await next(page);
    await expect(page.getByRole('status').filter({ hasText: /^Ready/ })).toBeVisible(START);
    const checks = page.getByRole('main').locator('ol > li');
    for (const check of ['Certified path', 'Cluster health', 'Fresh backup', 'Capacity', 'Compatibility'])
      await expect(checks.filter({ hasText: check })).toContainText(/Passed|Warning/);
    await look(page);
    await next(page);
    await expect(page.getByRole('main')).toContainText('Only the serving members are billed');
    await page.getByRole('button', { name: `Upgrade to ${to}` }).click();

    const progress = page.getByRole('region', { name: 'Progress' });
    const stages = page.getByRole('listitem');
    await expect(progress).toContainText(`${label} ${from}`);
    // Nothing is loaded anew from here on: each stage comes to the open page.
    await expect(stages.filter({ hasText: /in progress/ })).toHaveCount(1);
    await expect(progress.getByText('Completed')).toBeVisible(START);
    for (const stage of ['Preflight', 'Backup', 'Provisioning', 'Replicating', 'Switching over', 'Verifying'])
      await expect(stages.filter({ hasText: `${stage}, done` })).toBeVisible();
    const pause = page.getByText(/^Pauses? for clients$/).locator('..');
    await expect(pause).toContainText(/\d ms$/);
    expect(await read()).toMatchObject({ version: to, status: 'available' });
    await look(page);

    await page.getByRole('button', { name: `Roll back to ${from}` }).click();
    const question = page.getByRole('alertdialog', { name: `Roll orders back to ${from}?` });
    await expect(question).toContainText(`What was written on version ${to} is kept.`);
    await question.getByRole('button', { name: `Roll back to ${from}` }).click();
    await expect(progress.getByText('Rolled back')).toBeVisible(START);
    await expect(pause).toContainText(/\d ms, back [\d,]+ ms$/);
    expect(await read()).toMatchObject({ version: from, status: 'available' });
    await look(page);

    await page.goto(`${clusters}/${engine}/default/orders`);
    await page.getByRole('button', { name: 'Actions', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const remove = page.getByRole('alertdialog', { name: 'Delete orders?' });
    await remove.getByRole('textbox').fill('orders');
    await remove.getByRole('button', { name: 'Delete cluster' }).click();
    await expect(page.getByRole('heading', { name: 'No database clusters yet' })).toBeVisible(START);
  });
}
