import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute, query, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { closeMonths } from '@/lib/money/invoices/close';
import { charge } from '@/lib/money/invoices/collection';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { projectSince } from '@/lib/testing/metered';
import { spend } from '@/lib/testing/money';
import { seededRandom } from '@/lib/testing/random';
import { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, StripeServer } from '@/lib/testing/stripe-server';
import { api, createProject, createUser, signIn, type TestProject } from '@/lib/testing/world';
import { settleOwed } from './owed';

// Uses Stripe's own library against a fake Stripe server on this machine.
const stripe = await StripeServer.start();
Object.assign(process.env, { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_API_URL: stripe.url });

testDatabase();
const call = api();
let acme: TestProject;
beforeEach(async () => {
  acme = await createProject('acme');
});
afterEach(() => setTestClock(0));
afterAll(() => stripe.stop());

const send = (body: string) =>
  call('POST', '/billing/webhooks/stripe', { body, headers: { 'Stripe-Signature': stripe.sign(body) } });
const tell = async (events: readonly string[]) => {
  for (const event of events) expect((await send(event)).status).toBe(200);
};

const overview = ({ users }: TestProject) => call('GET', '/billing/overview', { token: users.reader.token });

/** A top-up paid on Stripe's page. @returns its payment and Stripe's events for it */
async function paid(amount_usd: number): Promise<{ payment: string; events: string[] }> {
  const token = await signIn(acme.users.admin.id);
  const { body } = await call('POST', '/billing/checkout-session', { token, body: { amount_usd } });
  const row = await queryOne<{ reference: string }>(
    sql`SELECT reference FROM checkout_sessions WHERE id = ${(body as { id: string }).id}::uuid`,
  );
  const session = row?.reference ?? '';
  const events = stripe.complete(session);
  return { payment: String(stripe.get(session).payment_intent), events };
}

async function toppedUp(amount_usd: number): Promise<string> {
  const { payment, events } = await paid(amount_usd);
  await tell(events);
  return payment;
}

/** The debt and the balance; checks that the balance equals the sum of the entries. */
async function books(project = acme): Promise<{ credit: number; owed: number; entries: string[] }> {
  const entries = await query<{ amount: string; reason: string }>(sql`
    SELECT CASE WHEN to_account = 'credit' THEN amount_usd ELSE -amount_usd END AS amount, reason FROM credit_entries
    WHERE project_id = ${project.id}::uuid ORDER BY id`);
  const found = await queryOne<{ credit: string; owed: string }>(sql`SELECT credit_usd AS credit,
    (SELECT coalesce(sum(owed_usd(r)), 0) FROM payment_reversals r WHERE r.project_id = a.project_id) AS owed
    FROM project_accounts a WHERE a.project_id = ${project.id}::uuid`);
  const credit = Number(found?.credit);
  expect(entries.reduce((sum, { amount }) => sum + Number(amount), 0)).toBeCloseTo(credit, 6);
  return {
    credit,
    owed: Number(found?.owed),
    entries: entries.map(({ amount, reason }) => `${Number(amount)} ${reason}`),
  };
}

/** Uses credit as an invoice would. */
const consume = (amount: string) =>
  execute(sql`INSERT INTO credit_entries (id, project_id, source, from_account, to_account, amount_usd, reason, created_by, created_at)
    VALUES (${newId()}::uuid, ${acme.id}::uuid, ${`test:${newId()}`}::text, 'credit', 'invoice', ${amount}::numeric, 'used', 'test', now())`);

describe('a top-up that is refunded', () => {
  test('is taken from the credit, part by part, however often Stripe reports it', async () => {
    const payment = await toppedUp(50);
    const first = stripe.refund(payment, 2000);
    await tell([...first, ...first]);
    expect(await books()).toMatchObject({ credit: 30, owed: 0 });
    await tell(stripe.refund(payment, 1050));
    expect(await books()).toEqual({
      credit: 19.5,
      owed: 0,
      entries: ['50 Top-up by card', '-20 Top-up refunded', '-10.5 Top-up refunded'],
    });
  });

  test('after its credit was used is owed, and the next top-up settles that first', async () => {
    const payment = await toppedUp(50);
    await consume('42');
    await tell(stripe.refund(payment, 5000));
    expect(await books()).toMatchObject({ credit: 0, owed: 42 });
    // The debt is shown next to the tenant's balance, and to nobody else.
    expect((await overview(acme)).body).toMatchObject({ credit_usd: 0, owed_usd: 42 });
    expect((await overview(await createProject('other'))).body).toMatchObject({ owed_usd: 0 });
    await toppedUp(10);
    expect(await books()).toMatchObject({ credit: 0, owed: 32 });
    await toppedUp(100);
    expect(await books()).toMatchObject({ credit: 68, owed: 0 });
  });

  test('before the payment was reported is credited first, and then taken back', async () => {
    const { payment, events } = await paid(25);
    const refunded = stripe.refund(payment, 2500);
    await tell([...refunded.reverse(), ...events]);
    expect(await books()).toEqual({ credit: 0, owed: 0, entries: ['25 Top-up by card', '-25 Top-up refunded'] });
  });

  test('is credited again if the refund fails', async () => {
    const payment = await toppedUp(25);
    await tell(stripe.refund(payment, 2500));
    await tell([stripe.failRefund(payment, 2500)]);
    expect(await books()).toMatchObject({ credit: 25, owed: 0 });
  });
});

