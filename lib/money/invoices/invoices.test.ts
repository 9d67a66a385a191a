import { inflateSync } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute, query, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { startWorker } from '@/lib/core/operations/worker';
import { foldUsage, recordUsage } from '@/lib/money/metering/usage-events';
import { costOf, toCents, total } from '@/lib/money/rating/cost';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { operationsOf } from '@/lib/testing/operations';
import { seededRandom } from '@/lib/testing/random';
import { api, createProject, createUser, signIn, type TestProject } from '@/lib/testing/world';
import { closeMonths } from './close';
import { charge, collectSteps } from './collection';

testDatabase();
const call = api();
let root: string;
beforeAll(async () => {
  root = (await createUser('root@example.test', 'backoffice')).id;
});
// Sessions last a day, and the clock of these tests moves by months.
const tokenOf = (project: TestProject) => signIn(project.users.admin.id);
const administrator = () => signIn(root, 'backoffice');
afterEach(() => setTestClock(0));

const at = (moment: string) => setTestClock(new Date(moment).getTime() - Date.now());

/** A project of January 2027, with no other project left to close. */
async function projectOf(name: string, created = '2027-01-01T00:00:00Z'): Promise<TestProject> {
  await execute(sql`UPDATE project_accounts SET billed_until = '2100-01-01'`);
  const project = await createProject(name);
  await execute(sql`UPDATE projects SET created_at = ${new Date(created)}::timestamptz WHERE id = ${project.id}::uuid`);
  return project;
}

async function span(project: TestProject, metric: string, quantity: number, from: string, to: string | null) {
  await execute(sql`INSERT INTO spans (project_id, metric, resource_type, resource_id, resource_name, quantity, started_at, ended_at)
    VALUES (${project.id}::uuid, ${metric}::text, 'instance', ${newId()}::uuid, 'web', ${quantity}::numeric, ${new Date(from)}::timestamptz,
      ${to === null ? null : new Date(to)}::timestamptz)`);
}

async function grant(project: TestProject, amount: string) {
  await execute(sql`INSERT INTO credit_entries (id, project_id, source, from_account, to_account, amount_usd, reason, created_by, created_at)
    VALUES (${newId()}::uuid, ${project.id}::uuid, ${`grant:${newId()}`}::text, 'grant', 'credit', ${amount}::numeric, 'test', 'test', platform_now())`);
}

type Shown = {
  id: string;
  number: string;
  month: string;
  subtotal_usd: number;
  credit_usd: number;
  due_usd: number;
  customer: Record<string, unknown>;
  payment: { status: string; attempts: number; failure: string | null; card: string | null };
  lines: {
    label: string;
    used_in: string;
    quantity: number;
    unit_price_usd: number;
    amount_usd: number;
    kind: string;
    metric: string;
  }[];
};

async function invoicesOf(project: TestProject): Promise<Shown[]> {
  return (await call('GET', '/billing/invoices', { token: await tokenOf(project) })).body as Shown[];
}
const creditOf = async (project: TestProject) =>
  Number(
    (
      await queryOne<{ c: string }>(
        sql`SELECT credit_usd AS c FROM project_accounts WHERE project_id = ${project.id}::uuid`,
      )
    )?.c,
  );

