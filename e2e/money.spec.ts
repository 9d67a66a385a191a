import { readFileSync } from 'node:fs';
import { type APIRequestContext, type APIResponse, expect, type Page, test } from '@playwright/test';
import pg from 'pg';
import { environmentOf } from '../lib/runtime/process-table';
import { owner } from '../lib/testing/accounts';
import { type MailSink, startMailSink } from '../lib/testing/mail-sink';
import { type Platform, startPlatform } from '../lib/testing/platform';
import { bearer, expectAccessible, expectLoaded, forgetSession, open } from './support';

const BOOT = { timeout: 180_000 };
const SOON = { timeout: 90_000 };

/** A separate platform, whose clock can be moved. */
let platform: Platform;
let base: string;
let mailbox: MailSink;
const mails = () => mailbox.received.map(({ raw }) => raw);

test.beforeAll(async () => {
  test.setTimeout(300_000);
  mailbox = await startMailSink();
  platform = await startPlatform({ SMTP_URL: mailbox.url });
  base = platform.url;
});

test.afterAll(async () => {
  await platform.dispose();
  await mailbox.close();
});

/** Queries the platform's database, whose clock decides on money. */
async function ask(statement: string): Promise<Record<string, unknown>[]> {
  const setting = environmentOf(platform.pidOf('worker') ?? 0).find((entry) => entry.startsWith('DATABASE_URL='));
  const database = new pg.Client(setting?.slice('DATABASE_URL='.length));
  await database.connect();
  try {
    return (await database.query(statement)).rows;
  } finally {
    await database.end();
  }
}

/** Moves the platform's clock to a time, from which it continues. */
async function moveClock(to: Date): Promise<void> {
  await ask(`CREATE OR REPLACE FUNCTION platform_now() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
    AS 'SELECT clock_timestamp() + interval ''${to.getTime() - Date.now()} milliseconds'''`);
}

/** The demo project through its API. */
class Project {
  #token = '';
  constructor(private readonly request: APIRequestContext) {}

  async signIn(): Promise<void> {
    const answer = await this.request.post(`${base}/api/v1/auth/login`, { data: owner });
    this.#token = (await answer.json()).access_token;
  }

