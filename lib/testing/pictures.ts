import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Browser, chromium, expect, type Page } from '@playwright/test';
import { administrator, owner } from './accounts';

/** A guest boots in seconds, but takes longer on a busy machine. */
const BOOT = { timeout: 240_000 };
const SOON = { timeout: 60_000 };

/** Fills a new platform with the resources of the screenshots. */
export async function furnishPlatform(url: string): Promise<void> {
  await furnish(await Api.signIn(`${url}/api/v1`, owner));
  await addTenants(await Api.signIn(`${url}/admin/api/v1`, administrator));
}

/** Takes the screenshots of README and tour. */
export async function takePictures(url: string, folder: string): Promise<void> {
  const browser = await launch();
  try {
    const light = await visitor(browser, url, 'light');
    const pictures = [
      { name: 'overview', path: '/projects/demo', content: 'created secret' },
      { name: 'create', path: '/projects/demo/compute/instances/new', content: 'per month' },
      { name: 'topology', path: '/projects/demo/network/topology', content: 'backend' },
      { name: 'costs', path: '/projects/demo/billing', content: 'By service' },
      { name: 'reference', path: '/docs/instances', content: '/api/v1/compute/instances' },
    ];
    for (const { name, path, content } of pictures) {
      await light.goto(url + path);
      await take(light, content, join(folder, `${name}.png`));
    }
    const dark = await visitor(browser, url, 'dark');
    await dark.setViewportSize({ width: 1280, height: 640 });
    await dark.goto(`${url}/projects/demo/compute/instances?sort=name`);
    await take(dark, 'web-1', join(folder, 'instances.png'));
    await take(await typedInto(dark), 'Connected', join(folder, 'console.png'));
    const office = await browser.newPage({
      baseURL: url,
      colorScheme: 'light',
      viewport: { width: 1280, height: 800 },
    });
    await signIn(office, '/admin', administrator);
    await take(office, 'Allocation', join(folder, 'office.png'));
  } finally {
    await browser.close();
  }
}

/** Takes a screenshot when the page shows its content and has finished loading. */
async function take(page: Page, content: string, path: string): Promise<void> {
  await expect(page.getByText(content).filter({ visible: true }).first()).toBeVisible(SOON);
  await expect(page.locator('.animate-pulse, [aria-busy=true]')).toHaveCount(0, SOON);
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path, animations: 'disabled' });
}

/** Instances, volumes, a second network, a floating IP, a secret and a budget. */
async function furnish(project: Api): Promise<void> {
  await project.put('/billing/budget', { monthly_limit_usd: 150, enable_quota_freeze: true, thresholds: [50, 80, 90] });
  const [network] = await project.get<{ id: string }[]>('/network/networks');
  const backend = await project.post<{ id: string }>('/network/networks', { name: 'backend', cidr: '10.20.0.0/24' });
  const [image] = await project.get<{ id: string }[]>('/images/images?name=nephele-tiny');
  const [flavor] = await project.get<{ id: string }[]>('/compute/flavors?name=nano');
  const [group] = await project.get<{ id: string }[]>('/network/security-groups');
  await project.post(`/network/security-groups/${group?.id}/rules`, {
    direction: 'ingress',
    protocol: 'tcp',
    port_range_min: 443,
    cidr: '0.0.0.0/0',
  });
  const common = { image_id: image?.id, flavor_id: flavor?.id };
  const ids: string[] = [];
  for (const [name, network_id] of [
    ['web-1', network?.id],
    ['web-2', network?.id],
    ['db-1', backend.id],
  ]) {
    ids.push((await project.post<{ id: string }>('/compute/instances', { ...common, name, network_id })).id);
  }
  for (const [name, size_gb] of Object.entries({ 'postgres-data': 40, backups: 20 })) {
    await project.post('/storage/volumes', { name, size_gb });
  }
  await project.post('/vault/secrets', { name: 'db-password', type: 'passphrase', payload: 'correct horse battery' });
  for (const id of ids) {
    const status = async () => (await project.get<{ status: string }>(`/compute/instances/${id}`)).status;
    await expect.poll(status, BOOT).toBe('active');
  }
  const { id } = await project.post<{ id: string }>('/network/floating-ips', {});
  await project.post(`/network/floating-ips/${id}/associate`, { instance_id: ids[0] });
}

/** Adds tenants for the back office. */
async function addTenants(office: Api): Promise<void> {
  for (const name of ['Acme Analytics', 'Borealis Labs', 'Cumulus Press']) {
    const slug = name.toLowerCase().replace(' ', '-');
    const password = randomBytes(12).toString('hex');
    const admin = { email: `admin@${slug}.example`, name: 'First Admin', password };
    await office.post('/tenants', { name, slug, admin });
  }
}

/** The serial console of the first instance, with some commands and their output. */
async function typedInto(page: Page): Promise<Page> {
  await page.getByRole('link', { name: 'web-1' }).click();
  await page.getByRole('tab', { name: 'Console' }).click();
  const [terminal] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('button', { name: 'Open serial terminal' }).click(),
  ]);
  await terminal.setViewportSize({ width: 1280, height: 640 });
  await expect(terminal.getByText('Connected', { exact: true }).first()).toBeVisible(SOON);
  const output = terminal.getByRole('tabpanel', { name: 'Serial terminal' });
  const commands: [string, RegExp][] = [
    ['clear', /#/],
    ['uname -a', /Linux web-1/],
    ['ip -o -4 address', /inet 10\.0\.0\./],
    ['free -m', /Swap:/],
  ];
  await terminal.getByRole('textbox', { name: 'Terminal input' }).focus();
  for (const [command, printed] of commands) {
    await terminal.keyboard.type(command);
    await terminal.keyboard.press('Enter');
    await expect(output).toContainText(printed, SOON);
  }
  return terminal;
}

function launch(): Promise<Browser> {
  const args = ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
  return chromium.launch({ executablePath: '/usr/bin/chromium', args });
}

async function visitor(browser: Browser, url: string, colorScheme: 'light' | 'dark'): Promise<Page> {
  const page = await browser.newPage({
    baseURL: url,
    colorScheme,
    reducedMotion: 'reduce',
    viewport: { width: 1280, height: 800 },
  });
  await signIn(page, '/projects/demo', owner);
  return page;
}

async function signIn(page: Page, path: string, { email, password }: typeof owner): Promise<void> {
  await page.goto(path);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((address) => !address.pathname.includes('sign-in'));
}

/** The API as used by one account. */
class Api {
  private constructor(
    readonly base: string,
    readonly token: string,
  ) {}

  static async signIn(base: string, { email, password }: typeof owner): Promise<Api> {
    const { access_token } = await new Api(base, '').post<{ access_token: string }>('/auth/login', { email, password });
    return new Api(base, access_token);
  }

  get = <Answer>(path: string) => this.#send<Answer>('GET', path);
  post = <Answer>(path: string, body: object) => this.#send<Answer>('POST', path, body);
  put = <Answer>(path: string, body: object) => this.#send<Answer>('PUT', path, body);

  async #send<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const response = await fetch(this.base + path, {
      method,
      headers: {
        'Content-Type': 'application/json',
        ...(this.token === '' ? {} : { Authorization: `Bearer ${this.token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }
}