describe('an invoice', () => {
  test('contains the costs of the month, each line rounded once, checked by hand', async () => {
    const acme = await projectOf('acme');
    // 2 vCPU for ten and a half hours: 21 h × 0.024 = 0.504 → 0.50. 4 GB likewise: 42 h × 0.004 = 0.168 → 0.17.
    await span(acme, 'compute_vcpu', 2, '2027-01-10T00:00:00Z', '2027-01-10T10:30:00Z');
    await span(acme, 'compute_memory', 4, '2027-01-10T00:00:00Z', '2027-01-10T10:30:00Z');
    // 100 GB from December into February: the 744 hours of January are one GB-month each: 8.00.
    await span(acme, 'block_storage', 100, '2026-12-20T00:00:00Z', null);
    await at('2027-02-01T05:59:00Z');
    expect(await closeMonths()).toBe(0);
    await at('2027-02-01T06:01:00Z');
    expect(await closeMonths()).toBe(1);
    const [invoice] = await invoicesOf(acme);
    expect(invoice).toMatchObject({
      month: '2027-01',
      subtotal_usd: 8.67,
      credit_usd: 0,
      due_usd: 8.67,
      payment: { status: 'open' },
    });
    expect(invoice?.lines.map(({ metric, quantity, amount_usd }) => [metric, quantity, amount_usd])).toEqual([
      ['compute_vcpu', 21, 0.5],
      ['compute_memory', 42, 0.17],
      ['block_storage', 100, 8],
    ]);
  });

  test('is closed once: repeated and concurrent closing changes nothing, and numbers have no gaps', async () => {
    const acme = await projectOf('acme');
    await execute(sql`UPDATE project_accounts SET billed_until = NULL WHERE project_id = ${acme.id}::uuid`);
    const others = await Promise.all(Array.from({ length: 5 }, () => createProject('other')));
    for (const project of [acme, ...others]) {
      await execute(sql`UPDATE projects SET created_at = '2027-03-01' WHERE id = ${project.id}::uuid`);
      await span(project, 'compute_vcpu', 1, '2027-03-01T00:00:00Z', '2027-04-10T00:00:00Z');
    }
    await at('2027-05-03T00:00:00Z');
    const made = await Promise.all(Array.from({ length: 4 }, () => closeMonths()));
    expect(made.reduce((sum, count) => sum + count, 0)).toBe(12);
    const before = await query(sql`SELECT * FROM invoices ORDER BY number`);
    expect(await closeMonths()).toBe(0);
    expect(await query(sql`SELECT * FROM invoices ORDER BY number`)).toEqual(before);
    const [numbers] = await query<{ least: number; most: number; n: number }>(
      sql`SELECT min(number) AS least, max(number) AS most, count(*)::int AS n FROM invoices`,
    );
    expect(numbers).toEqual({ least: 1, most: numbers?.n, n: numbers?.n });
    // March has 31 days: 744 h × 0.024 = 17.856; nine days of April: 216 h × 0.024 = 5.184.
    expect((await invoicesOf(acme)).map(({ month, due_usd }) => [month, due_usd])).toEqual([
      ['2027-04', 5.18],
      ['2027-03', 17.86],
    ]);
  });

  test('cannot be changed, not even in the database', async () => {
    const acme = await projectOf('acme');
    await span(acme, 'compute_vcpu', 1, '2027-01-01T00:00:00Z', '2027-01-20T00:00:00Z');
    await at('2027-02-02T00:00:00Z');
    await closeMonths();
    const changes = [
      sql`UPDATE invoices SET due_usd = 0, subtotal_usd = 0`,
      sql`DELETE FROM invoices`,
      sql`UPDATE invoice_lines SET amount_usd = 0`,
      sql`DELETE FROM invoice_lines`,
      sql`TRUNCATE invoices CASCADE`,
    ];
    for (const change of changes) await expect(execute(change)).rejects.toThrow('only added to');
  });

  test('recomputes to the same cents from its own quantities, whatever they are', async () => {
    const acme = await projectOf('acme');
    const random = seededRandom(7);
    const used = [
      'compute_vcpu',
      'compute_memory',
      'block_storage',
      'gpu_slice',
      'postgres_database',
      'valkey_database',
    ] as const;
    for (const metric of used) {
      for (let i = 0; i < 8; i++) {
        const from = new Date(Date.UTC(2027, 0, 1) + Math.floor(random() * 20 * 86_400_000));
        const to = new Date(from.getTime() + 1 + Math.floor(random() * 9 * 86_400_000));
        await span(acme, metric, Math.floor(random() * 5000) / 1000 + 0.001, from.toISOString(), to.toISOString());
      }
    }
    await at('2027-02-02T00:00:00Z');
    await closeMonths();
    const rows = await query<{
      metric: (typeof used)[number];
      quantity: string;
      price: string;
      amount: string;
      subtotal: string;
    }>(sql`
      SELECT l.metric, l.quantity, l.price_usd AS price, l.amount_usd AS amount, i.subtotal_usd AS subtotal
      FROM invoice_lines l JOIN invoices i ON i.id = l.invoice_id WHERE i.project_id = ${acme.id}::uuid ORDER BY position`);
    expect(rows).toHaveLength(used.length);
    const cents = rows.map((row) => toCents(costOf(row.metric, row.quantity, '2027-01', row.price)));
    expect(cents.map((amount) => amount.toFixed(2))).toEqual(rows.map(({ amount }) => amount));
    expect(total(cents).toFixed(2)).toBe(rows[0]?.subtotal);
  });

  test('rounds half cents to even', async () => {
    const [row] = await query<{ a: string; b: string; c: string; d: string }>(
      sql`SELECT cents_of(1, 200) AS a, cents_of(3, 200) AS b, cents_of(5, 200) AS c, cents_of(1000001, 200000000) AS d`,
    );
    expect(row).toEqual({ a: '0.00', b: '0.02', c: '0.02', d: '0.01' });
  });

  test('has usage recorded too late for its own month as a line with that month', async () => {
    const acme = await projectOf('acme');
    await span(acme, 'compute_vcpu', 1, '2027-01-01T00:00:00Z', '2027-02-20T00:00:00Z');
    await at('2027-02-02T00:00:00Z');
    await closeMonths();
    const late = {
      key: newId(),
      metric: 'network_egress',
      resource_type: 'instance',
      resource_id: newId(),
      resource_name: 'web',
    } as const;
    await recordUsage([
      { ...late, project_id: acme.id, quantity: 500n * 2n ** 30n, occurred_at: new Date('2027-01-31T12:00:00Z') },
    ]);
    await foldUsage();
    await at('2027-03-02T00:00:00Z');
    await closeMonths();
    const [february, january] = await invoicesOf(acme);
    expect(january?.lines.map(({ metric }) => metric)).toEqual(['compute_vcpu']);
    expect(february?.lines.map(({ metric, used_in, amount_usd }) => [metric, used_in, amount_usd])).toEqual([
      ['compute_vcpu', '2027-02', 10.94],
      ['network_egress', '2027-01', 5],
    ]);
  });

  test('below the card minimum cannot be paid and is carried over to the next one', async () => {
    const acme = await projectOf('acme');
    const pay = async ({ id }: { id: string }) =>
      call('POST', `/billing/invoices/${id}/pay`, { token: await tokenOf(acme) });
    await span(acme, 'compute_vcpu', 1, '2027-01-01T00:00:00Z', '2027-01-01T10:00:00Z');
    await span(acme, 'compute_vcpu', 1, '2027-02-01T00:00:00Z', '2027-02-03T00:00:00Z');
    await at('2027-02-02T00:00:00Z');
    await closeMonths();
    const [deferred] = await invoicesOf(acme);
    if (!deferred) throw new Error('January has no invoice');
    const tooSmall = await pay(deferred);
    expect([tooSmall.status, tooSmall.text]).toEqual([409, expect.stringContaining('added to the next invoice')]);
    await at('2027-03-02T00:00:00Z');
    await closeMonths();
    const [february, january] = await invoicesOf(acme);
    const carried = await pay(deferred);
    expect([carried.status, carried.text]).toEqual([409, expect.stringContaining('Pay that one')]);
    expect(january).toMatchObject({ due_usd: 0.24, payment: { status: 'carried' } });
    expect(february).toMatchObject({ subtotal_usd: 1.39, payment: { status: 'open' } });
    expect(february?.lines).toMatchObject([
      { kind: 'usage', amount_usd: 1.15 },
      { kind: 'carried_over', amount_usd: 0.24, used_in: '2027-01' },
    ]);
  });
});

