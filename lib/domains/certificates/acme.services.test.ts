import { type ChildProcess, spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { Agent } from 'node:https';
import { getRequestListener } from '@hono/node-server';
import acme from 'acme-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { execute, query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { app } from '@/lib/platform/app';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { listenOnLoopback } from '@/lib/testing/loopback';
import { operationsOf } from '@/lib/testing/operations';
import { type Pebble, pebbleTrouble, startPebble, visibleOf } from '@/lib/testing/pebble';
import { seededRandom } from '@/lib/testing/random';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { orderDueCertificates } from './acme/jobs';
import { openSealedKey } from './acme/sealed';
import type { Certificate } from './schema';
import { servedCertificates } from './uses';

process.env.SMTP_URL = 'smtp://127.0.0.1:9';
testDatabase();
const call = api();
const HOUR_MS = 60 * 60_000;
const SEED = Number(process.env.FAULT_SEED ?? Date.now() % 100_000);
const trouble = await pebbleTrouble();
if (trouble !== null && process.env.CI) throw new Error(trouble);

/** Until a worker has done its part. */
const until = (condition: () => Promise<void>) => vi.waitFor(condition, { timeout: 100_000, interval: 50 });

// Worker processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 240_000 });

describe.skipIf(trouble !== null)(`certificates from pebble${trouble ? ` (skipped: ${trouble})` : ''}`, () => {
  let pebble: Pebble;
  let web: Server;
  let project: TestProject;
  const workers = new Set<ChildProcess>();
  let output = '';

  beforeAll(async () => {
    pebble = await startPebble();
    web = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false })).listen(
      pebble.httpPort,
      '127.0.0.1',
    );
    await once(web, 'listening');
  });
  afterAll(async () => {
    web?.close();
    await pebble?.stop();
  });
  beforeEach(async () => {
    project = await createProject('shop');
  });
  afterEach(async () => {
    await Promise.all([...workers].map(end));
    await setTestClock(0);
  });

  async function end(worker: ChildProcess): Promise<void> {
    worker.kill('SIGKILL');
    if (worker.exitCode === null && worker.signalCode === null) await once(worker, 'exit');
  }

  /** A worker process that uses this authority, and kills itself at `killAt`. */
  async function startWorker(options: { authority?: Record<string, string>; killAt?: string } = {}) {
    const { authority = { ACME_DIRECTORY_URL: pebble.directoryUrl, ACME_CA_FILE: pebble.caFile }, killAt } = options;
    const worker = spawn(process.execPath, ['--import', 'tsx', 'lib/testing/certificate-worker.ts'], {
      env: { ...process.env, ...authority, LOG_LEVEL: 'trace', ...(killAt && { KILL_AT: killAt }) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    workers.add(worker);
    worker.once('exit', () => workers.delete(worker));
    for (const stream of [worker.stdout, worker.stderr])
      stream?.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    await once(worker, 'message');
    return worker;
  }

  const hostOf = (name: string) => `${name}.${project.slug}.apps.localhost`;

  async function order(name: string): Promise<Certificate> {
    const body = { name, domains: [hostOf(name)], issuer: 'acme' };
    const { status, body: created } = await call('POST', '/gateway/certificates', {
      token: project.users.member.token,
      body,
    });
    expect(status).toBe(201);
    return created as Certificate;
  }

  async function read(id: string): Promise<Certificate> {
    const { body } = await call('GET', `/gateway/certificates/${id}`, { token: project.users.reader.token });
    return body as Certificate;
  }
  const untilStatus = (id: string, status: Certificate['status']) =>
    until(async () => expect(await read(id)).toMatchObject({ status }));

  async function served(id: string) {
    const [one] = await servedCertificates(project.id, [id]);
    if (!one) throw new Error('nothing is served');
    return one;
  }

  test('are ordered, validated over http-01 and served; the key is in no answer, log line or process list', async () => {
    const ordered = await order('www');
    expect(ordered).toMatchObject({ status: 'pending', issuer: 'acme', chain: [], not_after: null });
    const worker = await startWorker();
    const [account] = await query<{ id: string; sealed_key: Buffer }>(sql`SELECT id, sealed_key FROM acme_accounts`);
    await untilStatus(ordered.id, 'issued');
    const visible = [...pebble.pids, worker.pid ?? 0].map(visibleOf).join('\n');
    const { chain_pem, private_key_pem } = await served(ordered.id);
    expect(new X509Certificate(chain_pem).subjectAltName).toBe(`DNS:${hostOf('www')}`);
    const answer = await call('GET', '/gateway/certificates', { token: project.users.reader.token });
    const operations = await call('GET', '/workspace/operations', { token: project.users.reader.token });
    const [{ all } = { all: '' }] = await query<{ all: string }>(sql`SELECT string_agg(r::text, '') AS all FROM (
      SELECT o::text FROM operations o UNION ALL SELECT l::text FROM operation_logs l UNION ALL SELECT a::text FROM audit_entries a
      UNION ALL SELECT c::text FROM certificates c UNION ALL SELECT a::text FROM acme_accounts a UNION ALL SELECT o::text FROM acme_orders o) AS r`);
    const [, secret = 'none'] = private_key_pem.split('\n');
    expect(answer.text).toContain(ordered.id);
    for (const seen of [answer.text, operations.text, all, output, visible]) expect(seen).not.toContain(secret);
    expect(account).toBeUndefined();
    expect(await query(sql`SELECT FROM acme_orders WHERE sealed_key IS NOT NULL`)).toEqual([]);
    expect(await query(sql`SELECT FROM acme_challenges`)).toEqual([]);
  });

  test('answer a challenge only for its token and host', async () => {
    const { id } = await order('exact');
    await pebble.setDnsFailure(hostOf('exact'), true);
    await startWorker({ killAt: 'validate' });
    const find = () =>
      query<{ token: string; host: string; key_authorization: string }>(sql`SELECT * FROM acme_challenges`);
    await until(async () => expect(await find()).toHaveLength(1));
    const [challenge] = await find();
    const ask = async (token: string, host: string) => {
      const url = `http://127.0.0.1:${pebble.httpPort}/.well-known/acme-challenge/${token}`;
      const answer = await app.fetch(new Request(url, { headers: { host } }));
      return { status: answer.status, text: await answer.text() };
    };
    const { token = '', host = '', key_authorization = '' } = challenge ?? {};
    expect(await ask(token, `${host.toUpperCase()}:8080`)).toEqual({ status: 200, text: key_authorization });
    expect((await ask(token, hostOf('other'))).status).toBe(404);
    for (const other of [token.slice(1), '%00', '..%2F..', 'x'.repeat(1000)])
      expect((await ask(other, host)).status).toBe(404);
    expect((await ask(token, 'a%00b')).status).toBe(404);
    await pebble.setDnsFailure(hostOf('exact'), false);
    await call('DELETE', `/gateway/certificates/${id}`, { token: project.users.member.token });
    // Its order ends with it.
    await startWorker();
    await until(async () => expect(await find()).toEqual([]));
    expect(await query(sql`SELECT FROM acme_orders WHERE sealed_key IS NOT NULL`)).toEqual([]);
  });

  test('survive the death of the worker in every stage with one key and one certificate', async () => {
    // As after a death between the authority's answer to a registration and its row.
    await execute(sql`UPDATE acme_accounts SET url = NULL`);
    const { id } = await order('killed');
    for (const killAt of ['place', 'challenges', 'finalize', 'download']) {
      const worker = await startWorker({ killAt });
      if (worker.signalCode === null) await once(worker, 'exit');
    }
    const [{ sealed_key: before } = { sealed_key: null }] = await query<{ sealed_key: Buffer | null }>(
      sql`SELECT sealed_key FROM acme_orders WHERE certificate_id = ${id}::uuid`,
    );
    const [{ id: orderId } = { id: '' }] = await query<{ id: string }>(
      sql`SELECT id FROM acme_orders WHERE certificate_id = ${id}::uuid`,
    );
    await startWorker();
    await untilStatus(id, 'issued');
    expect(await operationsOf(id)).toMatchObject([{ status: 'succeeded' }]);
    const { private_key_pem } = await served(id);
    expect(private_key_pem).toBe(before && openSealedKey('acme_order', orderId, before));
  });

  test('are renewed after two thirds of their life, by a new account if the authority has revoked the old one', async () => {
    const { id } = await order('renewed');
    await startWorker();
    await untilStatus(id, 'issued');
    const first = await served(id);
    const accountUrl = await revokeAccount();
    const { not_before, not_after, next_order_at } = await read(id);
    const [from = 0, to = 0, due = 0] = [not_before, not_after, next_order_at].map((time) => Date.parse(time ?? ''));
    expect(due).toBeCloseTo(from + ((to - from) * 2) / 3, -4);
    const { signal } = new AbortController();
    await setTestClock(due - Date.now() - HOUR_MS);
    await orderDueCertificates(signal);
    expect(await operationsOf(id)).toHaveLength(1);
    await setTestClock(due - Date.now() + HOUR_MS);
    await orderDueCertificates(signal);
    await orderDueCertificates(signal);
    const succeeded = { status: 'succeeded', error: null };
    await until(async () => expect(await operationsOf(id)).toMatchObject([succeeded, succeeded]));
    const second = await served(id);
    expect(second.fingerprint_sha256).not.toBe(first.fingerprint_sha256);
    expect(second.private_key_pem).not.toBe(first.private_key_pem);
    const accounts = await query<{ url: string }>(sql`SELECT url FROM acme_accounts`);
    expect(accounts.map(({ url }) => url)).not.toEqual([accountUrl]);
    // Certificates of the tests before are renewed too: their orders end before the clock goes back, or would wait for it.
    await until(async () => expect(await query(sql`SELECT FROM acme_orders WHERE sealed_key IS NOT NULL`)).toEqual([]));
  });

  test.each(['challenges', 'finalize'])(
    'are issued to a new account when the authority forgets the old one before the step %s',
    async (killAt) => {
      const { id } = await order(`forgotten-${killAt}`);
      const worker = await startWorker({ killAt });
      if (worker.signalCode === null) await once(worker, 'exit');
      const accounts = () => query<{ id: string }>(sql`SELECT id FROM acme_accounts`);
      const before = await accounts();
      expect(before).toHaveLength(1);
      await pebble.forgetAll();
      await startWorker();
      await untilStatus(id, 'issued');
      expect(await operationsOf(id)).toMatchObject([{ status: 'succeeded' }]);
      expect(await accounts()).not.toEqual(before);
    },
  );

  test(`are all issued at the end, however often the authority is killed (FAULT_SEED=${SEED})`, async () => {
    const random = seededRandom(SEED);
    await startWorker();
    const ids: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      ids.push((await order(`kill-${round}`)).id);
      await new Promise((resolve) => setTimeout(resolve, random() * 600));
      await pebble.forgetAll();
    }
    const { signal } = new AbortController();
    for (const id of ids) {
      await until(async () => {
        const { status, status_reason } = await read(id);
        // An order that failed meanwhile is due again in an hour.
        if (status === 'failed') {
          console.log(`ordered again: ${status_reason}`);
          await execute(sql`UPDATE certificates SET next_order_at = platform_now()
            WHERE id = ${id}::uuid AND next_order_at IS NOT NULL`);
          await orderDueCertificates(signal);
        }
        expect(status).toBe('issued');
      });
      await served(id);
    }
    expect(await query(sql`SELECT FROM acme_challenges`)).toEqual([]);
    expect(await query(sql`SELECT FROM acme_orders WHERE sealed_key IS NOT NULL`)).toEqual([]);
  });

  async function revokeAccount(): Promise<string> {
    const [account] = await query<{ id: string; url: string; sealed_key: Buffer }>(
      sql`SELECT id, url, sealed_key FROM acme_accounts`,
    );
    if (!account) throw new Error('there is no account');
    acme.axios.defaults.httpsAgent = new Agent({ ca: readFileSync(pebble.caFile) });
    const accountKey = openSealedKey('acme_account', account.id, account.sealed_key);
    const client = new acme.Client({ directoryUrl: pebble.directoryUrl, accountKey, accountUrl: account.url });
    await client.updateAccount({ status: 'deactivated' });
    return account.url;
  }

  test('fail with the authority’s words when DNS fails, tell the administrators, and are tried again', async () => {
    const { id } = await order('broken');
    await pebble.setDnsFailure(hostOf('broken'), true);
    await startWorker();
    await untilStatus(id, 'failed');
    const failed = await read(id);
    expect(failed.status_reason).toContain(`${hostOf('broken')} could not be validated: `);
    expect(failed.status_reason).toContain('could not resolve');
    expect(Date.parse(failed.next_order_at ?? '') - Date.now()).toBeGreaterThan(HOUR_MS - 60_000);
    const notices = await call('GET', '/notifications', { token: project.users.admin.token });
    expect(notices.body).toMatchObject([{ kind: 'operation_failed', resource: { id, name: 'broken' } }]);
    const mails = await query<{ input: { user_id: string } }>(sql`SELECT input FROM operations
      WHERE kind = 'certificate.mail' AND input->>'certificate_id' = ${id}::text`);
    expect(mails.map(({ input }) => input.user_id)).toEqual([project.users.admin.id]);
    await pebble.setDnsFailure(hostOf('broken'), false);
    await setTestClock(2 * HOUR_MS);
    await orderDueCertificates(new AbortController().signal);
    await untilStatus(id, 'issued');
    expect(await read(id)).toMatchObject({ status_reason: null });
  });

  test('come from an authority that binds accounts to its customers', async () => {
    const kid = 'customer-1';
    const hmacKey = Buffer.from('a secret of thirty-two characters').toString('base64url');
    const bound = await startPebble({ binding: { kid, hmacKey } });
    const other = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false })).listen(
      bound.httpPort,
      '127.0.0.1',
    );
    try {
      const authority = { ACME_DIRECTORY_URL: bound.directoryUrl, ACME_CA_FILE: bound.caFile };
      const { id } = await order('bound');
      await startWorker({ authority: { ...authority, ACME_EAB_KEY_ID: kid, ACME_EAB_HMAC_KEY: hmacKey } });
      await untilStatus(id, 'issued');
    } finally {
      other.close();
      await bound.stop();
    }
  });

  test('wait as long as the authority’s rate limit says', async () => {
    const { id } = await order('limited');
    const limiting = createServer((request, response) => {
      const base = `http://${request.headers.host}`;
      response.setHeader('Replay-Nonce', Buffer.from(String(Math.random())).toString('base64url'));
      response.setHeader('Content-Type', 'application/json');
      if (request.url === '/account') response.writeHead(201, { Location: `${base}/accounts/1` }).end('{}');
      else if (request.url === '/order') {
        response.writeHead(429, { 'Retry-After': '36000' });
        response.end(
          JSON.stringify({ type: 'urn:ietf:params:acme:error:rateLimited', detail: 'too many certificates' }),
        );
      } else
        response.end(
          JSON.stringify({ newNonce: `${base}/nonce`, newAccount: `${base}/account`, newOrder: `${base}/order` }),
        );
    });
    const port = await listenOnLoopback(limiting);
    await startWorker({ authority: { ACME_DIRECTORY_URL: `http://127.0.0.1:${port}/dir` } });
    await untilStatus(id, 'failed');
    limiting.close();
    const { status_reason, next_order_at } = await read(id);
    expect(status_reason).toBe('The certificate authority refused the order (rateLimited): too many certificates');
    expect(Date.parse(next_order_at ?? '') - Date.now()).toBeGreaterThan(9 * HOUR_MS);
  });
});