describe('a top-up that is disputed', () => {
  test('is taken back while the dispute is open, and returns if it is won', async () => {
    const payment = await toppedUp(50);
    await consume('30');
    const { opened, change } = stripe.dispute(payment, 5000);
    await tell([opened]);
    expect(await books()).toMatchObject({ credit: 0, owed: 30 });
    await tell([change('under_review'), change('won')]);
    expect(await books()).toEqual({
      credit: 20,
      owed: 0,
      entries: ['50 Top-up by card', '-30 used', '-20 Top-up disputed', '20 Top-up reinstated'],
    });
  });

  test('stays taken back if the dispute is lost, even when events arrive in reverse order', async () => {
    const payment = await toppedUp(50);
    const { opened, change } = stripe.dispute(payment, 5000);
    const closed = change('lost');
    await tell([closed, opened]);
    expect(await books()).toMatchObject({ credit: 0, owed: 0 });
  });

  test('is not taken back for a mere inquiry of the bank', async () => {
    const payment = await toppedUp(50);
    const { change } = stripe.dispute(payment, 5000);
    await tell([change('warning_needs_response')]);
    expect(await books()).toMatchObject({ credit: 50, owed: 0 });
  });

  test.each([
    // 47.10 EUR, for which Stripe took 50.55 USD, but no more than was paid. Then 20 EUR, for which it took 21.46 USD.
    ['all of it', 4710, [{ amount: -5055, currency: 'usd' }], 0],
    ['a part of it', 2000, [{ amount: -2146, currency: 'usd' }], 28.54],
    [
      'a part that came back since',
      2000,
      [
        { amount: -2146, currency: 'usd' },
        { amount: 2146, currency: 'usd' },
      ],
      50,
    ],
    ['a sum in a balance that is not in USD', 2000, [{ amount: -2000, currency: 'eur' }], 0],
    ['a sum that Stripe has not taken yet', 2000, [], 0],
  ])(
    'in another currency takes back the amount that Stripe took in USD: %s',
    async (_, amount, balance_transactions, credit) => {
      const payment = await toppedUp(50);
      await tell([stripe.dispute(payment, amount, { currency: 'eur', balance_transactions }).opened]);
      expect(await books()).toMatchObject({ credit, owed: 0 });
    },
  );

  test('and refunded takes back no more than was paid', async () => {
    const payment = await toppedUp(50);
    await tell(stripe.refund(payment, 2000));
    await tell([stripe.dispute(payment, 5000).opened]);
    expect(await books()).toMatchObject({ credit: 0, owed: 0 });
  });
});

describe('a frozen project', () => {
  const budget = () => call('GET', '/billing/budget', { token: acme.users.reader.token });
  const statusOf = async () => ((await budget()).body as { status: { frozen: boolean; lift_usd: number } }).status;

  beforeEach(async () => {
    const body = { monthly_limit_usd: 10, enable_quota_freeze: true };
    await call('PUT', '/billing/budget', { token: acme.users.admin.token, body });
  });
  const freeze = () => spend(acme.id, 10_000_000);

  /** Leaves a debt of 42 USD from a top-up that was used and then refunded. */
  async function owing() {
    const payment = await toppedUp(50);
    await consume('42');
    await tell(stripe.refund(payment, 5000));
    await freeze();
  }

  test('with a debt is lifted by the rest of a top-up, and not by one that only settles the debt', async () => {
    await owing();
    await toppedUp(40);
    expect([await books(), await statusOf()]).toMatchObject([
      { credit: 0, owed: 2 },
      { frozen: true, lift_usd: 0 },
    ]);
    await toppedUp(10);
    expect([await books(), await statusOf()]).toMatchObject([
      { credit: 8, owed: 0 },
      { frozen: false, lift_usd: 8 },
    ]);
  });

  test('is not lifted by credit from a won dispute', async () => {
    const payment = await toppedUp(50);
    const { opened, change } = stripe.dispute(payment, 5000);
    await tell([opened]);
    await freeze();
    await tell([change('won')]);
    expect([await books(), await statusOf()]).toMatchObject([{ credit: 50 }, { frozen: true, lift_usd: 0 }]);
  });

  test('has its debt settled by the next run if a crash came between a top-up and the settling', async () => {
    await owing();
    const { events } = await paid(100);
    // Cuts the connection where the debt would be settled.
    await execute(sql`CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$`);
    await execute(sql`CREATE TRIGGER cut BEFORE UPDATE ON payment_reversals FOR EACH ROW EXECUTE FUNCTION cut()`);
    const [answer] = await Promise.all(events.map((event) => send(event)));
    expect(answer?.status, 'Stripe is asked to tell again').toBe(503);
    await execute(sql`DROP TRIGGER cut ON payment_reversals`);
    expect(await books()).toMatchObject({ credit: 100, owed: 42 });
    expect(await statusOf(), 'by what remains, not by what is there').toMatchObject({ frozen: false, lift_usd: 58 });
    // Stripe reports a page that is already known to be paid: this settles nothing.
    await tell(events);
    expect(await books()).toMatchObject({ owed: 42 });
    await settleOwed.run(new AbortController().signal);
    expect(await books()).toMatchObject({ credit: 58, owed: 0 });
    expect(await statusOf()).toMatchObject({ frozen: false, lift_usd: 58 });
  });

  test('with a debt is lifted by the rest of a grant, too', async () => {
    await owing();
    const root = await createUser('granting@example.test', 'backoffice');
    const token = await signIn(root.id, 'backoffice');
    const body = { amount_usd: 45, reason: 'test' };
    expect((await call('POST', `/admin/api/v1/tenants/${acme.id}/credits`, { token, body })).status).toBe(201);
    expect(await statusOf()).toMatchObject({ frozen: false, lift_usd: 3 });
    await settleOwed.run(new AbortController().signal);
    expect(await books()).toMatchObject({ credit: 3, owed: 0 });
  });
});