  async get(path: string) {
    return (await this.request.get(`${base}/api/v1${path}`, { headers: bearer(this.#token) })).json();
  }

  post(path: string, data: object): Promise<APIResponse> {
    return this.request.post(`${base}/api/v1${path}`, { headers: bearer(this.#token), data });
  }

  async delete(path: string): Promise<void> {
    expect((await this.request.delete(`${base}/api/v1${path}`, { headers: bearer(this.#token) })).ok()).toBe(true);
  }
}

/** Takes a screenshot of a page in each theme. */
async function show(name: string, page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await test.info().attach(`${name}, ${colorScheme}`, { body: await page.screenshot(), contentType: 'image/png' });
  }
}

test('a budget is exhausted, freezes, is lifted by a top-up, and the month is invoiced', async ({ page, request }) => {
  test.setTimeout(900_000);
  const project = new Project(request);
  await project.signIn();
  const inProject = (path: string) => `${base}/projects/demo${path}`;
  /** Waits for new host reports first, because moving the clock makes the last ones old. */
  const createVolume = async () => {
    let answer = await project.post('/storage/volumes', { name: 'data', size_gb: 1 });
    await expect(async () => {
      if (answer.status() === 503) answer = await project.post('/storage/volumes', { name: 'data', size_gb: 1 });
      expect(answer.status()).not.toBe(503);
    }).toPass(SOON);
    return answer;
  };

  await test.step('set a budget of one cent', async () => {
    await open(page, inProject('/billing/budget'), { ...owner, name: 'Owner' });
    await page.getByLabel('Monthly limit').fill('0.01');
    await page.getByRole('switch', { name: 'Freeze at 100%' }).check();
    await page.getByLabel('Alerts by e-mail').fill('finance@example.test');
    await page.getByRole('button', { name: 'Save budget' }).click();
    await expect(page.getByText('Budget saved')).toBeVisible();
  });

  const instance = await test.step('run an instance', async () => {
    const [image] = await project.get('/images/images?name=nephele-tiny');
    const [network] = await project.get('/network/networks');
    const flavors: { id: string; name: string }[] = await project.get('/compute/flavors');
    const made = await project.post('/compute/instances', {
      name: 'meter-runs',
      flavor_id: flavors.find(({ name }) => name === 'nano')?.id,
      image_id: image.id,
      network_id: network.id,
    });
    expect(made.status()).toBe(201);
    const { id } = await made.json();
    await expect.poll(async () => (await project.get(`/compute/instances/${id}`)).status, BOOT).toBe('active');
    return id;
  });

  await test.step('the budget is reached at the forecast time, with alerts and the freeze at once', async () => {
    const { status } = await project.get('/billing/budget');
    expect(status).toMatchObject({ frozen: false, freezes_at: expect.any(String) });
    const crossing = new Date(status.freezes_at).getTime();
    await moveClock(new Date(crossing - 60_000));
    const before = await createVolume();
    expect(before.status()).toBe(201);
    await project.delete(`/storage/volumes/${(await before.json()).id}`);
    await moveClock(new Date(crossing + 1_000));
    const refused = await createVolume();
    expect([refused.status(), (await refused.json()).error.code]).toEqual([402, 'BUDGET_FROZEN']);
    for (const percent of [50, 80, 90, 100]) {
      await expect.poll(() => mails().join('\n'), SOON).toMatch(new RegExp(`^Subject: .*\\b${percent}\\s?%`, 'm'));
    }
    expect(mails().every((mail) => /^To: finance@example\.test/m.test(mail))).toBe(true);
  });

  await test.step('every page says so, and creating is disabled with that reason', async () => {
    await page.goto(inProject('/storage/volumes'));
    const banner = page.getByRole('status', { name: 'Budget freeze' });
    await expect(banner).toContainText('This project is frozen');
    await expect(page.getByRole('button', { name: 'Create volume' }).first()).toBeDisabled();
    await expectAccessible(page);
    await show('frozen', page);
    await page.goto(inProject('/billing'));
    await expectLoaded(page);
    await show('overview', page);
    await banner.getByRole('link', { name: 'Add credit' }).click();
  });

  await test.step('top up through the sandbox’s checkout', async () => {
    await page.getByRole('button', { name: 'Add credit' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Add credit' });
    await dialog.getByLabel('Amount').fill('5');
    await dialog.getByRole('button', { name: 'Continue to payment' }).click();
    await expect(page.getByText('This page replaces a payment processor')).toBeVisible();
    await page.getByRole('radio', { name: /Succeeds immediately/ }).check();
    await show('checkout', page);
    await page.getByRole('button', { name: 'Pay $5.00' }).click();
    await expect(page.getByText('$5.00 of credit added')).toBeVisible(SOON);
    await expect(page.getByText('This project is frozen')).toHaveCount(0);
  });

  await test.step('creating works again', async () => {
    expect((await createVolume()).status()).toBe(201);
    await page.goto(inProject('/storage/volumes'));
    await expect(page.getByRole('link', { name: 'Create volume' }).first()).toBeVisible();
  });

  await test.step('the month ends, and its invoice is paid from the credit', async () => {
    await project.delete(`/compute/instances/${instance}`);
    const today = new Date();
    await moveClock(new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1, 1, 6, 30)));
    await expect.poll(() => ask('SELECT FROM invoices').then(({ length }) => length), SOON).toBe(1);
    // Sessions use the clock of the web process, which was not moved.
    await moveClock(new Date());
    await forgetSession(page);
    await open(page, inProject('/billing/invoices'), { ...owner, name: 'Owner' });
    await page.getByRole('row', { name: /paid/i }).getByRole('link').first().click();
    await expectLoaded(page);
    await expectAccessible(page);
    await show('invoice', page);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page
        .getByRole('link', { name: /PDF/ })
        .or(page.getByRole('button', { name: /PDF/ }))
        .first()
        .click(),
    ]);
    const pdf = readFileSync(await download.path());
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    await test.info().attach('invoice.pdf', { body: pdf, contentType: 'application/pdf' });
  });
});