describe('credit', () => {
  test('is used before anything is charged, and never below zero', async () => {
    const acme = await projectOf('acme');
    await grant(acme, '10.005');
    await span(acme, 'compute_vcpu', 1, '2027-01-01T00:00:00Z', '2027-02-10T00:00:00Z');
    await at('2027-03-02T00:00:00Z');
    await Promise.all([closeMonths(), closeMonths(), closeMonths()]);
    const [february, january] = await invoicesOf(acme);
    // January: 744 h × 0.024 = 17.856. Whole cents of credit are used.
    expect(january).toMatchObject({ subtotal_usd: 17.86, credit_usd: 10, due_usd: 7.86 });
    expect(february).toMatchObject({ subtotal_usd: 5.18, credit_usd: 0, due_usd: 5.18 });
    expect(await creditOf(acme)).toBe(0.005);
  });

  test('is neither lost nor doubled by concurrent changes', async () => {
    const acme = await projectOf('acme');
    const random = seededRandom(11);
    await span(acme, 'compute_vcpu', 1, '2027-01-01T00:00:00Z', '2027-12-31T00:00:00Z');
    let granted = 0;
    for (let month = 2; month <= 12; month++) {
      await at(`2027-${String(month).padStart(2, '0')}-02T00:00:00Z`);
      const cents = Math.floor(random() * 3000) + 1;
      granted += cents;
      await Promise.all([grant(acme, (cents / 100).toFixed(2)), closeMonths(), closeMonths()]);
    }
    const [books] = await query<{ balance: string; used: string; credited: string }>(sql`
      SELECT a.credit_usd AS balance, (SELECT coalesce(sum(credit_usd), 0) FROM invoices WHERE project_id = a.project_id) AS used,
        (SELECT sum(CASE WHEN to_account = 'credit' THEN amount_usd ELSE -amount_usd END) FROM credit_entries WHERE project_id = a.project_id) AS credited
      FROM project_accounts a WHERE a.project_id = ${acme.id}::uuid`);
    expect(Number(books?.balance)).toBeGreaterThanOrEqual(0);
    expect(Number(books?.balance)).toBeCloseTo(Number(books?.credited), 6);
    expect(Math.round((Number(books?.balance) + Number(books?.used)) * 100)).toBe(granted);
    expect(await invoicesOf(acme)).toHaveLength(11);
  });
});

