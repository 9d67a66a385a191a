import type { APIRequestContext, Page, Response } from '@playwright/test';
import { adminPaths, paths } from '../lib/paths';
import { certificateUpload } from '../lib/testing/certificates';
import { openOffice, test } from './backoffice-support';
import { bearer, expect, expectAccessible, expectLoaded, open, type Tenant } from './support';

// The links builder lists every address of the product, so new pages are tested automatically. These are the
// requirements on all pages; the tests of each feature cover the rest.

/** The limit for scripts that a page loads before it can be used; menus, charts and consoles load when opened. */
const MOST_SCRIPT_BYTES = 200 * 1024;

/** The size on the wire of the scripts in the page's own markup. */
async function scriptBytes(page: Page, response: Response | null): Promise<number> {
  const markup = (await response?.text()) ?? '';
  const named = [...markup.matchAll(/<script[^>]+src="([^"]+)"/g)].map(([, source = '']) => source);
  return page.evaluate(
    (sources) =>
      (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
        .filter(({ name }) => sources.includes(new URL(name).pathname))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    named,
  );
}

/** One run lists all pages that are too wide or too heavy. */
const softly = expect.configure({ soft: true });

/** Records every request to another server and every error of a page. */
function watch(page: Page, baseURL: string | undefined) {
  const seen = { foreign: [] as string[], problems: [] as string[] };
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${baseURL}/`) && /^(https?|wss?):/.test(url)) seen.foreign.push(url);
  });
  page.on('pageerror', (error) => seen.problems.push(`${page.url()}: ${error.message}`));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) seen.problems.push(`${page.url()}: ${message.text()}`);
  });
  const visit = async (address: string) => {
    await page.setViewportSize({ width: 1280, height: 900 });
    const response = await page.goto(address);
    expect([address, response?.status()]).toEqual([address, 200]);
    const policy = response?.headers()['content-security-policy'] ?? '';
    expect(policy).toMatch(/script-src 'nonce-[^']+' 'strict-dynamic'(;| )/);
    expect(policy).not.toContain("script-src 'unsafe-inline'");
    await expectLoaded(page);
    await expect(page.getByText('could not be loaded')).toHaveCount(0);
    const weight = await scriptBytes(page, response);
    expect(weight, `${address} has scripts`).toBeGreaterThan(0);
    softly(weight, `${address} is light`).toBeLessThanOrEqual(MOST_SCRIPT_BYTES);
    expect(await page.title(), `the title of ${address}`).not.toBe('Nephele');
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    const over = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    // A chart resizes in the next frame.
    await softly.poll(over, { timeout: 2000, message: `${address} fits a phone` }).toBeLessThanOrEqual(0);
  };
  return { visit, seen };
}

const nothing = { foreign: [], problems: [] };

/** Without a space, at which a browser would break the line. */
const sshKey = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDn6+sBBxxLqNXxRMDZLj6YvBmGHPSpCuOJmUYgMCHsa ${'a'.repeat(60)}@example.org`;

/** Creates one of each resource with its own page, with the longest names, by the name of its link builder. */
async function one(request: APIRequestContext, { token }: Tenant): Promise<Record<string, string>> {
  const headers = bearer(token);
  const first = async (path: string) => (await (await request.get(`/api/v1${path}`, { headers })).json())[0].id;
  const make = async (path: string, data: object): Promise<string> => {
    const answer = await request.post(`/api/v1${path}`, { headers, data });
    expect([path, answer.status()]).toEqual([path, 201]);
    return (await answer.json()).id;
  };
  const network = await first('/network/networks');
  const image = await first('/images/images?name=nephele-tiny');
  const instance = await make('/compute/instances', {
    name: `web-${'x'.repeat(90)}`,
    flavor_id: await first('/compute/flavors'),
    image_id: image,
    network_id: network,
    ssh_public_key: sshKey,
  });
  const loadBalancer = await make('/lbaas/loadbalancers', {
    name: 'b'.repeat(63),
    network_id: network,
    listeners: [
      {
        name: 'l'.repeat(100),
        protocol: 'HTTP',
        port: 80,
        pool: { name: 'p'.repeat(100), members: [{ instance_id: instance, port: 8080 }] },
      },
    ],
  });
  const route = await make('/gateway/routes', {
    name: 'r'.repeat(100),
    host: `${'h'.repeat(60)}.${'o'.repeat(60)}.example.org`,
    path_prefix: `/${'p'.repeat(100)}`,
    backends: ['stable', 'b'.repeat(60)].map((name) => ({ name, url: 'https://www.example.com', weight: 50 })),
  });
  await make('/network/floating-ips', {});
  await make('/vault/secrets', { name: 'api-key', type: 'opaque', payload: 'x' });
  await make('/auth/tokens', { name: 'nightly-backup', role: 'reader' });
  const database = 'd'.repeat(63);
  await make('/dbaas/postgres', {
    name: database,
    version: '16',
    network_id: network,
    vcpus: 1,
    ram_gb: 1,
    storage_gb: 1,
  });
  return {
    database: `postgres/default/${database}`,
    upgradeDatabase: `postgres/default/${database}`,
    bucket: await make('/storage/buckets', { name: `${'b'.repeat(40)}-${Date.now().toString(36)}` }),
    certificate: await make('/gateway/certificates', await certificateUpload('c'.repeat(100))),
    network: await make('/network/networks', { name: 'n'.repeat(100), cidr: '10.77.0.0/24' }),
    image,
    instance,
    loadBalancer,
    editLoadBalancer: loadBalancer,
    function: await make('/functions', {
      name: `f${'x'.repeat(58)}`,
      template_id: 'python3.11',
      code: 'def handler(event, context):\n    return event\n',
      url: {},
    }),
    layer: await make('/layers', { name: 'l'.repeat(100), description: 'd'.repeat(500) }),
    route,
    editRoute: route,
    volume: await make('/storage/volumes', { name: 'v'.repeat(100), size_gb: 1 }),
    securityGroup: await make('/network/security-groups', { name: 'g'.repeat(100), description: 'd'.repeat(200) }),
    port: await first('/network/ports'),
    router: await first('/network/routers'),
  };
}

/**
 * Covered elsewhere: pages before sign-in; the processor's page, which has no project frame; an invoice, which needs an
 * ended month.
 */
const apart = ['home', 'signIn', 'initialPassword', 'consent', 'apiReference', 'checkout', 'invoice'];

/** A project's addresses, including those of resources by their ids. */
const inProject = (tenant: Tenant, ids: Record<string, string>) =>
  Object.entries(paths as Record<string, (project: string, id?: string) => string>)
    .filter(([name]) => !apart.includes(name))
    .map(([name, build]) => build(tenant.slug, ids[name]));

for (const half of [0, 1]) {
  test(`every page of a project is accessible, fits a phone and asks no other server (${half + 1} of 2)`, async ({
    page,
    tenant,
    request,
    baseURL,
  }) => {
    test.setTimeout(1_200_000);
    const addresses = inProject(tenant, await one(request, tenant)).filter((_, position) => position % 2 === half);
    expect(addresses.filter((address) => address.includes('undefined'))).toEqual([]);
    await open(page, `/projects/${tenant.slug}`, tenant.admin);
    const { visit, seen } = watch(page, baseURL);
    for (const address of addresses) await visit(address);
    expect(seen).toEqual(nothing);
  });
}

test('every page of the back office is accessible, fits a phone and contacts no other server', async ({
  page,
  tenant,
  request,
  administrator,
  administratorToken,
  baseURL,
}) => {
  test.setTimeout(1_200_000);
  await one(request, tenant);
  const headers = bearer(administratorToken);
  const [operation] = await (await request.get('/admin/api/v1/operations', { headers })).json();
  const ids: Record<string, string> = {
    tenant: tenant.id,
    tenantLimits: tenant.id,
    newTenantAdmin: tenant.id,
    user: administrator.id,
    operation: operation.id,
  };
  const addresses = Object.entries(adminPaths as Record<string, (id?: string) => string>)
    .filter(([name]) => !['signIn', 'initialPassword', 'requiredSecondFactor'].includes(name))
    .map(([name, build]) => build(ids[name]));
  expect(addresses.filter((address) => address.includes('undefined'))).toEqual([]);
  await openOffice(page, adminPaths.home(), administrator);
  const { visit, seen } = watch(page, baseURL);
  for (const address of addresses) await visit(address);
  expect(seen).toEqual(nothing);
});

test('the pages outside of a project are accessible, fit a phone and contact no other server', async ({
  page,
  tenant,
  request,
  baseURL,
}) => {
  const { visit, seen } = watch(page, baseURL);
  await visit(paths.signIn());
  const checkout = await request.post('/api/v1/billing/checkout-session', {
    headers: bearer(tenant.token),
    data: { amount_usd: 25 },
  });
  await visit((await checkout.json()).url);
  await visit(adminPaths.signIn());
  for (const group of [undefined, 'instances', 'payments', 'back-office-tenants'])
    await visit(paths.apiReference(group));
  expect(seen).toEqual(nothing);
});
