import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { administrator, owner } from '@/lib/testing/accounts';
import { NANO, TINY_IMAGE } from '@/lib/testing/hosts';
import { type MailSink, startMailSink } from '@/lib/testing/mail-sink';
import { type Platform, startPlatform } from '@/lib/testing/platform';
import { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, StripeServer } from '@/lib/testing/stripe-server';
import { startWebhookReceiver, type WebhookReceiver } from '@/lib/testing/webhook-receiver';
import { embeddedDatabaseUrl } from './embedded-database';

// Plants secrets wherever an operator, person or script can enter or receive one, on successful and failing paths, then
// searches everything that the platform outputs and stores for them.

const MINUTE_MS = 60_000;
/** The planted secrets with their places. */
const canaries = new Map<string, string>();

function canary(where: string, value = `canary-${randomBytes(12).toString('hex')}`): string {
  canaries.set(where, value);
  return value;
}

const keyOf = (where: string) => `k1:${canary(where, randomBytes(32).toString('base64url'))}`;

let platform: Platform;
let sink: MailSink;
let receiver: WebhookReceiver;
let stripe: StripeServer;
let database: pg.Client;

beforeAll(async () => {
  [sink, receiver, stripe] = await Promise.all([startMailSink(), startWebhookReceiver(), StripeServer.start()]);
  canary('STRIPE_SECRET_KEY', STRIPE_SECRET_KEY);
  canary('STRIPE_WEBHOOK_SECRET', STRIPE_WEBHOOK_SECRET);
  canary('BOOTSTRAP_ADMIN_PASSWORD', administrator.password);
  canary('BOOTSTRAP_TENANT_PASSWORD', owner.password);
  platform = await startPlatform({
    LOG_LEVEL: 'debug',
    METRICS_TOKEN: canary('METRICS_TOKEN'),
    JWT_KEYS: keyOf('JWT_KEYS'),
    ENCRYPTION_KEYS: keyOf('ENCRYPTION_KEYS'),
    SMTP_URL: sink.url.replace('smtp://', `smtp://cloud:${canary('SMTP_URL')}@`),
    ALLOW_PRIVATE_URLS: '127.0.0.1',
    STRIPE_SECRET_KEY,
    STRIPE_WEBHOOK_SECRET,
    STRIPE_API_URL: stripe.url,
  });
  canary('the database’s password', readFileSync(join(platform.dataDir, 'keys/postgres'), 'utf8'));
  database = new pg.Client(embeddedDatabaseUrl(platform.dataDir));
  await database.connect();
}, 10 * MINUTE_MS);
afterAll(async () => {
  await database?.end();
  await platform?.dispose();
  await Promise.all([sink?.close(), receiver?.close(), stripe?.stop()]);
}, 3 * MINUTE_MS);

type Sent = { method?: string; token?: string; body?: unknown; headers?: Record<string, string> };
const refusals: { path: string; status: number; text: string }[] = [];

/** The status and body of an answer; refusals are collected for the search. */
async function send(path: string, { method, token, body, headers = {} }: Sent = {}) {
  const address = `${platform.url}${/^\/(api|admin|console|metrics)\b/.test(path) ? path : `/api/v1${path}`}`;
  const response = await fetch(address, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    redirect: 'manual',
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status >= 400) refusals.push({ path, status: response.status, text });
  const json = response.headers.get('content-type')?.includes('json') && text !== '';
  return { status: response.status, text, body: json ? JSON.parse(text) : undefined };
}

/** Returns a secret that an answer shows once, and plants it. */
async function shown(path: string, field: string, sent: Sent): Promise<string> {
  const { status, body, text } = await send(path, sent);
  expect(status, text).toBeLessThan(300);
  const value = z.record(z.string(), z.unknown()).parse(body)[field];
  const [secret] = z.tuple([z.string()], z.string()).parse(Array.isArray(value) ? value : [value]);
  // Of a multi-line key, a line that is unique to it.
  return canary(`${field} of ${path}`, secret.includes('\n') ? (secret.split('\n')[3] ?? '') : secret);
}

const expectStatus = async (status: number, path: string, sent: Sent) => {
  const answer = await send(path, sent);
  expect([path, answer.status, answer.text]).toEqual([path, status, expect.anything()]);
};