describe('the amount due', () => {
  async function invoiced(card?: string): Promise<{ acme: TestProject; id: string }> {
    const acme = await projectOf('acme');
    if (card)
      await call('POST', '/billing/payment-methods', { token: await tokenOf(acme), body: { payment_method: card } });
    await span(acme, 'compute_vcpu', 1, '2027-01-01T00:00:00Z', '2027-01-20T00:00:00Z');
    await at('2027-02-02T00:00:00Z');
    await closeMonths();
    const [invoice] = await invoicesOf(acme);
    return { acme, id: invoice?.id ?? '' };
  }

  test('is charged to the default card by the workers, once', async () => {
    const { acme, id } = await invoiced('pm_card_visa');
    const workers = [1, 2].map(() => startWorker({ steps: [collectSteps], jobs: [] }));
    try {
      await expect
        .poll(async () => (await invoicesOf(acme))[0]?.payment, { timeout: 30_000 })
        .toMatchObject({ status: 'paid', card: 'visa 4242' });
      await expect
        .poll(async () => (await operationsOf(id)).map(({ status }) => status), { timeout: 30_000 })
        .toEqual(['succeeded']);
    } finally {
      await Promise.all(workers.map((worker) => worker.stop()));
    }
  });

  test('that the bank declines is shown as failed, retried later, and can be paid with another card', async () => {
    const { acme, id } = await invoiced('pm_card_chargeCustomerFail');
    expect(await charge(id)).toMatchObject({
      outcome: 'failed',
      failure: 'Your card was declined.',
      retry_ms: 86_400_000,
    });
    const failed = await call('GET', `/admin/api/v1/billing/invoices?status=failed&tenant_id=${acme.id}`, {
      token: await administrator(),
    });
    expect(failed.body).toMatchObject([{ id, tenant_id: acme.id, payment: { attempts: 1 } }]);
    const token = await tokenOf(acme);
    expect((await call('POST', `/billing/invoices/${id}/pay`, { token })).body).toMatchObject({
      error: { code: 'PAYMENT_FAILED', status: 402 },
    });
    const good = await call('POST', '/billing/payment-methods', {
      token,
      body: { payment_method: 'pm_card_mastercard' },
    });
    await call('POST', `/billing/payment-methods/${(good.body as { id: string }).id}/default`, { token });
    expect((await call('POST', `/billing/invoices/${id}/pay`, { token })).body).toMatchObject({
      payment: { status: 'paid', card: 'mastercard 4444' },
    });
    expect((await call('POST', `/billing/invoices/${id}/pay`, { token })).status).toBe(200);
  });

  test('without a card is reported as such', async () => {
    const { id } = await invoiced();
    expect(await charge(id)).toMatchObject({ outcome: 'failed', failure: expect.stringContaining('no card') });
  });
});

