import type { Page } from '@playwright/test';
import { zipOf } from '../lib/testing/hostile-zip';
import { bearer, expect, expectAccessible, open, type Tenant, test } from './support';

/** The first start of a runtime may have to fetch its program. */
const START = { timeout: 240_000 };

const list = (tenant: Tenant, name = 'functions') => `/projects/${tenant.slug}/serverless/${name}`;

/** Replaces everything in an editor. */
async function write(page: Page, label: string, text: string) {
  const editor = page.getByLabel(label, { exact: true });
  await editor.click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
}

const outcome = (page: Page) => page.getByRole('region', { name: 'Outcome' });

async function invoke(page: Page) {
  await page.getByRole('button', { name: 'Invoke' }).click();
}

const working = `def handler(event, context):
    print("counting", event["word"])
    return {"letters": len(event["word"])}
`;
const broken = `def handler(event, context):
    return {"letters": len(event["sentence"])}
`;

test('a function is written, deployed, invoked, broken, mended by its stack, compared and rolled back', async ({
  page,
  tenant,
}) => {
  await open(page, list(tenant), tenant.admin);
  await expect(page.getByRole('heading', { name: 'No functions yet' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Create function' }).first().click();
  await expect(page).toHaveTitle('Create function · Nephele');
  await page.getByLabel('Name', { exact: true }).fill('letters');
  await expect(page.getByRole('radio', { name: /Node.js 20/ })).toBeDisabled();
  await expect(page.getByRole('meter', { name: 'Functions' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create function' }).click();

  await expect(page).toHaveTitle('letters · Nephele');
  await expect(page.getByText('Active', { exact: true }).first()).toBeVisible(START);
  await expect(page.getByLabel('Function code', { exact: true })).toContainText('def handler');
  await invoke(page);
  await expect(outcome(page).getByText('Succeeded', { exact: true })).toBeVisible(START);
  await expect(outcome(page).getByText('Hello, Ada!')).toBeVisible();
  await expect(outcome(page).getByText('Greeting Ada')).toBeVisible();

  await write(page, 'Event payload', '{"word": "nephele"}');
  await write(page, 'Function code', working);
  await expect(page.getByText('Changes not deployed')).toBeVisible();
  await page.keyboard.press('ControlOrMeta+s');
  await expect(page.getByRole('region', { name: 'Editor' }).getByText('Version 2', { exact: true })).toBeVisible(START);
  await invoke(page);
  await expect(outcome(page).getByText('"letters": 7')).toBeVisible();
  await expect(outcome(page).getByText('counting nephele')).toBeVisible();
  await expectAccessible(page);

  await write(page, 'Function code', broken);
  await page.getByRole('button', { name: 'Deploy', exact: true }).click();
  await expect(page.getByRole('region', { name: 'Editor' }).getByText('Version 3', { exact: true })).toBeVisible(START);
  await invoke(page);
  await expect(outcome(page).getByText('Failed', { exact: true })).toBeVisible();
  await expect(outcome(page).getByRole('figure', { name: 'stack' })).toContainText('line 2, in handler');
  await expect(outcome(page).getByText("KeyError: 'sentence'").first()).toBeVisible();
  await expectAccessible(page);

  await page.getByRole('tab', { name: 'Versions' }).click();
  await expect(page.getByRole('row', { name: /3\s+Current/ })).toBeVisible();
  await page.getByRole('button', { name: 'Actions for version 2' }).click();
  await page.getByRole('menuitem', { name: 'Compare with current' }).click();
  const diff = page.getByRole('dialog');
  await expect(diff.getByText('sentence')).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Actions for version 2' }).click();
  await page.getByRole('menuitem', { name: 'Roll back' }).click();
  await page.getByRole('button', { name: 'Roll back' }).click();
  await expect(page.getByRole('row', { name: /4\s+Current/ })).toContainText('Rolled back to 2');

  await page.getByRole('tab', { name: 'Code' }).click();
  await expect(page.getByLabel('Function code', { exact: true })).toContainText('event["word"]');
  await invoke(page);
  await expect(outcome(page).getByText('"letters": 7')).toBeVisible();

  await page.getByRole('tab', { name: 'Invocations' }).click();
  await expect(page.getByRole('row', { name: /Failed/ })).toHaveCount(1);
  await page
    .getByRole('row', { name: /Failed/ })
    .getByRole('button')
    .first()
    .click();
  await expect(page.getByRole('dialog').getByText('KeyError').first()).toBeVisible();
  await expectAccessible(page);
});

const archive = (seconds: number) =>
  zipOf([
    { name: 'words.py', content: 'WORD = "nephele"\n' },
    {
      name: 'main.py',
      content: `import time
from words import WORD
def handler(event, context):
    print("begun with", WORD)
    time.sleep(${seconds})
    return {"word": WORD, "seconds": ${seconds}}
`,
    },
  ]);
const zip = (buffer: Buffer, name = 'code.zip') => ({ name, mimeType: 'application/zip', buffer });

test('a function begins as an archive on a network of the project, shows its lines while it runs, and takes another archive', async ({
  page,
  tenant,
  request,
}) => {
  await open(page, `${list(tenant)}/new`, tenant.admin);
  await page.getByLabel('Name', { exact: true }).fill('zipped');
  await page.getByRole('radio', { name: /^Zip archive/ }).check();
  const file = page.getByLabel('Archive', { exact: true });
  await file.setInputFiles(zip(Buffer.from('x = 1'), 'main.py'));
  await expect(page.getByText('This is not a zip file.')).toBeVisible();
  await file.setInputFiles(zip(archive(8)));
  await expect(page.getByText(/^code\.zip, /)).toBeVisible();
  await expect(page.getByText('This is not a zip file.')).toBeHidden();
  await page.getByRole('radio', { name: /^Project network/ }).check();
  await page.getByRole('combobox', { name: 'On network' }).click();
  await page.getByRole('option').first().click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create function' }).click();

  await expect(page).toHaveTitle('zipped · Nephele');
  await expect(page.getByText('Active', { exact: true }).first()).toBeVisible(START);
  await expect(page.getByText('words.py', { exact: true })).toBeVisible();
  const log = page.getByRole('region', { name: 'Live log' });
  await expect(log.getByText('Waiting for new lines')).toBeVisible();
  const headers = bearer(tenant.token);
  const [{ id, network }] = await (await request.get('/api/v1/functions', { headers })).json();
  expect(network).toBe('project');
  let hasEnded = false;
  const running = request.post(`/api/v1/functions/${id}/invoke`, { headers, data: { payload: {} }, ...START });
  const end = running.then(() => {
    hasEnded = true;
  });
  await expect(log.getByText('begun with nephele')).toBeVisible();
  expect(hasEnded).toBe(false);
  await end;
  expect((await (await running).json()).result).toEqual({ word: 'nephele', seconds: 8 });
  await expect(log.getByText(/REPORT RequestId/)).toBeVisible();
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Upload archive' }).click();
  const dialog = page.getByRole('dialog');
  const upload = dialog.getByLabel('Archive', { exact: true });
  await upload.setInputFiles(zip(Buffer.from('no zip at all')));
  await dialog.getByRole('button', { name: 'Deploy archive' }).click();
  await expect(upload).toHaveAttribute('aria-invalid', 'true');
  await expectAccessible(page);
  await upload.setInputFiles(zip(archive(0)));
  await dialog.getByRole('button', { name: 'Deploy archive' }).click();
  await expect(page.getByText('Version 2 is being deployed')).toBeVisible();
  await expect(dialog).toBeHidden();
  await invoke(page);
  await expect(outcome(page).getByText('"seconds": 0')).toBeVisible(START);
  await page.getByRole('tab', { name: 'Configuration' }).click();
  await expect(page.getByRole('radio', { name: /^Project network/ })).toBeChecked();
});

test('configuration, variables, URL and schedule of a function are deployed from the page', async ({
  page,
  tenant,
  request,
}) => {
  const headers = bearer(tenant.token);
  const secret = await request.post('/api/v1/vault/secrets', {
    headers,
    data: { name: 'greeting', type: 'passphrase', payload: 'bonjour' },
  });
  expect(secret.status()).toBe(201);
  const code = `import os
def handler(event, context):
    return [os.environ["PLAIN"], os.environ["GREETING"], context.memory_limit_in_mb]
`;
  const created = await request.post('/api/v1/functions', {
    headers,
    data: { name: 'settings', template_id: 'python3.11', code, env: { PLAIN: 'kept' } },
  });
  expect(created.status()).toBe(201);
  const { id } = await created.json();
  await open(page, `${list(tenant)}/${id}?tab=configuration`, tenant.admin);
  await page.getByLabel('Memory', { exact: true }).fill('256');
  await page.getByRole('button', { name: 'Add variable' }).click();
  await page.getByLabel('Name of variable 2').fill('GREETING');
  await page.getByRole('combobox', { name: 'Source of GREETING' }).click();
  await page.getByRole('option', { name: 'Secret' }).click();
  await page.getByRole('combobox', { name: 'Secret of GREETING' }).click();
  await page.getByRole('option', { name: 'greeting' }).click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Deploy configuration' }).click();
  await expect(page.getByText('Version 2 is being deployed')).toBeVisible();

  await page.getByRole('tab', { name: 'Triggers' }).click();
  await page.getByRole('combobox', { name: 'Who may call it' }).click();
  await page.getByRole('option', { name: /Everyone/ }).click();
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect(page.getByText(/^curl http/)).toBeVisible(START);
  await page.getByRole('button', { name: 'Daily' }).click();
  await page.getByRole('button', { name: 'Start schedule' }).click();
  await expect(page.getByText('Next run')).toBeVisible(START);
  await expectAccessible(page);

  const invoked = await request.post(`/api/v1/functions/${id}/invoke`, { headers, data: { payload: {} }, ...START });
  expect((await invoked.json()).result).toEqual(['kept', 'bonjour', '256']);
  await page.getByRole('tab', { name: 'Metrics' }).click();
  await expect(page.getByRole('heading', { name: 'Cold starts' })).toBeVisible();
  await expectAccessible(page);
});

test('a layer is built from requirements, used by a function, shared with everyone and taken back', async ({
  page,
  tenant,
  request,
}) => {
  const headers = bearer(tenant.token);
  await open(page, list(tenant, 'layers'), tenant.admin);
  await expect(page.getByRole('heading', { name: 'No layers yet' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Create layer' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('clients');
  await page.getByRole('button', { name: 'Create layer' }).click();
  await expect(page).toHaveTitle('clients · Nephele');
  await page.getByRole('button', { name: 'Publish version' }).first().click();
  await page.getByRole('textbox', { name: 'Packages' }).fill('requests==2.32.3');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Build version' }).click();
  await expect(page.getByRole('row', { name: /1 .*requests==2.32.3/ })).toContainText('Ready', START);
  await page
    .getByRole('row', { name: /requests==2.32.3/ })
    .getByRole('button')
    .first()
    .click();
  const sheet = page.getByRole('dialog');
  await expect(sheet.getByText(/Successfully installed/)).toBeVisible();
  await expect(sheet.getByRole('figure', { name: 'lockfile' })).toContainText('requests==2.32.3 --hash=sha256:');
  await expectAccessible(page);
  await page.keyboard.press('Escape');

  const code = `import requests
def handler(event, context):
    return requests.__version__
`;
  const created = await request.post('/api/v1/functions', {
    headers,
    data: { name: 'layered', template_id: 'python3.11', code },
  });
  const { id } = await created.json();
  await page.goto(`${list(tenant)}/${id}?tab=configuration`);
  await page
    .getByRole('button', { name: 'Add a layer' })
    .or(page.getByRole('combobox', { name: 'Add a layer' }))
    .click();
  await page.getByRole('option', { name: /clients, version 1/ }).click();
  await page.getByRole('button', { name: 'Deploy configuration' }).click();
  await expect(page.getByText('Version 2 is being deployed')).toBeVisible();
  await page.getByRole('tab', { name: 'Code' }).click();
  await invoke(page);
  await expect(outcome(page).getByRole('figure', { name: 'result' })).toContainText('2.32.3', START);

  await page.goto(list(tenant, 'layers'));
  await page.getByRole('link', { name: 'clients' }).click();
  await page.getByRole('tab', { name: 'Sharing' }).click();
  await page.getByRole('button', { name: 'Make public' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Make public' }).click();
  await expect(page.getByText('Every project of the platform can use this layer.')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Stop sharing' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Stop sharing' }).click();
  await expect(page.getByText('Only the projects below can use this layer.')).toBeVisible();
});

test('rates that arrive after the functions are shown in the list', async ({ page, request, tenant }) => {
  const answer = await request.post('/api/v1/functions', {
    headers: bearer(tenant.token),
    data: { name: 'busy', template_id: 'python3.11', code: working },
  });
  const { id } = await answer.json();
  let shown = () => {};
  const isShown = new Promise<void>((resolve) => {
    shown = resolve;
  });
  await page.route('**/query_range?*', async (route) => {
    await isShown;
    const count = route.request().url().includes('succeeded') ? '15' : '60';
    const result = [{ metric: { resource_id: id }, values: [[Math.floor(Date.now() / 1000), count]] }];
    await route.fulfill({ json: { status: 'success', data: { resultType: 'matrix', result } } });
  });
  await open(page, list(tenant), tenant.admin);
  const row = page.getByRole('row', { name: /busy/ });
  // From here on the row itself stays as it is.
  await expect(row).toContainText('Active', START);
  shown();
  await expect(row).toContainText('4.0/min');
  await expect(row).toContainText('25%');
});
