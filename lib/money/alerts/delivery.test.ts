import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { execute, query, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { startWorker } from '@/lib/core/operations/worker';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { startMailSink } from '@/lib/testing/mail-sink';
import { spend } from '@/lib/testing/money';
import { startWebhookReceiver } from '@/lib/testing/webhook-receiver';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { deliverySteps } from './delivery';
import { RETRY_AFTER_MS } from './operations';
import { raiseAlerts } from './schedule';

/** Fake DNS for these tests: each lookup returns the next address. */
const names = vi.hoisted(() => new Map<string, string[]>());
vi.mock('node:dns', async (original) => {
  const dns = await original<typeof import('node:dns')>();
  type Answer = (error: Error | null, found: { address: string; family: number }[]) => void;
  const lookup = (host: string, options: object, answer: Answer) => {
    const address = names.get(host)?.shift();
    if (address === undefined) return dns.lookup(host, { ...options, all: true }, answer);
    return answer(null, [{ address, family: 4 }]);
  };
  return { ...dns, lookup };
});

const sink = await startMailSink();
const receiver = await startWebhookReceiver('127.0.0.1');
const trap = await startWebhookReceiver('127.0.0.2');
// Must be set before anything reads the settings.
process.env.ALLOW_PRIVATE_URLS = '127.0.0.1';
process.env.SMTP_URL = sink.url;
process.env.MAIL_FROM = 'Cloud <cloud@nephele.example>';
testDatabase();
const call = api();

const children = new Set<ChildProcess>();
beforeEach(async () => {
  // Postpones retries of earlier tests.
  await execute(sql`UPDATE operations SET run_at = run_at + interval '10 years' WHERE finished_at IS NULL`);
  receiver.received.length = 0;
  receiver.answer = { status: 204 };
  receiver.onCall = () => {};
  sink.received.length = 0;
  sink.refused.clear();
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await setTestClock(0);
});
afterAll(() => Promise.all([sink.close(), receiver.close(), trap.close()]));

const patience = { timeout: 30_000, interval: 20 };

async function withBudget(name: string, budget: Record<string, unknown>): Promise<TestProject> {
  const project = await createProject(name);
  const body = { monthly_limit_usd: 10, thresholds: [], ...budget };
  const { status, text } = await call('PUT', '/billing/budget', { token: project.users.admin.token, body });
  expect(status, text).toBe(200);
  return project;
}

/** Spends the whole budget, so that its alert of 100 % is due. */
async function useUp({ id }: TestProject): Promise<void> {
  await spend(id, 10_000_000);
  expect(await raiseAlerts()).toBe(1);
}

type Shown = {
  id: string;
  alert: Record<string, unknown> | null;
  channel: string;
  target: string;
  status: string;
  attempts: number;
  response_status: number | null;
  error: string | null;
  next_attempt_at: string | null;
  delivered_at: string | null;
};
async function deliveriesOf({ users }: TestProject): Promise<Shown[]> {
  return (await call('GET', '/billing/alerts', { token: users.reader.token })).body as Shown[];
}
const onlyOf = async (project: TestProject) => {
  const [only, ...others] = await deliveriesOf(project);
  if (!only || others.length > 0) throw new Error('there is not one delivery');
  return only;
};

/** Runs a worker until a condition holds. */
async function working(until: () => Promise<void>): Promise<void> {
  const worker = startWorker({ steps: [deliverySteps], jobs: [], lease_ms: 300 });
  try {
    await vi.waitFor(until, patience);
  } finally {
    await worker.stop();
  }
}

const settled = (project: TestProject) => async () => {
  for (const { status } of await deliveriesOf(project)) expect(status).not.toBe('pending');
};

async function secretOf({ users }: TestProject): Promise<string> {
  const { body } = await call('GET', '/billing/alerts/signing-secret', { token: users.admin.token });
  return (body as { secret: string }).secret;
}

/** Verifies a call with the Standard Webhooks library. */
const verify = (secret: string, { headers, body }: (typeof receiver.received)[number]) =>
  new Webhook(secret).verify(body, {
    'webhook-id': String(headers['webhook-id']),
    'webhook-timestamp': String(headers['webhook-timestamp']),
    'webhook-signature': String(headers['webhook-signature']),
  });

describe('mail', () => {
  test('goes to every address separately, and says what happened and what to do', async () => {
    const project = await withBudget('mailed', {
      notify_emails: ['ada@acme.example', 'finance@acme.example'],
      enable_quota_freeze: true,
    });
    await useUp(project);
    await working(settled(project));
    expect(sink.received.map(({ to }) => to).sort()).toEqual(['ada@acme.example', 'finance@acme.example']);
    for (const { to, from, raw } of sink.received) {
      expect(from).toBe('cloud@nephele.example');
      expect(raw).toContain(`To: ${to}\r\n`);
      expect(raw).toMatch(/^Subject: .*mailed: 100% of the budget/m);
      const text = raw.replaceAll('=\r\n', '');
      expect(text).toContain('$10.00 of its $10.00 budget');
      expect(text).toContain('The project is frozen');
      expect(text).toContain(`/projects/${project.slug}/billing/budget`);
    }
    for (const delivery of await deliveriesOf(project)) {
      expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, error: null, next_attempt_at: null });
      expect(sink.received.some(({ raw }) => raw.includes(`Message-ID: <${delivery.id}@`))).toBe(true);
    }
  });

  test('is not retried after a permanent refusal by the server, and is after a temporary one', async () => {
    sink.refused.set('gone@acme.example', 550).set('full@acme.example', 452);
    const project = await withBudget('refused', { notify_emails: ['gone@acme.example', 'full@acme.example'] });
    await useUp(project);
    await working(async () =>
      expect((await deliveriesOf(project)).map(({ target, status, attempts }) => [target, status, attempts])).toEqual(
        expect.arrayContaining([
          ['gone@acme.example', 'failed', 1],
          ['full@acme.example', 'pending', 1],
        ]),
      ),
    );
    for (const { error } of await deliveriesOf(project)) expect(error).toContain('No such user');
    sink.refused.clear();
    await setTestClock(RETRY_AFTER_MS[0] ?? 0);
    await working(settled(project));
    expect(sink.received.map(({ to }) => to)).toEqual(['full@acme.example']);
  });

  test('cannot get an extra header through a project’s name', async () => {
    const project = await withBudget('plain', { notify_emails: ['ada@acme.example'] });
    await execute(
      sql`UPDATE projects SET name = ${'Acme\r\nBcc: everybody@example.test'}::text WHERE id = ${project.id}::uuid`,
    );
    await useUp(project);
    await working(settled(project));
    expect(sink.received.map(({ to }) => to)).toEqual(['ada@acme.example']);
    expect(sink.received[0]?.raw).not.toMatch(/^Bcc:/m);
  });
});

