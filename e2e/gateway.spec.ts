import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bearer, expect, expectAccessible, open, type Tenant, test } from './support';

/** The gateway starts in seconds, but its program may have to be fetched first. */
const START = { timeout: 120_000 };
/** An address of this machine that the tests' platform lets backends have. */
const BACKENDS = '127.0.0.99';

const list = (tenant: Tenant) => `/projects/${tenant.slug}/network/gateway-routes`;
const servers: Server[] = [];
test.afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A web server. @returns its origin */
async function serve(name: string, failsEvery = 0): Promise<string> {
  let count = 0;
  const server = createServer((_, response) => {
    count += 1;
    response.statusCode = failsEvery > 0 && count % failsEvery === 0 ? 500 : 200;
    response.setHeader('Content-Type', 'text/html');
    response.end(`<title>${name}</title><h1>${name}</h1>`);
  }).listen(0, BACKENDS);
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://${BACKENDS}:${(server.address() as AddressInfo).port}`;
}

/** Requests through the gateway, one after the other, until told to stop. */
function load(url: string) {
  const { hostname, port } = new URL(url);
  let isOver = false;
  const one = () =>
    new Promise<void>((resolve) => {
      const sent = request({ host: '127.0.0.1', port, headers: { host: hostname } }, (response) => {
        response.resume().on('end', resolve);
      });
      sent.on('error', () => resolve());
      sent.end();
    });
  const running = (async () => {
    while (!isOver) await one();
  })();
  return {
    async stop() {
      isOver = true;
      await running;
    },
  };
}

test('a route is created, opened in a browser, rolled out to a bad version that goes back by itself, weighed and deleted', async ({
  page,
  tenant,
  context,
}) => {
  const [good, bad] = [await serve('Version one'), await serve('Version two', 4)];
  await open(page, list(tenant), tenant.admin);
  await expect(page.getByRole('heading', { name: 'No gateway routes yet' })).toBeVisible();
  await expect(page.getByText('/api/v1/gateway/routes')).toBeVisible();
  await expectAccessible(page);

  await page.getByRole('link', { name: 'Create gateway route' }).first().click();
  await expect(page).toHaveTitle('Create gateway route · Nephele');
  await page.getByLabel('Name', { exact: true }).first().fill('shop');
  await expect(page.getByLabel('Host')).toHaveValue(`shop.${tenant.slug}.apps.localhost`);
  const backend = (place: number) => page.getByRole('group', { name: `Backend ${place}` });
  const point = async (place: number, url: string) => {
    await backend(place).getByRole('combobox', { name: 'Requests go to' }).click();
    await page.getByRole('option', { name: /^A URL/ }).click();
    await backend(place).getByLabel('URL').fill(url);
  };
  await point(1, good);
  await expect(page.getByRole('meter', { name: 'Gateway routes' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create route' }).click();

  await expect(page).toHaveTitle('shop · Nephele', START);
  await expect(page.getByText('Active', { exact: true }).first()).toBeVisible(START);
  await expect(page.getByRole('row', { name: /^stable/ })).toBeVisible();
  await expectAccessible(page);
  const url =
    (await page
      .getByRole('link', { name: /^http:\/\/shop\./ })
      .first()
      .getAttribute('href')) ?? '';
  const site = await context.newPage();
  await site.goto(url);
  await expect(site.getByRole('heading', { name: 'Version one' })).toBeVisible();
  await site.close();

  // A second version, in steps.
  await page.goto(`${page.url().split('?')[0]}/edit`);
  await page.getByRole('button', { name: 'Add backend' }).click();
  await point(2, bad);
  await page.getByLabel('Roll out step by step').check();
  await page.getByRole('combobox', { name: 'New backend' }).click();
  await page.getByRole('option', { name: 'canary' }).click();
  await page.getByLabel('Steps').fill('20, 100');
  await page.getByLabel('Duration of a step').fill('60');
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByRole('button', { name: 'Apply changes' }).click();
  await expect(page.getByRole('heading', { name: 'Rollout to canary' })).toBeVisible();
  const visitors = load(url);
  await expect(page.getByText('Rolled back')).toBeVisible(START);
  await visitors.stop();
  await expect(page.getByText(/of canary were errors; the limit is 5 %/)).toBeVisible();
  const canary = page.getByRole('row', { name: /^canary/ });
  await expect(canary.getByRole('cell').nth(1)).toHaveText('0%');
  await expectAccessible(page);
  await page.getByRole('tab', { name: 'Activity' }).click();
  await expect(page.getByText(/aborted the rollout of gateway route/)).toBeVisible();

  // By hand.
  await page.getByRole('tab', { name: 'Overview' }).click();
  await page.getByRole('button', { name: 'Actions' }).first().click();
  await page.getByRole('menuitem', { name: 'Change weights' }).click();
  await page.getByLabel('canary, percent').fill('30');
  await page.getByRole('button', { name: 'Apply weights' }).click();
  await expect(canary.getByRole('cell').nth(1)).toHaveText('30%');

  await page.getByRole('button', { name: 'Actions' }).first().click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('textbox').fill('shop');
  await page.getByRole('button', { name: 'Delete route' }).click();
  await expect(page.getByRole('heading', { name: 'No gateway routes yet' })).toBeVisible();
});

test('a host that is not below the project’s domain shows its TXT record', async ({ page, tenant, request: api }) => {
  await api.post('/api/v1/gateway/routes', {
    headers: bearer(tenant.token),
    data: {
      name: 'outside',
      host: 'www.example.org',
      backends: [{ name: 'web', url: 'https://www.example.com', weight: 100 }],
    },
  });
  await open(page, list(tenant), tenant.admin);
  await expect(page.getByText('Waiting for verification')).toBeVisible();
  await page.getByRole('link', { name: 'outside' }).click();
  await expect(page.getByText('_nephele.www.example.org. TXT "nephele-project=')).toBeVisible();
  await expectAccessible(page);
});
