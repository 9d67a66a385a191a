import type { APIRequestContext, Page } from '@playwright/test';
import pg from 'pg';
import { SERVICE_S3_URL } from '@/lib/service-address';
import { psqlBundle } from '@/lib/testing/psql-bundle';
import {
  bearer,
  createInstance,
  expect,
  expectAccessible,
  open,
  openConsole,
  type Tenant,
  test,
  types,
} from './support';

/** Members start in seconds, but their program may have to be fetched first. */
const START = { timeout: 240_000 };

const list = (tenant: Tenant) => `/projects/${tenant.slug}/databases/clusters`;
const next = (page: Page) => page.getByRole('button', { name: 'Continue' }).click();

/** Opens the default security group to PostgreSQL clients from everywhere. */
async function allowPostgres(request: APIRequestContext, headers: Record<string, string>): Promise<void> {
  const [group] = await (await request.get('/api/v1/network/security-groups', { headers })).json();
  const rule = { direction: 'ingress', protocol: 'tcp', port_range_min: 5432, cidr: '0.0.0.0/0' };
  const answer = await request.post(`/api/v1/network/security-groups/${group.id}/rules`, { headers, data: rule });
  expect(answer.status()).toBe(201);
}

/** Reads a cluster of the namespace "default". */
async function read(request: APIRequestContext, { token }: Tenant, name: string) {
  const answer = await request.get(`/api/v1/dbaas/postgres/default/${name}`, { headers: bearer(token) });
  return answer.json();
}

/** A client at the cluster's floating IP that verifies its certificate. */
async function connect(request: APIRequestContext, tenant: Tenant, name: string, password: string): Promise<pg.Client> {
  const { floating_ip, endpoint, username, database } = await read(request, tenant, name);
  const headers = bearer(tenant.token);
  const [{ forwards }] = await (await request.get('/api/v1/network/floating-ips', { headers })).json();
  const forward = forwards.find(({ port }: { port: number }) => port === endpoint.port);
  const client = new pg.Client({
    host: floating_ip,
    port: forward?.host_port ?? endpoint.port,
    user: username,
    database,
    password,
    ssl: { ca: endpoint.ca_certificate },
    connectionTimeoutMillis: 10_000,
  });
  // A connection that ends is an error of its next query.
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Uploads an archive for the tenant's machines. @returns its URL inside the tenant's networks */
async function share(request: APIRequestContext, tenant: Tenant, archive: Buffer): Promise<string> {
  const headers = bearer(tenant.token);
  const bucket = `programs-${tenant.slug}`;
  expect((await request.post('/api/v1/storage/buckets', { headers, data: { name: bucket } })).status()).toBe(201);
  const presign = `/api/v1/storage/buckets/${bucket}/objects/presign`;
  const { url } = await (await request.post(presign, { headers, data: { key: 'psql.tar.gz', method: 'PUT' } })).json();
  expect((await request.put(url, { data: archive })).status()).toBe(200);
  const everyone = { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: `arn:aws:s3:::${bucket}/*` };
  const policy = JSON.stringify({ Version: '2012-10-17', Statement: [everyone] });
  const changed = await request.patch(`/api/v1/storage/buckets/${bucket}`, { headers, data: { policy } });
  expect(changed.status(), await changed.text()).toBe(200);
  return `${SERVICE_S3_URL}/${bucket}/psql.tar.gz`;
}

/** The value of a field of new credentials. */
async function shown(page: Page, label: string): Promise<string> {
  const credentials = page.getByRole('region', { name: 'Credentials' });
  await credentials.getByRole('button', { name: `Show ${label}` }).click();
  return (await credentials.locator('code').last().textContent()) ?? '';
}

/** Looks at the page on a wide screen and on a phone. */
async function look(page: Page): Promise<void> {
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page);
  await page.setViewportSize({ width: 1280, height: 900 });
}

test('the wizard of a new cluster begins at its first choice', async ({ page, tenant }) => {
  await open(page, `${list(tenant)}/new`, tenant.admin);
  await expect(page.getByRole('radio', { checked: true })).toBeFocused();
});