async function downloadPdf(project: TestProject, id: string): Promise<Response> {
  const { serve } = await import('@/lib/core/api/kernel');
  const { endpoints } = await import('@/lib/platform/endpoints');
  const { authenticate } = await import('@/lib/people/identity/authenticate');
  const request = new Request(`http://localhost/api/v1/billing/invoices/${id}/pdf`, {
    headers: { Authorization: `Bearer ${await tokenOf(project)}` },
  });
  return serve(endpoints, authenticate).fetch(request, { incoming: { socket: { remoteAddress: '127.0.0.1' } } });
}

describe('billing details', () => {
  const details = {
    name: 'Acme GmbH',
    address_lines: ['Hauptstraße 1', '北京 Office'],
    city: 'Berlin',
    postal_code: '10115',
    region: null,
    country: 'DE',
    tax_id: 'DE123456789',
    email: 'invoices@acme.example',
  };
  const put = async (project: TestProject, body: object) =>
    call('PUT', '/billing/details', { token: await tokenOf(project), body });
  const get = async (project: TestProject) =>
    call('GET', '/billing/details', { token: await signIn(project.users.reader.id) });
  const none = {
    address_lines: [],
    city: null,
    postal_code: null,
    region: null,
    country: null,
    tax_id: null,
    email: null,
  };

  test('are frozen into each closed invoice: earlier ones stay as they are', async () => {
    const acme = await projectOf('acme');
    await span(acme, 'compute_vcpu', 1, '2027-01-01T00:00:00Z', '2027-04-01T00:00:00Z');
    expect((await get(acme)).body).toEqual({ name: null, ...none, updated_at: null });
    await at('2027-02-02T00:00:00Z');
    await closeMonths();
    expect((await put(acme, details)).body).toMatchObject(details);
    await at('2027-03-02T00:00:00Z');
    await closeMonths();
    const moved = {
      name: 'Acme Inc.',
      address_lines: ['1 Main St'],
      city: 'Springfield',
      postal_code: '62701',
      region: 'IL',
      country: 'US',
    };
    expect((await put(acme, moved)).status).toBe(200);
    await at('2027-04-02T00:00:00Z');
    await closeMonths();
    expect((await get(acme)).body).toMatchObject({ ...moved, tax_id: null, email: null });

    const invoices = await invoicesOf(acme);
    expect(invoices.map(({ month, customer }) => [month, customer])).toEqual([
      ['2027-03', { ...moved, tax_id: null, email: null }],
      ['2027-02', details],
      ['2027-01', { name: 'acme', ...none }],
    ]);
    const [march = '', february = '', january = ''] = await Promise.all(
      invoices.map(async ({ id }) => textOf(Buffer.from(await (await downloadPdf(acme, id)).arrayBuffer()))),
    );
    for (const line of [
      'Acme GmbH',
      'Hauptstraße 1',
      '10115 Berlin',
      'Germany',
      'Tax ID DE123456789',
      'invoices@acme.example',
    ]) {
      expect(february).toContain(line);
      expect(january + march).not.toContain(line);
    }
    for (const line of ['Acme Inc.', 'Springfield, IL 62701', 'United States']) expect(march).toContain(line);
  });

  test.each([
    [{ country: 'Germany' }, 'country: must be an ISO 3166-1 country code'],
    [{ country: 'de' }, 'country: must be an ISO 3166-1 country code'],
    [{ country: 'UK' }, 'country: must be an ISO 3166-1 country code'],
    [{ name: ' ' }, 'name'],
    [{ address_lines: [] }, 'address_lines'],
    [{ address_lines: ['1\n2'] }, 'address_lines.0: must not hold control characters'],
    [{ email: 'nobody' }, 'email'],
    [{ vat: 'DE1' }, 'vat'],
  ])('refuse %j', async (change, message) => {
    const answer = await put(await createProject('strict'), { ...details, ...change });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(message)]);
  });

  test('are changed by admins only, and audited without their content', async () => {
    const acme = await createProject('recorded');
    const token = await signIn(acme.users.member.id);
    expect((await call('PUT', '/billing/details', { token, body: details })).status).toBe(403);
    await put(acme, details);
    const entry = await queryOne<{ action: string; details: unknown }>(sql`SELECT action, details FROM audit_entries
      WHERE project_id = ${acme.id}::uuid AND result = 'succeeded' ORDER BY id DESC LIMIT 1`);
    expect(entry?.action).toBe('billing_details.update');
    expect(JSON.stringify(entry)).not.toContain('Acme GmbH');
  });
});

