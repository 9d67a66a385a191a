import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { settingNames } from '../lib/settings';
import { administrator } from '../lib/testing/accounts';
import { freePort } from '../lib/testing/loopback';
import { givePassword } from './backoffice-support';
import { expectAccessible, totpNow } from './support';

let platform: ChildProcess;
let dataDir: string;
let tenants: string;
let office: string;

const answers = (url: string) =>
  fetch(url, { redirect: 'manual' }).then(
    ({ status }) => status,
    () => 0,
  );

test.beforeAll(async () => {
  test.setTimeout(240_000);
  dataDir = mkdtempSync(join(tmpdir(), 'nephele-e2e-'));
  chmodSync(dataDir, 0o711);
  const [port, officePort] = [await freePort(), await freePort()];
  tenants = `http://localhost:${port}`;
  office = `http://localhost:${officePort}`;
  platform = spawn(process.execPath, ['lib/runtime/start.mjs'], {
    env: {
      ...process.env,
      ...Object.fromEntries(settingNames.map((name) => [name, ''])),
      DATA_DIR: dataDir,
      PORT: String(port),
      LOG_LEVEL: 'warn',
      BACKOFFICE_LISTEN: `127.0.0.1:${officePort}`,
      ADMIN_REQUIRE_TOTP: 'true',
      BOOTSTRAP_ADMIN_PASSWORD: administrator.password,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  await expect.poll(() => answers(`${tenants}/readyz`), { timeout: 200_000 }).toBe(200);
});

test.afterAll(async () => {
  platform.kill('SIGTERM');
  if (platform.exitCode === null) await once(platform, 'exit');
  rmSync(dataDir, { recursive: true });
});

test('a back office with its own address asks for a second factor first', async ({ page }) => {
  test.setTimeout(180_000);
  expect(await answers(`${tenants}/admin/sign-in`), 'tenants do not reach it').toBe(404);

  await page.goto(office);
  await expect(page).toHaveURL(`${office}/admin/sign-in`);
  await givePassword(page, administrator);
  await expect(page).toHaveURL(`${office}/admin/second-factor`);
  await expect(page).toHaveTitle('Set up two-factor authentication · Nephele back office');
  await expectAccessible(page);
  await page.goto(`${office}/admin/tenants?status=active`);
  await expect(page).toHaveURL(`${office}/admin/second-factor?back=%2Fadmin%2Ftenants%3Fstatus%3Dactive`);

  await page.getByRole('button', { name: 'Set up two-factor authentication' }).click();
  const secret = (await page.getByText(/^[A-Z2-7]{16,}$/).textContent()) ?? '';
  await page.getByLabel('Code').fill(totpNow(secret));
  await page.getByRole('button', { name: 'Activate' }).click();
  await expect(page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')).toHaveCount(10);
  await expectAccessible(page);
  await page.getByLabel('I have saved them').check();
  await page.getByRole('button', { name: 'Done' }).click();
  await expect(page).toHaveURL(`${office}/admin/tenants?status=active`);
  await expect(page.getByRole('row', { name: /demo/i })).toBeVisible();

  await page.goto(`${office}/admin/account`);
  await page.getByRole('button', { name: 'Turn off' }).click({ force: true });
  await expect(page.getByLabel('Code')).toBeHidden();
  await expect(page.getByText('Required for administrators.')).toBeAttached();
});
