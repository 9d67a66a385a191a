import { readdir, readFile } from 'node:fs/promises';
import { get } from 'node:https';
import type { Page } from '@playwright/test';
import { certificateUpload } from '../lib/testing/certificates';
import { bearer, createInstance, expect, expectAccessible, open, type Tenant, test } from './support';

/** The nodes of a load balancer start in seconds, but take longer on a busy machine. */
const START = { timeout: 120_000 };

const list = (tenant: Tenant) => `/projects/${tenant.slug}/network/load-balancers`;

/** Adds a member to the wizard's pool: an instance by its name, or an address. */
async function addMember(page: Page, place: number, target: string): Promise<void> {
  await page.getByRole('button', { name: 'Add member' }).click();
  const member = page.getByRole('group', { name: `Member ${place}` });
  await member.getByRole('combobox', { name: 'Member' }).click();
  const isAddress = /^\d+\./.test(target);
  await page.getByRole('option', { name: isAddress ? /^IP address/ : new RegExp(`^${target}`) }).click();
  if (isAddress) await member.getByLabel('IP address').fill(target);
  await expect(member.getByText('Choose an instance or an address.')).toHaveCount(0);
}

const next = (page: Page) => page.getByRole('button', { name: 'Continue' }).click();

test('a load balancer is created in the wizard, watched, drained, edited with a diff, and deleted', async ({
  page,
  tenant,
}) => {
  await open(page, list(tenant), tenant.admin);
  await expect(page.getByRole('heading', { name: 'No load balancers yet' })).toBeVisible();
  await expect(page.getByText('/api/v1/lbaas/loadbalancers')).toBeVisible();
  await expectAccessible(page);

  await page.getByRole('link', { name: 'Create load balancer' }).first().click();
  await expect(page).toHaveTitle('Create load balancer · Nephele');
  await page.getByLabel('Name', { exact: true }).fill('Shop');
  await expect(page.getByRole('button', { name: 'Continue' })).toHaveAccessibleDescription(/lowercase letters/);
  await page.getByLabel('Name', { exact: true }).fill('shop');
  await expectAccessible(page);
  await next(page);
  await expect(page.getByRole('radio', { name: /Round robin/ })).toBeChecked();
  await expectAccessible(page);
  await next(page);
  await addMember(page, 1, '10.0.0.201');
  await addMember(page, 2, '10.0.0.202');
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page);
  await page.setViewportSize({ width: 1280, height: 900 });
  await next(page);
  await page.getByLabel('Path').fill('/health');
  await expectAccessible(page);
  // Unsaved input is not lost by a click on a link.
  await page.getByRole('link', { name: 'Secrets' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
  await next(page);
  await expect(page.getByRole('list', { name: 'Members of web' })).toContainText('10.0.0.202:80 weight 1, 50%');
  await expect(page.getByText('HTTP GET /health every 5 s, expects 200-399')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create load balancer' }).click();

  await expect(page).toHaveTitle('shop · Nephele');
  const main = page.getByRole('main');
  await expect(main.getByText('Offline').first()).toBeVisible(START);
  const diagram = page.getByRole('region', { name: 'Diagram of shop' });
  await expect(diagram.getByRole('listitem')).toContainText([/^10\.0\.0\.\d+ \(Offline/, /^HTTP 80/, /^web/], START);
  await expect(diagram.getByText('10.0.0.201 (Down, 50%)')).toBeAttached();
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page);
  await page.setViewportSize({ width: 1280, height: 900 });

  await page.getByRole('tab', { name: 'Listeners and pools' }).click();
  await page.getByRole('button', { name: 'Change weights' }).click();
  const weights = page.getByRole('dialog', { name: 'Weights of pool web' });
  await weights.getByLabel('10.0.0.202', { exact: true }).fill('3');
  await expect(weights).toContainText('1 → 3, 75%');
  await expectAccessible(page);
  await weights.getByRole('button', { name: 'Apply weights' }).click();
  const members = page.getByRole('table', { name: 'Members of pool web' });
  await expect(members.getByRole('row', { name: /10\.0\.0\.202/ })).toContainText('3 75%');
  await expect(main.getByText('Offline').first()).toBeVisible(START);
  await members.getByRole('button', { name: 'Actions for 10.0.0.201' }).click();
  await page.getByRole('menuitem', { name: 'Drain' }).click();
  const drain = page.getByRole('alertdialog', { name: 'Drain 10.0.0.201?' });
  await expect(drain).toContainText('Weight 1 → 0.');
  await drain.getByRole('button', { name: 'Drain member' }).click();
  await expect(members.getByRole('row', { name: /10\.0\.0\.201/ })).toContainText('0 0%');
  await expect(main.getByText('Offline').first()).toBeVisible(START);
  await expectAccessible(page);

  await page.getByRole('link', { name: 'Add members' }).click();
  await expect(page).toHaveTitle('Edit shop · Nephele');
  await page.getByRole('button', { name: 'Remove member 1' }).click();
  await page.getByRole('button', { name: 'Review' }).click();
  await expect(page.getByLabel('shop, before')).toContainText('10.0.0.201');
  await expect(page.getByLabel('shop, after')).not.toContainText('10.0.0.201');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Apply changes' }).click();
  await expect(members.getByRole('row')).toHaveCount(2);
  await expect(main.getByText('Offline').first()).toBeVisible(START);

  await page.getByRole('button', { name: 'Actions', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Associate floating IP', exact: true }).click();
  const associate = page.getByRole('dialog', { name: 'Associate a floating IP with shop' });
  await associate.getByRole('button', { name: 'Associate' }).click();
  await expect(associate).toHaveCount(0);
  await expect(main.getByText('Floating IPNone')).toHaveCount(0);

  await page.goto(list(tenant));
  const row = page.getByRole('row', { name: /shop/ });
  await expect(row).toContainText('HTTP 80');
  await expectAccessible(page);
  await page.getByRole('checkbox', { name: 'Select shop' }).check();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  const remove = page.getByRole('dialog');
  await expect(remove).toContainText('stays in the project');
  await remove.getByRole('textbox').fill('delete 1 load balancer');
  await remove.getByRole('button', { name: 'Delete 1 load balancer' }).click();
  await remove.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByRole('heading', { name: 'No load balancers yet' })).toBeVisible(START);
});

test('a change of someone else is shown before it would be overwritten', async ({ page, tenant, request }) => {
  const headers = bearer(tenant.token);
  const listeners = (weight: number) => [
    {
      name: 'web',
      protocol: 'HTTP',
      port: 80,
      pool: { name: 'web', members: [{ address: '10.0.0.201', port: 80, weight }] },
    },
  ];
  const created = await request.post('/api/v1/lbaas/loadbalancers', {
    headers,
    data: { name: 'shop', listeners: listeners(1) },
  });
  expect(created.status()).toBe(201);
  const path = `/api/v1/lbaas/loadbalancers/${(await created.json()).id}`;
  const status = async () => (await (await request.get(path, { headers })).json()).provisioning_status;
  await expect.poll(status, START).toBe('active');
  await open(page, `${list(tenant)}/${path.split('/').at(-1)}/edit`, tenant.admin);
  await page.getByLabel('Idle timeout').fill('90');
  await request.put(path, { headers, data: { listeners: listeners(5) } });
  const alert = page.getByRole('alert').filter({ hasText: 'The load balancer has changed' });
  await expect(alert).toContainText('Listener 80: web (10.0.0.201 weight 1) → web (10.0.0.201 weight 5)');
  await expectAccessible(page);
  await alert.getByRole('button', { name: 'Load current load balancer' }).click();
  await expect.poll(status, START).toBe('active');
  await expect(page.getByLabel('Idle timeout')).toHaveValue('90');
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('button', { name: 'Apply changes' }).click();
  await expect(page.getByRole('row', { name: /10\.0\.0\.201/ })).toContainText('5 100%');
  await page.getByRole('tab', { name: 'Overview' }).click();
  await expect(page.getByText('90 s')).toBeVisible();
});

/** The body of a page, asked with a new connection; the message of a failure. */
function ask(address: string): Promise<string> {
  return new Promise((resolve) => {
    const options = { rejectUnauthorized: false, agent: false as const, timeout: 15_000 };
    const request = get(address, options, (response) => {
      let text = `${response.statusCode} `;
      response.on('data', (part) => {
        text += part;
      });
      response.on('end', () => resolve(text));
      response.on('error', ({ message }) => resolve(message));
    });
    request.on('timeout', () => request.destroy(new Error('no answer')));
    request.on('error', ({ message }) => resolve(message));
  });
}

/** Kills the process of an instance, as its host could. */
async function killGuest(id: string): Promise<void> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const environments = await Promise.all(
    processes.map((pid) => readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')),
  );
  const own = processes.filter((_, index) => environments[index]?.includes(`/qemu/${id}\0`));
  expect(own.length).toBeGreaterThan(0);
  for (const pid of own) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended with another one.
    }
  }
}

/** Requests one after the other until told to stop. */
function visit(address: string) {
  const answers: string[] = [];
  let isOver = false;
  const running = (async () => {
    while (!isOver) answers.push((await ask(address)).slice(0, 4));
  })();
  return {
    /** @returns the different statuses, and how many requests there were */
    async stop() {
      isOver = true;
      await running;
      return { statuses: [...new Set(answers)], requests: answers.length };
    },
  };
}

test('two instances are put behind HTTPS in the wizard and answer at a floating IP; one is killed, comes back and is deleted unnoticed', async ({
  page,
  tenant,
  request,
}) => {
  const headers = bearer(tenant.token);
  const certificate = await certificateUpload('shop.example.test');
  expect((await request.post('/api/v1/gateway/certificates', { headers, data: certificate })).status()).toBe(201);
  const [group] = await (await request.get('/api/v1/network/security-groups', { headers })).json();
  const rule = { direction: 'ingress', protocol: 'tcp', port_range_min: 80, cidr: '10.0.0.0/24' };
  const rules = `/api/v1/network/security-groups/${group.id}/rules`;
  expect((await request.post(rules, { headers, data: rule })).status()).toBe(201);
  for (const name of ['web-1', 'web-2']) await createInstance(request, tenant, name);

  await open(page, `${list(tenant)}/new`, tenant.admin);
  await page.getByLabel('Name', { exact: true }).fill('shop');
  await page.getByRole('combobox', { name: 'Protocol' }).click();
  await page.getByRole('option', { name: /^HTTPS/ }).click();
  await expect(page.getByLabel('Port', { exact: true })).toHaveValue('443');
  await expect(page.getByRole('button', { name: 'Continue' })).toHaveAccessibleDescription('Choose a certificate.');
  await page.getByRole('checkbox', { name: /^shop\.example\.test/ }).check();
  await expectAccessible(page);
  await next(page);
  await next(page);
  for (const [place, name] of ['web-1', 'web-2'].entries()) await addMember(page, place + 1, name);
  await next(page);
  for (const field of ['Interval', 'Timeout', 'Retries']) await page.getByLabel(field).fill('1');
  await next(page);
  await expect(page.getByText('shop.example.test')).toBeVisible();
  await expect(page.getByRole('list', { name: 'Members of web' })).toContainText('web-2:80 weight 1, 50%');
  await page.getByRole('button', { name: 'Create load balancer' }).click();
  await expect(page).toHaveTitle('shop · Nephele');
  const diagram = page.getByRole('region', { name: 'Diagram of shop' });
  for (const name of ['web-1', 'web-2']) {
    await expect(diagram.getByText(`${name} (Up, 50%)`)).toBeAttached(START);
  }

  const [balancer] = await (await request.get('/api/v1/lbaas/loadbalancers', { headers })).json();
  const ip = await (await request.post('/api/v1/network/floating-ips', { headers, data: {} })).json();
  const associated = await request.post(`/api/v1/network/floating-ips/${ip.id}/associate`, {
    headers,
    data: { load_balancer_id: balancer.id },
  });
  expect(associated.ok()).toBe(true);
  let address = '';
  await expect(async () => {
    const [{ forwards }] = await (await request.get('/api/v1/network/floating-ips', { headers })).json();
    const forward = forwards.find(({ port }: { port: number }) => port === 443);
    address = `https://${ip.address}:${forward?.host_port ?? 443}/`;
    expect(await ask(address)).toMatch(/^200 /);
  }).toPass(START);

  const answered = new Set<string>();
  await expect(async () => {
    answered.add(/web-\d/.exec(await ask(address))?.[0] ?? '');
    expect([...answered].sort()).toEqual(['web-1', 'web-2']);
  }).toPass(START);

  const [first] = await (await request.get('/api/v1/compute/instances?name=web-1', { headers })).json();
  const visitors = [visit(address), visit(address)];
  await killGuest(first.id);
  await expect(diagram.getByText(/^web-1 \(Down/)).toBeAttached(START);
  // Its host starts it again.
  await expect(diagram.getByText('web-1 (Up, 50%)')).toBeAttached(START);
  for (const { statuses, requests } of await Promise.all(visitors.map((visitor) => visitor.stop()))) {
    expect(statuses).toEqual(['200 ']);
    expect(requests).toBeGreaterThan(10);
  }
  await page.getByRole('tab', { name: 'Activity' }).click();
  for (const did of ['stopped', 'resumed'])
    await expect(page.getByText(`${did} sending traffic to a member of load balancer`).first()).toBeVisible();
  await page.getByRole('tab', { name: 'Overview' }).click();

  expect((await request.delete(`/api/v1/compute/instances/${first.id}`, { headers })).status()).toBe(202);
  const statuses = new Set<string>();
  await expect(async () => {
    statuses.add((await ask(address)).slice(0, 4));
    await expect(diagram.getByText('web-2 (Up, 100%)')).toBeAttached({ timeout: 100 });
  }).toPass(START);
  await expect(diagram.getByText(/^web-1 /)).toHaveCount(0);
  for (let turn = 0; turn < 10; turn += 1) expect(await ask(address)).toMatch(/^200 [\s\S]*web-2/);
  expect([...statuses]).toEqual(['200 ']);
});
