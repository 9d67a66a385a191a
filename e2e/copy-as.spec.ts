import { execFileSync } from 'node:child_process';
import type { Locator, Page } from '@playwright/test';
import { bearer, expect, expectAccessible, open, type Tenant, test } from './support';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

/** Chooses a format from the menu of the page or of a dialog, and returns the copied text. */
async function copied(page: Page, format: 'curl' | 'JavaScript', place: Page | Locator = page): Promise<string> {
  await place.getByRole('button', { name: 'Copy as' }).click();
  await page.getByRole('menuitem', { name: format }).click();
  await expect(page.getByText(`Copied as ${format}`).last()).toBeVisible();
  return page.evaluate(() => navigator.clipboard.readText());
}

/** Runs copied text as a reader does, and returns its output. */
function run(program: 'sh' | 'node', text: string, { token }: Tenant): string {
  const [file, ...args] = program === 'sh' ? ['sh', '-c'] : [process.execPath, '--input-type=module', '-e'];
  return execFileSync(file, [...args, text], {
    env: { ...process.env, NEPHELE_TOKEN: token, FORCE_COLOR: '0' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

test('a filled-in form is copied as a command with the same effect', async ({ page, tenant, request }) => {
  const names = [`it's "one" $HOME $(id) \`id\` \\ 1`, `it's "two" $HOME \${x} 2`];
  await open(page, `/projects/${tenant.slug}/storage/volumes/new`, tenant.admin);
  await page.getByRole('button', { name: 'Copy as' }).click();
  await page.getByRole('menuitem', { name: 'curl' }).click();
  await expect(page.getByText('Enter a name.')).toBeVisible();
  await page.getByLabel('Size').fill('1');
  await page.getByLabel('Name', { exact: true }).fill(names[0] ?? '');
  run('sh', await copied(page, 'curl'), tenant);
  await page.getByLabel('Name', { exact: true }).fill(names[1] ?? '');
  expect(run('node', await copied(page, 'JavaScript'), tenant)).toMatch(/^201 /);
  await expectAccessible(page);
  const volumes = await request.get('/api/v1/storage/volumes?sort=name', { headers: bearer(tenant.token) });
  expect((await volumes.json()).map(({ name, size_gb }: { name: string; size_gb: number }) => [name, size_gb])).toEqual(
    [
      [names[0], 1],
      [names[1], 1],
    ],
  );
});

test('a list is copied with its search, a resource and a form in a dialog by the id of the resource', async ({
  page,
  tenant,
  request,
}) => {
  for (const name of ['data', 'other']) {
    const made = await request.post('/api/v1/storage/volumes', {
      headers: bearer(tenant.token),
      data: { name, size_gb: 1 },
    });
    expect(made.status()).toBe(201);
  }
  const read = async (id: string) =>
    (await request.get(`/api/v1/storage/volumes/${id}`, { headers: bearer(tenant.token) })).json();
  await open(page, `/projects/${tenant.slug}/storage/volumes?search=dat`, tenant.admin);
  const rows = JSON.parse(run('sh', await copied(page, 'curl'), tenant));
  expect(rows.map(({ name }: { name: string }) => name)).toEqual(['data']);
  await page.getByRole('link', { name: 'data' }).click();
  await expect(page).toHaveTitle('data · Nephele');
  expect(JSON.parse(run('sh', await copied(page, 'curl'), tenant))).toMatchObject({ id: rows[0].id, name: 'data' });

  await page.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Resize' }).click();
  const dialog = page.getByRole('dialog', { name: 'Resize data' });
  await dialog.getByLabel('New size').fill('2');
  expect(run('node', await copied(page, 'JavaScript', dialog), tenant)).toMatch(/^20\d /);
  await expect.poll(async () => (await read(rows[0].id)).size_gb).toBe(2);
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('button', { name: 'Actions' })).toBeFocused();
});

test('the value of a secret is not copied with its form', async ({ page, tenant }) => {
  await open(page, `/projects/${tenant.slug}/security/secrets/new`, tenant.admin);
  await page.getByLabel('Name', { exact: true }).fill('db');
  await page.getByLabel('Value').fill('hunter2 hunter2');
  for (const format of ['curl', 'JavaScript'] as const) {
    const text = await copied(page, format);
    expect(text).not.toContain('hunter2');
    expect(text).not.toContain(tenant.token);
    expect(text).toContain('<payload>');
  }
});