test('the PDF shows both parties, each line, and the totals', async () => {
  const acme = await projectOf('acme');
  await grant(acme, '1');
  await span(acme, 'compute_vcpu', 1, '2027-01-01T00:00:00Z', '2027-01-20T00:00:00Z');
  await at('2027-02-02T00:00:00Z');
  await closeMonths();
  const [invoice] = await invoicesOf(acme);
  const response = await downloadPdf(acme, invoice?.id ?? '');
  expect(response.headers.get('content-type')).toBe('application/pdf');
  expect(response.headers.get('content-disposition')).toContain(`${invoice?.number}.pdf`);
  const shown = textOf(Buffer.from(await response.arrayBuffer()));
  for (const expected of [
    'Nephele',
    invoice?.number ?? '',
    'January 2027',
    'acme',
    'vCPU',
    '456 vCPU-hour',
    '$0.024',
    '$10.94',
    '-$1.00',
    '$9.94',
    'Page 1 of 1',
  ]) {
    expect(shown).toContain(expected);
  }
});

/** The text of a PDF of ours, run by run. */
function textOf(pdf: Buffer): string {
  const runs: string[] = [];
  for (let from = pdf.indexOf('stream\n'); from >= 0; from = pdf.indexOf('stream\n', from + 7)) {
    if (pdf.subarray(from - 3, from).toString() === 'end') continue;
    const stream = pdf.subarray(from + 7, pdf.indexOf('endstream', from));
    const content = inflateSync(stream, { finishFlush: 2 }).toString('latin1');
    for (const [, shown = ''] of content.matchAll(/\[([^\]]*)\] TJ/g)) {
      runs.push(
        [...shown.matchAll(/<([0-9a-f]*)>/g)]
          .map(([, hex = '']) => Buffer.from(hex, 'hex').toString('latin1'))
          .join(''),
      );
    }
  }
  return runs.join('\n');
}
