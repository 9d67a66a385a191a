import type { Page } from '@playwright/test';
import { PLATFORM_URL } from '@/lib/service-address';
import { bearer, expect, open, test, types } from './support';

/** A guest boots in seconds, but takes longer on a busy machine. */
const BOOT = { timeout: 180_000 };
const SOON = { timeout: 60_000 };

/** Whether a guest's web page can be reached. */
const isReached = (address: string) =>
  fetch(address, { signal: AbortSignal.timeout(2000) }).then(
    ({ ok }) => ok,
    () => false,
  );

test('the life of an instance: console, volume, snapshot, floating IP, rule, delete', async ({
  page,
  request,
  tenant,
}, info) => {
  test.setTimeout(900_000);
  const inProject = (path: string) => `/projects/${tenant.slug}${path}`;
  const show = async (name: string, of: Page) =>
    info.attach(name, { body: await of.screenshot(), contentType: 'image/png' });
  await open(page, inProject('/compute/instances'), tenant.admin);
  const main = page.getByRole('main');

  await test.step('create it from the tiny image', async () => {
    await page.getByRole('link', { name: 'Create instance' }).first().click();
    await page.getByRole('combobox', { name: 'Image' }).click();
    await page.getByRole('option', { name: /nephele-tiny/ }).click();
    await page.getByLabel('Name', { exact: true }).fill('journey');
    await page.getByRole('radio', { name: /nano/ }).check();
    await page.getByRole('button', { name: 'Create instance' }).click();
    await expect(page).toHaveTitle('journey · Nephele');
    await expect(main.getByText('Active').first()).toBeVisible(BOOT);
  });
  const instance = page.url();

  const terminal = await test.step('type a command in the console, and see its output', async () => {
    await page.getByRole('tab', { name: 'Console' }).click();
    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button', { name: 'Open serial terminal' }).click(),
    ]);
    await expect(popup.getByText('Connected', { exact: true }).first()).toBeVisible(SOON);
    await types(popup, 'echo $((6 * 7)) from $(hostname)', /42 from journey/);
    await show('terminal', popup);
    await popup.getByRole('tab', { name: 'Screen' }).click();
    await expect(
      popup.getByRole('tabpanel', { name: 'Screen' }).getByText('Connected', { exact: true }).first(),
    ).toBeVisible(SOON);
    await show('screen', popup);
    await popup.getByRole('tab', { name: 'Serial terminal' }).click();
    return popup;
  });

  await test.step('call the API from the guest', async () => {
    const call = `wget -qO- --header 'Authorization: Bearer ${tenant.token}' ${PLATFORM_URL}/compute/instances`;
    await types(terminal, `${call} | grep -o '"name":"[a-z]*"'`, /"name":"journey"/);
  });

  await test.step('attach a volume, and see it in the guest', async () => {
    await page.goto(inProject('/storage/volumes/new'));
    await page.getByLabel('Name', { exact: true }).fill('data');
    await page.getByLabel('Size').fill('1');
    await page.getByRole('button', { name: 'Create volume' }).click();
    await expect(main.getByText('Available').first()).toBeVisible(SOON);
    await page.getByRole('button', { name: 'Actions', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Attach', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: /^Attach/ });
    await dialog.getByRole('combobox', { name: 'Instance' }).click();
    await page.getByRole('option', { name: /journey/ }).click();
    await dialog.getByRole('button', { name: /^Attach/ }).click();
    await expect(main.getByText('In use').first()).toBeVisible(SOON);
    // The guest finds the disk a moment after it is plugged in.
    const size = '/sys/block/sda/size';
    await types(
      terminal,
      `until [ -e ${size} ]; do sleep 1; done; echo sda has $(cat ${size}) sectors`,
      /sda has 2097152 sectors/,
    );
  });

  await test.step('take a snapshot of it', async () => {
    await page.getByRole('link', { name: 'Create snapshot' }).click();
    await page.getByLabel('Name', { exact: true }).fill('before');
    await page.getByRole('button', { name: 'Create snapshot' }).click();
    await expect(page.getByRole('row', { name: /before/ })).toContainText('Available', SOON);
  });

  const address = await test.step('open its web page through a floating IP', async () => {
    await page.goto(`${instance}?tab=network`);
    await page.getByRole('tab', { name: 'Network' }).click();
    await page.getByRole('button', { name: 'Associate floating IP' }).click();
    const dialog = page.getByRole('dialog', { name: 'Associate a floating IP with journey' });
    await dialog.getByRole('button', { name: 'Associate' }).click();
    await expect(dialog).toHaveCount(0);
    await page.getByRole('tabpanel', { name: 'Network' }).getByRole('link', { name: 'default' }).first().click();
    const editor = page.getByRole('form', { name: 'Add rule' });
    await editor.getByRole('button', { name: 'HTTP', exact: true }).click();
    await editor.getByRole('button', { name: 'Add rule' }).click();
    await expect(page.getByRole('list', { name: 'Inbound rules' })).toContainText('TCP 80 (HTTP)');

    const [ip] = await (await request.get('/api/v1/network/floating-ips', { headers: bearer(tenant.token) })).json();
    const forward = ip.forwards.find(({ port }: { port: number }) => port === 80);
    const at = `http://${ip.address}:${forward?.host_port ?? 80}/`;
    await expect.poll(() => isReached(at), SOON).toBe(true);
    const visitor = await page.context().newPage();
    await visitor.goto(at);
    await expect(visitor.getByRole('heading', { name: 'journey' })).toBeVisible();
    await show('web page', visitor);
    await visitor.close();
    return at;
  });

  await test.step('block it by taking the rule away', async () => {
    await page.getByRole('button', { name: /^Remove rule: .* TCP 80/ }).click();
    await expect.poll(() => isReached(address), SOON).toBe(false);
  });

  await test.step('delete everything, and the quota is back to 0.0', async () => {
    await page.goto(instance);
    await page.getByRole('button', { name: 'Actions', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const machine = page.getByRole('alertdialog', { name: 'Delete journey?' });
    await machine.getByRole('textbox').fill('journey');
    await machine.getByRole('button', { name: 'Delete instance' }).click();
    await expect(page.getByRole('heading', { name: 'No instances yet' })).toBeVisible(BOOT);
    const serial = terminal.getByRole('tabpanel', { name: 'Serial terminal' });
    await expect(serial.getByText('Disconnected')).toBeVisible(SOON);

    await page.goto(inProject('/storage/snapshots'));
    await page.getByRole('button', { name: 'Actions for before' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete snapshot' }).click();
    await expect(page.getByRole('heading', { name: 'No snapshots yet' })).toBeVisible(SOON);

    await page.goto(inProject('/storage/volumes'));
    await page.getByRole('button', { name: 'Actions for data' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const volume = page.getByRole('alertdialog', { name: 'Delete data?' });
    await volume.getByRole('textbox').fill('data');
    await volume.getByRole('button', { name: 'Delete volume' }).click();
    await expect(page.getByRole('heading', { name: 'No volumes yet' })).toBeVisible(SOON);

    await page.goto(inProject(''));
    for (const name of ['vCPUs', 'Memory', 'Block storage', 'Instances', 'Volumes']) {
      await expect(page.getByRole('meter', { name })).toHaveAttribute('aria-valuetext', /^0 /);
    }
    const quota = await request.get('/api/v1/tenant/quota', { headers: bearer(tenant.token) });
    expect((await quota.text()).match(/"used":[0-9.]+/g)).toEqual(Array(9).fill('"used":0.0'));
  });
});