test('a PostgreSQL cluster is created in the wizard, used from the console of a machine, failed over, scaled, upgraded, rolled back and deleted', async ({
  page,
  tenant,
  request,
}) => {
  test.setTimeout(900_000);
  const headers = bearer(tenant.token);
  await allowPostgres(request, headers);
  const instance = await createInstance(request, tenant, 'client');
  await open(page, list(tenant), tenant.admin);
  await expect(page.getByRole('heading', { name: 'No database clusters yet' })).toBeVisible();
  await look(page);

  await page.getByRole('link', { name: 'Create database cluster' }).first().click();
  await expect(page).toHaveTitle('Create database cluster · Nephele');
  await page.getByRole('radio', { name: /^PostgreSQL/ }).check();
  await look(page);
  await next(page);
  await page.getByRole('radio', { name: /^PostgreSQL 16/ }).check();
  await page.getByLabel('Name', { exact: true }).fill('Orders');
  await expect(page.getByRole('button', { name: 'Continue' })).toHaveAccessibleDescription(/lowercase letters/);
  await page.getByLabel('Name', { exact: true }).fill('orders');
  await look(page);
  await next(page);
  await expect(page.getByRole('radio', { name: /^2 members/ })).toBeChecked();
  await expect(page.getByRole('region', { name: 'Price' })).toContainText('per month');
  await page.getByLabel('Storage of each member').fill('2');
  await look(page);
  await next(page);
  await page.getByRole('radio', { name: /^Security groups/ }).check();
  await page.getByRole('checkbox').first().check();
  await look(page);
  await next(page);
  await expect(page.getByRole('main')).toContainText('PostgreSQL 16');
  await look(page);
  await page.getByRole('button', { name: 'Create cluster' }).click();

  await expect(page.getByText('They are not shown again.')).toBeVisible(START);
  const password = await shown(page, 'password');
  expect(password.length).toBeGreaterThan(11);
  await look(page);
  await expect(page.getByText('orders is available.')).toBeVisible(START);
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CA' }).click();
  expect((await saved).suggestedFilename()).toBe('orders-ca.pem');
  await page.getByRole('link', { name: 'View orders' }).click();

  await expect(page).toHaveTitle('orders · Nephele');
  const members = page.getByRole('table', { name: 'Members of orders' });
  await expect(members.getByRole('row', { name: /Primary Up/ })).toHaveCount(1, START);
  await expect(members.getByRole('row', { name: /Standby Up/ })).toHaveCount(1, START);
  await page.getByRole('tab', { name: 'psql' }).click();
  const snippet = await page.getByRole('figure', { name: 'psql snippet' }).locator('code').textContent();
  await page.getByRole('tab', { name: 'Python' }).click();
  await expect(page.getByRole('figure', { name: 'Python snippet' })).toContainText('sslrootcert="orders-ca.pem"');
  await look(page);

  const terminal = await openConsole(page, tenant, instance.id);
  const { endpoint } = await read(request, tenant, 'orders');
  const archive = await share(request, tenant, psqlBundle({ 'orders-ca.pem': endpoint.ca_certificate }));
  const unpack = `mkdir psql && cd psql && wget -qO- ${archive} | tar xz && echo unpacked $((6 * 7))`;
  await types(terminal, unpack, /unpacked 42/);
  await types(
    terminal,
    `alias psql=./psql; export PSQL_PAGER=cat PGPASSWORD='${password}'; echo ready $((6 * 7))`,
    /ready 42/,
  );
  const asks = (statement: string, printed: string) =>
    types(terminal, `${snippet} -Atc "${statement}"`, new RegExp(printed));
  const reads = (value: string, expected: string | number) =>
    asks(`SELECT '<', (${value}), '>'`, `<\\|${expected}\\|>`);
  // In upper case, so that the echoed command cannot match.
  const writes = (words: string) =>
    asks(`INSERT INTO notes VALUES ('${words}') RETURNING upper(words)`, words.toUpperCase());
  await asks('CREATE TABLE notes (words text PRIMARY KEY)', 'KEY\\)"\\s*CREATE TABLE');
  await writes('before the switch');

  const floating = await (await request.post('/api/v1/network/floating-ips', { headers, data: {} })).json();
  const { port_id } = await read(request, tenant, 'orders');
  const associated = await request.post(`/api/v1/network/floating-ips/${floating.id}/associate`, {
    headers,
    data: { port_id },
  });
  expect(associated.ok()).toBe(true);
  let client: pg.Client | undefined;
  await expect(async () => {
    client = await connect(request, tenant, 'orders', password);
  }).toPass(START);
  expect((await client?.query('SELECT words FROM notes'))?.rows).toEqual([{ words: 'before the switch' }]);
  await client?.end();

  const primary = members
    .getByRole('row', { name: /Primary/ })
    .locator('td')
    .first();
  const before = await primary.textContent();
  await page.getByRole('button', { name: 'Actions', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Fail over' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Fail over' }).click();
  await expect(primary).not.toHaveText(before ?? '', START);
  await expect(page.getByText('Available', { exact: true }).first()).toBeVisible(START);
  await expect(async () => {
    const after = await connect(request, tenant, 'orders', password);
    expect((await after.query('SELECT words FROM notes')).rows).toEqual([{ words: 'before the switch' }]);
    await after.end();
  }).toPass(START);
  await writes('after it');

  await page.getByRole('button', { name: 'Actions', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Scale' }).click();
  const scale = page.getByRole('dialog', { name: 'Scale orders' });
  await expect(scale.getByRole('button', { name: 'Scale cluster' })).toHaveAccessibleDescription(
    'Change a value first.',
  );
  await scale.getByLabel('Storage of each member').fill('3');
  await expect(scale.getByRole('region', { name: 'Price' })).toContainText('per month');
  await expectAccessible(page);
  await scale.getByRole('button', { name: 'Scale cluster' }).click();
  await expect(scale).toHaveCount(0);
  await expect(page.getByText('3 GB storage').first()).toBeVisible(START);
  await expect(page.getByText('Available', { exact: true }).first()).toBeVisible(START);

  await page.getByRole('tab', { name: 'Parameters' }).click();
  await page.getByLabel('work_mem', { exact: true }).fill('1');
  await page.getByLabel('statement_timeout', { exact: true }).click();
  await expect(page.getByText(/^At least/)).toBeVisible();
  await look(page);

  await page.getByRole('tab', { name: 'Upgrades' }).click();
  await expect(page.getByText('No upgrades yet.')).toBeVisible();
  await look(page);
  await page.getByRole('link', { name: 'Upgrade', exact: true }).click();
  await expect(page).toHaveTitle('Upgrade orders · Nephele');
  await expect(page.getByRole('radio', { name: /^PostgreSQL 18/ })).toBeChecked();
  await look(page);
  await next(page);
  await expect(page.getByRole('status').filter({ hasText: /^Ready/ })).toBeVisible(START);
  await expect(page.getByRole('main').locator('ol > li').filter({ hasText: 'Compatibility' })).toContainText('Passed');
  await look(page);
  await next(page);
  await expect(page.getByRole('main')).toContainText('Only the serving members are billed');
  await look(page);
  await page.getByRole('button', { name: 'Upgrade to 18' }).click();

  const progress = page.getByRole('region', { name: 'Progress' });
  await expect(progress).toContainText('PostgreSQL 16');
  await look(page);
  await expect(progress.getByText('Completed')).toBeVisible(START);
  await expect(page.getByText('Pause for clients').locator('..')).toContainText(/\d+ ms/);
  await expect(page.getByRole('listitem').filter({ hasText: 'Switching over, done' })).toBeVisible();
  await reads(`current_setting('server_version_num')::int / 10000`, 18);
  await writes('on the new version');
  const back = page.getByRole('region', { name: 'Roll back' });
  await expect(back).toContainText(/\d+ h \d+ min left|24 h left|1 d left/);
  await look(page);
  await back.getByRole('button', { name: 'Roll back to 16' }).click();
  const question = page.getByRole('alertdialog', { name: 'Roll orders back to 16?' });
  await expect(question).toContainText('is kept');
  await question.getByRole('button', { name: 'Roll back to 16' }).click();
  await expect(progress.getByText('Rolled back')).toBeVisible(START);
  expect(await read(request, tenant, 'orders')).toMatchObject({ version: '16', status: 'available' });
  await look(page);
  await reads(`current_setting('server_version_num')::int / 10000`, 16);
  await reads(`SELECT string_agg(words, ', ') FROM notes`, 'before the switch, after it, on the new version');

  await page.goto(`${list(tenant)}/postgres/default/orders`);
  await page.getByRole('button', { name: 'Actions', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const remove = page.getByRole('alertdialog', { name: 'Delete orders?' });
  await expect(remove).toContainText('are destroyed');
  await remove.getByRole('textbox').fill('orders');
  await remove.getByRole('button', { name: 'Delete cluster' }).click();
  await expect(page.getByRole('heading', { name: 'No database clusters yet' })).toBeVisible(START);
});