/** Signs in and covers everything about accounts. @returns the token of the first tenant's admin */
async function plantAccounts(): Promise<string> {
  const login = '/auth/login';
  const token = await shown(login, 'access_token', { body: owner });
  const admin = await shown('/admin/api/v1/auth/login', 'access_token', { body: administrator });
  const wrong = { email: owner.email, password: canary('a wrong password') };
  await expectStatus(401, login, { body: wrong });
  await expectStatus(400, login, { body: { ...wrong, colour: 1 } });
  await expectStatus(400, login, { body: { ...wrong, password: canaries.get('a wrong password')?.repeat(50) } });
  await expectStatus(400, login, { body: `{"email": "a@b.test", "password": "${canary('broken JSON')}" x` });
  await expectStatus(401, '/tenant/quota', { token: canary('a bearer token') });
  await expectStatus(401, '/tenant/quota', { headers: { Cookie: `nephele_session=${canary('a cookie')}` } });
  await send(`/console/${TINY_IMAGE}/open?ticket=${canary('a console ticket')}`);
  await send('/metrics', { token: canary('a wrong token of metrics') });

  const csrf = await fetch(`${platform.url}/api/auth/csrf`);
  const { csrfToken } = z.object({ csrfToken: z.string() }).parse(await csrf.json());
  const page = { csrfToken, email: owner.email, password: canary('a wrong password on the page'), json: 'true' };
  await fetch(`${platform.url}/api/auth/callback/password`, {
    method: 'POST',
    headers: {
      Cookie: csrf.headers
        .getSetCookie()
        .map((cookie) => cookie.split(';')[0])
        .join('; '),
    },
    body: new URLSearchParams(page),
    redirect: 'manual',
  });

  const ada = { email: 'ada@example.test', name: 'Ada', password: canary('a new user’s password'), role: 'member' };
  await expectStatus(201, '/identity/users', { token, body: ada, headers: { 'Idempotency-Key': 'ada' } });
  await expectStatus(409, '/identity/users', { token, body: ada });
  await expectStatus(400, '/identity/users', { token, body: { ...ada, role: 'king' } });
  const adas = await shown(login, 'access_token', { body: { email: ada.email, password: ada.password } });
  const changed = { current_password: canary('a wrong present password'), new_password: canary('a next password') };
  await expectStatus(401, '/auth/password', { token: adas, body: changed });
  await expectStatus(204, '/auth/password', { token: adas, body: { ...changed, current_password: ada.password } });
  const grace = { email: 'grace@example.test', name: 'Grace', password: canary('an administrator’s password') };
  await expectStatus(201, '/admin/api/v1/administrators', { token: admin, body: grace });

  await shown('/auth/2fa/setup', 'secret', { token: adas, body: {} });
  await expectStatus(401, '/auth/2fa/activate', { token: adas, body: { code: canary('a code') } });
  const robot = await shown('/auth/tokens', 'token', { token, body: { name: 'robot', role: 'member' } });
  await expectStatus(403, '/identity/users', { token: robot, body: ada });
  return token;
}

/** Creates the resources of a project, and uses their external effects. */
async function plantResources(token: string): Promise<void> {
  const secret = { name: 'planted', type: 'opaque', payload: canary('a secret') };
  const headers = { 'Idempotency-Key': 'planted' };
  for (let time = 0; time < 2; time++) await expectStatus(201, '/vault/secrets', { token, body: secret, headers });
  await expectStatus(409, '/vault/secrets', { token, body: secret });
  await expectStatus(400, '/vault/secrets', { token, body: { ...secret, type: 'certificate' } });
  await expectStatus(409, '/vault/secrets', { token, body: { ...secret, name: 'another' }, headers });
  const [{ id }] = z.tuple([z.object({ id: z.string() })]).parse((await send('/vault/secrets', { token })).body);
  expect((await send(`/vault/secrets/${id}/payload`, { token })).text).toContain(secret.payload);

  await shown('/compute/keypairs', 'private_key', { token, body: { name: 'made here' } });
  const networks = z.array(z.object({ id: z.string() })).parse((await send('/network/networks', { token })).body);
  const machine = { name: 'web', flavor_id: NANO, image_id: TINY_IMAGE, network_id: networks[0]?.id };
  const user_data = `#!/bin/sh\nexport KEY=${canary('user data')}`;
  await expectStatus(201, '/compute/instances', { token, body: { ...machine, user_data } });
  await expectStatus(404, '/compute/instances', { token, body: { ...machine, user_data, flavor_id: 'none' } });

  const credentials = `https://robot:${canary('a URL')}@example.test/hook`;
  const budget = { monthly_limit_usd: 5, webhook_url: `${receiver.url}/hook` };
  const notify_emails = ['ops@example.test', 'gone@example.test'];
  await expectStatus(400, '/billing/budget', { method: 'PUT', token, body: { ...budget, webhook_url: credentials } });
  await expectStatus(200, '/billing/budget', { method: 'PUT', token, body: { ...budget, notify_emails } });
  const signing = '/billing/alerts/signing-secret';
  await shown(signing, 'secret', { token });
  await shown(`${signing}/rotate`, 'secret', { token, body: {} });
  const provider = { name: 'ci', audience: 'x', conditions: { sub: ['*'] }, max_role: 'reader' };
  await expectStatus(400, '/iam/providers', { token, body: { ...provider, issuer: credentials } });
  const me = z
    .object({ project: z.object({ project_id: z.string() }) })
    .parse((await send('/auth/me', { token })).body);
  const identity = [{ alg: 'RS256' }, { iss: 'https://issuer.example.test', sub: 'x' }, canary('a workload’s token')];
  const web_identity_token = identity.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  canary('a workload’s token as it is sent', web_identity_token);
  const asked = { project_id: me.project.project_id, web_identity_token, role: 'reader' };
  await expectStatus(401, '/iam/sts/assume-role', { body: asked });
  await send('/billing/checkout-session', { token, body: { amount_usd: 5 } });
  await send('/api/v1/billing/webhooks/stripe', { body: {}, headers: { 'Stripe-Signature': 't=1,v1=00' } });
}