describe('a webhook', () => {
  test('is signed as in Standard Webhooks, and contains the exact amounts', async () => {
    const project = await withBudget('signed', { webhook_url: `${receiver.url}/hook?x=1` });
    await useUp(project);
    await working(settled(project));
    const { id, alert } = await onlyOf(project);
    const [received] = receiver.received;
    if (!received) throw new Error('nothing came');
    expect([received.path, received.headers['content-type'], received.headers['webhook-id']]).toEqual([
      '/hook?x=1',
      'application/json',
      id,
    ]);
    expect(verify(await secretOf(project), received)).toEqual({
      type: 'budget.threshold_reached',
      timestamp: alert?.crossed_at,
      data: {
        project_id: project.id,
        project_name: 'signed',
        alert_id: alert?.id,
        month: alert?.month,
        threshold_percent: 100,
        limit_usd: 10,
        spend_usd: 10,
        frozen: false,
        crossed_at: alert?.crossed_at,
      },
    });
    expect(() => verify(`whsec_${Buffer.alloc(32).toString('base64')}`, received)).toThrow('No matching signature');
    expect(await onlyOf(project)).toMatchObject({ status: 'delivered', response_status: 204, attempts: 1 });
  });

  test('that answers 500 is retried with growing pauses under the same id, and given up after the last', async () => {
    receiver.answer = { status: 500 };
    const project = await withBudget('failing', { webhook_url: receiver.url });
    await useUp(project);
    let elapsed = 0;
    for (const [position, pause] of [...RETRY_AFTER_MS, 0].entries()) {
      const attempts = position + 1;
      await working(async () => expect(await onlyOf(project)).toMatchObject({ attempts }));
      const { status, error, response_status, next_attempt_at } = await onlyOf(project);
      expect([error, response_status]).toEqual(['The server answered 500.', 500]);
      if (pause === 0) {
        expect([status, next_attempt_at]).toEqual(['failed', null]);
        break;
      }
      expect(status).toBe('pending');
      const due = await queryOne<{ waits_ms: number }>(sql`
        SELECT (extract(epoch FROM run_at - updated_at) * 1000)::float8 AS waits_ms FROM operations WHERE kind = 'alert.deliver' AND project_id = ${project.id}::uuid`);
      expect(Math.abs((due?.waits_ms ?? 0) - pause)).toBeLessThan(1000);
      elapsed += pause + 1000;
      await setTestClock(elapsed);
    }
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(receiver.received).toHaveLength(RETRY_AFTER_MS.length + 1);
    const left = await query(
      sql`SELECT FROM operations WHERE project_id = ${project.id}::uuid AND finished_at IS NULL`,
    );
    expect(left).toHaveLength(0);
  });

  test('that answers 410 is not called again', async () => {
    receiver.answer = { status: 410 };
    const project = await withBudget('gone', { webhook_url: receiver.url });
    await useUp(project);
    await working(settled(project));
    expect(await onlyOf(project)).toMatchObject({ status: 'failed', attempts: 1, response_status: 410 });
  });

  test('that redirects is not followed', async () => {
    receiver.answer = { status: 307, headers: { Location: `${trap.url}/internal` } };
    const project = await withBudget('redirecting', { webhook_url: receiver.url });
    await useUp(project);
    await working(async () => expect(await onlyOf(project)).toMatchObject({ attempts: 1 }));
    expect((await onlyOf(project)).error).toBe('The server answered 307; redirects are not followed.');
    expect(trap.received).toEqual([]);
  });

  test('whose name changes to a private address between two attempts is refused at the second', async () => {
    const port = new URL(trap.url).port;
    // The first address is allowed but has no certificate, so the attempt fails.
    names.set('rebinding.test', ['127.0.0.1', '127.0.0.2', '127.0.0.2']);
    const project = await withBudget('rebound', { webhook_url: `https://rebinding.test:${port}/` });
    await useUp(project);
    await working(async () => expect(await onlyOf(project)).toMatchObject({ attempts: 1 }));
    expect((await onlyOf(project)).error).not.toContain('public internet');
    await setTestClock((RETRY_AFTER_MS[0] ?? 0) + 1000);
    await working(async () => expect(await onlyOf(project)).toMatchObject({ attempts: 2 }));
    expect((await onlyOf(project)).error).toContain('rebinding.test is not on the public internet');
    expect(trap.received).toEqual([]);
  });

  test('to a private address is refused when set, and also if the database already contains it', async () => {
    const project = await withBudget('inside', { webhook_url: receiver.url });
    const body = { monthly_limit_usd: 10, webhook_url: 'https://169.254.169.254/latest' };
    const refused = await call('PUT', '/billing/budget', { token: project.users.admin.token, body });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('webhook_url')]);
    await execute(sql`UPDATE budgets SET webhook_url = ${trap.url}::text WHERE project_id = ${project.id}::uuid`);
    await useUp(project);
    await working(async () => expect(await onlyOf(project)).toMatchObject({ attempts: 1 }));
    expect((await onlyOf(project)).error).toContain('https://');
    expect(trap.received).toEqual([]);
  });
});