test('after concurrent events in any order, the books agree with Stripe', async () => {
  const random = seededRandom(3);
  const payment = await toppedUp(100);
  await consume('20');
  const { opened, change } = stripe.dispute(payment, 3000);
  const told = [opened, ...stripe.refund(payment, 1000), change('under_review'), ...stripe.refund(payment, 2000)];
  const shuffled = [...told, ...told].sort(() => random() - 0.5);
  const answers = await Promise.all(shuffled.map((event) => send(event)));
  // A request that lost the race is asked to retry, and Stripe does.
  for (const [index, { status }] of answers.entries()) if (status !== 200) await tell([shuffled[index] ?? '']);
  expect(await books()).toMatchObject({ credit: 20, owed: 0 });
  await tell([change('won')]);
  expect(await books()).toMatchObject({ credit: 50, owed: 0 });
});

test('another system’s payment at the same Stripe account is ignored', async () => {
  const foreign = { amount: 100, payment_intent: null };
  await tell([stripe.event('charge.refunded', foreign), stripe.event('charge.dispute.created', foreign)]);
  expect(await books()).toEqual({ credit: 0, owed: 0, entries: [] });
});

test('a disputed invoice is owed; a refunded one is not, because a refund is a gift', async () => {
  const project = await projectSince('2027-01');
  const token = () => signIn(project.users.admin.id);
  await call('POST', '/billing/payment-methods', { token: await token(), body: { payment_method: 'pm_card_visa' } });
  await execute(sql`INSERT INTO spans (project_id, metric, resource_type, resource_id, resource_name, quantity, started_at, ended_at)
    VALUES (${project.id}::uuid, 'compute_vcpu', 'instance', ${newId()}::uuid, 'web', 1, '2027-01-01T00:00:00Z', '2027-01-20T00:00:00Z')`);
  await setTestClock(new Date('2027-02-02T00:00:00Z').getTime() - Date.now());
  await closeMonths();
  const invoice = await queryOne<{ id: string }>(sql`SELECT id FROM invoices WHERE project_id = ${project.id}::uuid`);
  expect(await charge(invoice?.id ?? '')).toEqual({ outcome: 'paid' });
  const [intent] = stripe.all('payment_intent').filter(({ amount }) => amount === 1094);
  await tell(stripe.refund(String(intent?.id), 200));
  expect(await books(project)).toEqual({ credit: 0, owed: 0, entries: [] });
  const { opened, change } = stripe.dispute(String(intent?.id), 894);
  await tell([opened]);
  expect(await books(project)).toMatchObject({ owed: 8.94 });

  const root = await createUser('root@example.test', 'backoffice');
  const administrator = await signIn(root.id, 'backoffice');
  const listed = await call('GET', '/admin/api/v1/billing/reversals?owed=true', { token: administrator });
  expect(listed.body).toMatchObject([
    {
      tenant_id: project.id,
      kind: 'invoice',
      invoice_number: 'INV-000001',
      refunded_usd: 2,
      disputed_usd: 8.94,
      owed_usd: 8.94,
    },
  ]);
  await tell([change('won')]);
  expect(await books(project)).toMatchObject({ owed: 0 });
});