/** Causes unforeseen errors, whose log entries contain what a developer would want to see. */
async function breakThings(token: string): Promise<void> {
  await database.query(`ALTER TABLE users ADD CONSTRAINT broken CHECK (name <> 'breaks') NOT VALID`);
  await database.query(`ALTER TABLE secrets ADD CONSTRAINT broken CHECK (name <> 'breaks') NOT VALID`);
  await database.query(`ALTER TABLE instances ADD CONSTRAINT broken CHECK (name <> 'breaks') NOT VALID`);
  const user = {
    email: 'eve@example.test',
    name: 'breaks',
    password: canary('a password that breaks'),
    role: 'reader',
  };
  await expectStatus(500, '/identity/users', { token, body: user });
  const secret = { name: 'breaks', type: 'opaque', payload: canary('a secret that breaks') };
  await expectStatus(500, '/vault/secrets', { token, body: secret, headers: { 'Idempotency-Key': 'breaks' } });
  const networks = z.array(z.object({ id: z.string() })).parse((await send('/network/networks', { token })).body);
  const machine = { name: 'breaks', flavor_id: NANO, image_id: TINY_IMAGE, network_id: networks[0]?.id };
  await expectStatus(500, '/compute/instances', {
    token,
    body: { ...machine, user_data: canary('user data that breaks') },
  });
}

/** The status of all alert deliveries, with webhook responses. */
async function deliveries(): Promise<string[]> {
  const { rows } = await database.query<{ state: string }>(
    `SELECT concat_ws(' ', status, response_status) AS state FROM alert_deliveries ORDER BY 1`,
  );
  return rows.map(({ state }) => state);
}

/** Every row of every table, with the table's name. */
async function rows(): Promise<string[]> {
  const { rows: tables } = await database.query<{ name: string }>(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  const all: string[] = [];
  for (const { name } of tables) {
    // Guests read their user data, so it is not sealed; it must appear nowhere else.
    const row = name === 'instances' ? `to_jsonb(t) - 'user_data'` : 't';
    const { rows: found } = await database.query<{ row: string }>(`SELECT (${row})::text AS row FROM ${name} t`);
    all.push(...found.map(({ row }) => `${name} ${row}`));
  }
  return all;
}

/** The command lines and titles of all processes, which everyone on the host can read. */
function commandLines(): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')] : [];
    } catch {
      return [];
    }
  });
}

/** The forms in which a text can appear: plain, hex (a bytes column) and base64url. */
const forms = (text: string) => [text, Buffer.from(text).toString('hex'), Buffer.from(text).toString('base64url')];
const escaped = (places: readonly string[]) =>
  [...canaries].flatMap(([where, secret]) =>
    places
      .filter((place) => forms(secret).some((form) => place.includes(form)))
      .map((place) => `${where}: ${place.slice(0, 300)}`),
  );

test(
  'secrets appear in no log, audit entry, error, mail, webhook, row or command line',
  async () => {
    const token = await plantAccounts();
    await plantResources(token);
    receiver.answer = { status: 500 };
    sink.refused.set('gone@example.test', 550);
    await expectStatus(202, '/billing/alerts/test', { token, body: {} });
    // One mail arrives, one is refused, and a webhook gets an error.
    await expect
      .poll(deliveries, { timeout: MINUTE_MS, interval: 200 })
      .toEqual(['delivered', 'failed', 'pending 500']);
    await breakThings(token);
    const running = commandLines();
    const stored = await rows();
    await database.end();
    const { output } = await platform.stop();

    // Makes sure that the searched output exists: a search in nothing would find nothing.
    for (const sign of ['"process":"web"', '"process":"worker"', '"process":"database"', 'violates check constraint'])
      expect(output).toContain(sign);
    for (const table of ['audit_entries', 'operations', 'alert_deliveries', 'idempotency_records', 'secrets', 'users'])
      expect(stored.filter((row) => row.startsWith(`${table} `))).not.toEqual([]);
    expect(refusals.filter(({ status }) => status === 500)).toHaveLength(3);
    expect(running.join()).toContain('lib/runtime/worker.ts');

    expect(escaped(stored)).toEqual([]);
    expect(escaped(refusals.map(({ path, text }) => `${path} ${text}`))).toEqual([]);
    expect(
      escaped([...sink.received.map(({ raw }) => raw), ...receiver.received.map((call) => JSON.stringify(call))]),
    ).toEqual([]);
    expect(escaped(running)).toEqual([]);
    expect(escaped(output.split('\n'))).toEqual([]);
    // Hashes must not appear either: they are enough for an offline guess.
    expect(output.split('\n').filter((line) => line.includes('$argon2'))).toEqual([]);
  },
  10 * MINUTE_MS,
);