describe('a worker process', () => {
  /** Starts a worker process and collects its log. */
  async function startProcess(env: Record<string, string> = {}) {
    const child = spawn(process.execPath, ['--import', 'tsx', 'lib/testing/alert-worker.ts'], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    children.add(child);
    child.once('exit', () => children.delete(child));
    const printed: string[] = [];
    child.stdout?.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
    await once(child, 'message');
    return { child, printed };
  }

  test('killed between sending and recording sends the same event again and records it once', async () => {
    const project = await withBudget('killed', { webhook_url: receiver.url });
    const { child } = await startProcess();
    receiver.answer = null;
    receiver.onCall = () => child.kill('SIGKILL');
    await useUp(project);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    expect(child.signalCode).toBe('SIGKILL');
    expect(await onlyOf(project)).toMatchObject({ status: 'pending', attempts: 0 });
    receiver.answer = { status: 200 };
    receiver.onCall = () => {};
    await working(settled(project));
    const { id, attempts } = await onlyOf(project);
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([id, id]);
    expect(receiver.received[1]?.body).toBe(receiver.received[0]?.body);
    expect(attempts).toBe(1);
  });

  test('logs no secret, whatever goes wrong', async () => {
    receiver.answer = { status: 500 };
    const project = await withBudget('silent', {
      notify_emails: ['ada@acme.example'],
      webhook_url: `${receiver.url}/hook/token-of-the-path`,
    });
    const smtp = 'smtp://mailer:password-of-mail@127.0.0.1:9';
    const { child, printed } = await startProcess({ LOG_LEVEL: 'trace', SMTP_URL: smtp });
    await useUp(project);
    await vi.waitFor(async () => {
      for (const { attempts } of await deliveriesOf(project)) expect(attempts).toBe(1);
    }, patience);
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
    const secret = (await secretOf(project)).slice('whsec_'.length);
    const log = printed.join('');
    expect(log).toContain('sending mail failed');
    for (const secretive of [secret, 'password-of-mail', 'token-of-the-path']) expect(log).not.toContain(secretive);
    const mail = (await deliveriesOf(project)).find(({ channel }) => channel === 'email');
    expect(mail?.error).toBe('The platform’s mail server could not be reached, or did not accept the message.');
  });
});

describe('the signing secret', () => {
  test('is for admins, audited when read, and sealed in the database', async () => {
    const project = await createProject('sealed');
    const { admin, member } = project.users;
    expect((await call('GET', '/billing/alerts/signing-secret', { token: member.token })).status).toBe(403);
    const [one, two] = [await secretOf(project), await secretOf(project)];
    expect(one).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(two).toBe(one);
    const stored = await queryOne<{ sealed: Buffer }>(
      sql`SELECT sealed FROM alert_secrets WHERE project_id = ${project.id}::uuid`,
    );
    const bytes = Buffer.from(one.slice('whsec_'.length), 'base64');
    expect([stored?.sealed.includes(bytes), bytes.length]).toEqual([false, 32]);
    const audited = await query<{
      actor_name: string;
      entry: string;
    }>(sql`SELECT actor_name, audit_entries::text AS entry
      FROM audit_entries WHERE project_id = ${project.id}::uuid AND action = 'alert_secret.read' AND result = 'succeeded'`);
    expect(audited.map(({ actor_name }) => actor_name)).toEqual([admin.email, admin.email]);
    expect(audited.some(({ entry }) => entry.includes(one))).toBe(false);
  });

  test('continues to sign beside its replacement for exactly a day', async () => {
    const project = await withBudget('rotated', { webhook_url: receiver.url });
    const before = await secretOf(project);
    const rotated = await call('POST', '/billing/alerts/signing-secret/rotate', {
      token: project.users.admin.token,
      body: {},
    });
    const { secret: after, created_at, previous_expires_at } = rotated.body as Record<string, string>;
    if (!after || !created_at || !previous_expires_at) throw new Error(rotated.text);
    expect(after).not.toBe(before);
    expect(new Date(previous_expires_at).getTime() - new Date(created_at).getTime()).toBe(24 * 60 * 60_000);
    await useUp(project);
    await working(settled(project));
    const [first] = receiver.received;
    if (!first) throw new Error('nothing came');
    for (const secret of [before, after])
      expect(verify(secret, first)).toMatchObject({ type: 'budget.threshold_reached' });

    await execute(
      sql`UPDATE alert_secrets SET created_at = created_at - interval '1 day' WHERE project_id = ${project.id}::uuid`,
    );
    await call('POST', '/billing/alerts/test', { token: project.users.admin.token, body: {} });
    await working(settled(project));
    const second = receiver.received[1];
    if (!second) throw new Error('the test did not come');
    expect(verify(after, second)).toMatchObject({ type: 'budget.test' });
    expect(() => verify(before, second)).toThrow('No matching signature');
  });
});

describe('the test button', () => {
  const press = (project: TestProject, headers: Record<string, string> = {}) =>
    call('POST', '/billing/alerts/test', { token: project.users.admin.token, body: {}, headers });

  test('reaches everyone in the same way as alerts', async () => {
    const project = await withBudget('tested', { notify_emails: ['ada@acme.example'], webhook_url: receiver.url });
    const { status, body } = await press(project);
    expect(status).toBe(202);
    expect(body).toMatchObject([
      { channel: 'email', target: 'ada@acme.example', alert: null, status: 'pending' },
      { channel: 'webhook', target: receiver.url, alert: null, status: 'pending' },
    ]);
    await working(settled(project));
    expect(sink.received.map(({ raw }) => /^Subject: (.*)\r$/m.exec(raw)?.[1])).toEqual([
      'tested: test of budget alerts',
    ]);
    expect(receiver.received.map((received) => JSON.parse(received.body))).toMatchObject([
      { type: 'budget.test', data: { project_id: project.id } },
    ]);
  });

  test('works at most five times in ten minutes, even in parallel; a repeated request counts once', async () => {
    const project = await withBudget('eager', { notify_emails: ['somebody@else.example'] });
    const once = await press(project, { 'Idempotency-Key': 'one' });
    const again = await press(project, { 'Idempotency-Key': 'one' });
    expect([once.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([202, 202, 'true']);
    const answers = await Promise.all(Array.from({ length: 12 }, () => press(project)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 202)).toHaveLength(4);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.headers.get('retry-after')).toBe('600');
    await setTestClock(11 * 60_000);
    expect((await press(project)).status).toBe(202);
  });

  test('is refused when the budget has no recipients', async () => {
    const answer = await press(await createProject('lonely'));
    expect([answer.status, answer.text]).toEqual([409, expect.stringContaining('notify_emails')]);
  });
});

test('the log of deliveries is paged, newest first, and filtered by status', async () => {
  const project = await withBudget('paged', {
    notify_emails: ['a@acme.example', 'b@acme.example', 'c@acme.example'],
    webhook_url: receiver.url,
  });
  await useUp(project);
  const { token } = project.users.reader;
  const first = await call('GET', '/billing/alerts?limit=3', { token });
  const next = new URL(/<([^>]*)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '').search;
  const second = await call('GET', `/billing/alerts${next}`, { token });
  const ids = [...(first.body as Shown[]), ...(second.body as Shown[])].map(({ id }) => id);
  expect([ids.length, [...ids].sort().reverse()]).toEqual([4, ids]);
  expect((await call('GET', '/billing/alerts?channel=webhook', { token })).body).toHaveLength(1);
  expect((await call('GET', '/billing/alerts?status=failed', { token })).body).toEqual([]);
});
