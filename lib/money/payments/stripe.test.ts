import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { query, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, StripeServer } from '@/lib/testing/stripe-server';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { settleOpenPages } from './checkouts';
import { processor } from './processor';

// Uses Stripe's own library against a fake Stripe server on this machine.
const stripe = await StripeServer.start();
Object.assign(process.env, { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_API_URL: stripe.url });

testDatabase();
const call = api();
let acme: TestProject;
beforeEach(async () => {
  stripe.faults.length = 0;
  acme = await createProject('acme');
});
afterAll(() => stripe.stop());

const admin = (method: string, path: string, body?: unknown) =>
  call(method, path, { token: acme.users.admin.token, ...(body === undefined ? {} : { body }) });
const idOf = ({ body }: { body: unknown }) => (body as { id: string }).id;
const send = (body: string, signature = stripe.sign(body)) =>
  call('POST', '/billing/webhooks/stripe', { body, headers: { 'Stripe-Signature': signature } });

async function credit(): Promise<number> {
  const row = await queryOne<{ credit: string }>(
    sql`SELECT credit_usd AS credit FROM project_accounts WHERE project_id = ${acme.id}::uuid`,
  );
  return Number(row?.credit);
}

async function checkout(amount_usd = 25): Promise<{ id: string; session: string }> {
  const id = idOf(await admin('POST', '/billing/checkout-session', { amount_usd }));
  const row = await queryOne<{ reference: string }>(
    sql`SELECT reference FROM checkout_sessions WHERE id = ${id}::uuid`,
  );
  return { id, session: row?.reference ?? '' };
}

describe('a top-up', () => {
  test('becomes credit when Stripe reports it as paid, and not before', async () => {
    const { id, session } = await checkout(25.5);
    const [completed = ''] = stripe.complete(session);
    expect(await credit()).toBe(0);
    expect((await send(completed)).status).toBe(200);
    expect(await credit()).toBe(25.5);
    const shown = await admin('GET', `/billing/checkout-sessions/${id}`);
    expect(shown.body).toMatchObject({ status: 'complete', amount_usd: 25.5 });
  });

  test('becomes credit once, whatever the number and order of Stripe’s events', async () => {
    const { session } = await checkout(10);
    const [completed = ''] = stripe.complete(session, { delayed: true });
    const paid = stripe.settle(session, true);
    // The later event first, then both twice, concurrently.
    const answers = await Promise.all([send(paid), send(completed), send(paid), send(completed), send(paid)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    await send(paid);
    expect(await credit()).toBe(10);
    const entries = await query(sql`SELECT id FROM credit_entries WHERE project_id = ${acme.id}::uuid`);
    expect(entries).toHaveLength(1);
  });

  test('that takes days becomes credit when the money has arrived, and none if it does not', async () => {
    const late = await checkout(10);
    const [completed = ''] = stripe.complete(late.session, { delayed: true });
    await send(completed);
    expect(await credit()).toBe(0);
    await send(stripe.settle(late.session, true));
    expect(await credit()).toBe(10);
    const never = await checkout(20);
    await send(stripe.complete(never.session, { delayed: true })[0] ?? '');
    await send(stripe.settle(never.session, false));
    expect(await credit()).toBe(10);
  });

  test('becomes credit even without any webhook', async () => {
    const { session } = await checkout(10);
    stripe.complete(session);
    try {
      await setTestClock(2 * 60_000);
      await settleOpenPages.run(new AbortController().signal);
      expect(await credit()).toBe(10);
    } finally {
      await setTestClock(0);
    }
  });

  test('has the amount paid at Stripe, whatever an event claims', async () => {
    const { session } = await checkout(10);
    const lie = stripe.event('checkout.session.completed', {
      ...stripe.get(session),
      payment_status: 'paid',
      amount_total: 99_900,
    });
    expect((await send(lie)).status).toBe(200);
    expect(await credit()).toBe(0);
  });

  test('creates one Stripe session, even when its answer is lost', async () => {
    stripe.faults.push({ path: /POST \/v1\/checkout\/sessions$/, times: 1, done: true });
    const before = stripe.all('checkout.session').length;
    expect((await admin('POST', '/billing/checkout-session', { amount_usd: 5 })).status).toBe(201);
    expect(stripe.all('checkout.session')).toHaveLength(before + 1);
  });

  test('refuses fractions of cents and return addresses on other sites', async () => {
    const refused = async (body: object) => (await admin('POST', '/billing/checkout-session', body)).status;
    expect(await refused({ amount_usd: 1.005 })).toBe(400);
    expect(await refused({ amount_usd: 0.5 })).toBe(400);
    expect(await refused({ amount_usd: 10_000.01 })).toBe(400);
    expect(await refused({ amount_usd: 5, success_url: 'https://evil.example/x' })).toBe(400);
    expect(await refused({ amount_usd: 5, cancel_url: 'http://localhost:3000.evil.example/' })).toBe(400);
    expect(await refused({ amount_usd: 5, success_url: 'http://localhost:3000/projects/x' })).toBe(201);
  });
});

describe('an event', () => {
  test('without Stripe’s signature does nothing', async () => {
    const { session } = await checkout(10);
    const [completed = ''] = stripe.complete(session);
    const forged = [
      stripe.sign(completed, { secret: 'whsec_somebody_else' }),
      stripe.sign(`${completed} `),
      stripe.sign(completed).replace('v1=', 'v0='),
      '',
      't=1,v1=00',
    ];
    for (const signature of forged) {
      expect((await send(completed, signature)).body).toMatchObject({ error: { code: 'INVALID_REQUEST' } });
    }
    expect(await credit()).toBe(0);
  });

  test('with an old signature is refused, and accepted later with a new one', async () => {
    const { session } = await checkout(10);
    const [completed = ''] = stripe.complete(session);
    const old = stripe.sign(completed, { at: new Date(Date.now() - 10 * 60_000) });
    expect((await send(completed, old)).status).toBe(400);
    expect((await send(completed)).status).toBe(200);
    expect(await credit()).toBe(10);
  });

  test('is retried by Stripe when the platform could not act on it', async () => {
    const { session } = await checkout(10);
    const [completed = ''] = stripe.complete(session);
    stripe.faults.push({ path: /GET \/v1\/checkout\/sessions/, times: 10, done: false });
    expect((await send(completed)).status).toBe(503);
    stripe.faults.length = 0;
    expect((await send(completed)).status).toBe(200);
    expect(await credit()).toBe(10);
  });

  test.each([
    'not JSON',
    'null',
    '"text"',
    '[]',
    '{}',
    '{"id":"evt_1","type":7}',
    '{"id":"evt_1","type":"checkout.session.completed"}',
    '{"id":"evt_1","type":"checkout.session.completed","data":{"object":{"id":"cs_\\u0000"}}}',
    '{"id":"evt_1","type":"payment_intent.succeeded","data":{"object":null}}',
    '{"id":"evt_1","type":"payment_intent.succeeded","data":{"object":{"metadata":{"invoice_id":7}}}}',
    '{"id":"evt_1","type":"charge.refunded","data":{"object":{"payment_intent":{}}}}',
    '{"id":"evt_1","object":"v2.core.event","type":"payment_method.detached"}',
  ])('with a signature but invalid content is refused: %s', async (body) => {
    expect((await send(body)).body).toMatchObject({ error: { code: 'INVALID_REQUEST' } });
  });

  test('about an object of another system is accepted and ignored', async () => {
    const foreign = { id: 'evt_x', object: 'payment_intent', metadata: {} };
    expect((await send(stripe.event('payment_intent.succeeded', foreign))).status).toBe(200);
    expect((await send(stripe.event('customer.updated', {}))).status).toBe(200);
  });
});

describe('a card', () => {
  test('is saved by its token; the first is the default until another is chosen or it is removed', async () => {
    const first = await admin('POST', '/billing/payment-methods', { payment_method: 'pm_card_visa' });
    expect([first.status, first.body]).toMatchObject([
      201,
      { brand: 'visa', last4: '4242', is_default: true, processor: 'stripe' },
    ]);
    const second = await admin('POST', '/billing/payment-methods', { payment_method: 'pm_card_mastercard' });
    expect(second.body).toMatchObject({ is_default: false });
    const chosen = await admin('POST', `/billing/payment-methods/${idOf(second)}/default`);
    expect(chosen.body).toMatchObject({ id: idOf(second), is_default: true });
    expect((await admin('DELETE', `/billing/payment-methods/${idOf(second)}`)).status).toBe(204);
    const left = await admin('GET', '/billing/payment-methods');
    expect(left.body).toMatchObject([{ id: idOf(first), is_default: true }]);
    expect(stripe.all('payment_method').filter(({ customer }) => customer === null)).toHaveLength(1);
  });

  test('that the bank declines is 402, and is not saved', async () => {
    const declined = await admin('POST', '/billing/payment-methods', { payment_method: 'pm_card_chargeDeclined' });
    expect(declined.body).toMatchObject({ error: { code: 'PAYMENT_FAILED', status: 402 } });
    const confirm = await admin('POST', '/billing/payment-methods', {
      payment_method: 'pm_card_authenticationRequired',
    });
    expect(confirm.body).toMatchObject({
      error: { code: 'PAYMENT_FAILED', message: expect.stringContaining('card-session') },
    });
    expect((await admin('GET', '/billing/payment-methods')).body).toEqual([]);
  });

  test('with an unknown token is 404', async () => {
    const answer = await admin('POST', '/billing/payment-methods', { payment_method: 'pm_nobody' });
    expect(answer.body).toMatchObject({
      error: { code: 'RESOURCE_NOT_FOUND', message: expect.stringContaining('payment_method') },
    });
  });

  test('of a tenant is never visible to another', async () => {
    const other = await createProject('other');
    const saved = await call('POST', '/billing/payment-methods', {
      token: other.users.admin.token,
      body: { payment_method: 'pm_card_visa' },
    });
    const [row] = await query<{ reference: string }>(
      sql`SELECT reference FROM payment_methods WHERE id = ${idOf(saved)}::uuid`,
    );
    expect((await admin('POST', '/billing/payment-methods', { payment_method: row?.reference })).status).toBe(404);
  });

  test('saved on Stripe’s page is stored once, even when two events report it', async () => {
    const { id } = (await admin('POST', '/billing/card-session', {})).body as { id: string };
    const row = await queryOne<{ reference: string }>(
      sql`SELECT reference FROM checkout_sessions WHERE id = ${id}::uuid`,
    );
    const events = stripe.complete(row?.reference ?? '');
    await Promise.all([...events, ...events].map((event) => send(event)));
    const cards = (await admin('GET', '/billing/payment-methods')).body as unknown[];
    expect(cards).toHaveLength(1);
  });

  test('detached at Stripe is deleted here', async () => {
    await admin('POST', '/billing/payment-methods', { payment_method: 'pm_card_visa' });
    const [row] = await query<{ reference: string }>(
      sql`SELECT reference FROM payment_methods WHERE project_id = ${acme.id}::uuid`,
    );
    await send(stripe.event('payment_method.detached', stripe.get(row?.reference ?? '')));
    expect((await admin('GET', '/billing/payment-methods')).body).toEqual([]);
  });
});

test('many concurrent calls create one customer per tenant', async () => {
  const before = stripe.all('customer').length;
  await Promise.all(Array.from({ length: 12 }, () => admin('POST', '/billing/checkout-session', { amount_usd: 5 })));
  expect(stripe.all('customer')).toHaveLength(before + 1);
});

describe('the charge of an invoice', () => {
  async function open() {
    await admin('POST', '/billing/payment-methods', { payment_method: 'pm_card_visa' });
    const [card] = await query<{ reference: string }>(
      sql`SELECT reference FROM payment_methods WHERE project_id = ${acme.id}::uuid`,
    );
    const [customer] = await query<{ reference: string }>(
      sql`SELECT reference FROM payment_customers WHERE project_id = ${acme.id}::uuid`,
    );
    const wanted = {
      invoice_id: newId(),
      customer: customer?.reference ?? '',
      amount_usd: '12.34',
      description: 'Invoice',
    };
    return { wanted, card: card?.reference ?? '', charge: await processor().openCharge(wanted) };
  }
  const paid = (id: string) =>
    stripe.all('payment_intent').filter((intent) => (intent.metadata as { invoice_id?: string }).invoice_id === id);

  test('whose answer was lost after the payment is taken once', async () => {
    const { wanted, card, charge } = await open();
    stripe.faults.push({ path: /confirm$/, times: 4, done: true });
    await expect(processor().tryCharge(charge.reference, card)).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' });
    // The platform's next actions: it checks, and retries if needed.
    expect(await processor().readCharge(charge.reference)).toMatchObject({ status: 'succeeded' });
    expect(await processor().tryCharge(charge.reference, card)).toMatchObject({ status: 'succeeded' });
    expect(await processor().openCharge(wanted)).toMatchObject({ reference: charge.reference });
    expect(paid(wanted.invoice_id)).toMatchObject([{ amount_received: 1234, status: 'succeeded' }]);
  }, 60_000);

  test('says why a card was declined, and stays open for another', async () => {
    const { charge, card } = await open();
    await admin('POST', '/billing/payment-methods', { payment_method: 'pm_card_chargeCustomerFail' });
    const [bad] = await query<{ reference: string }>(
      sql`SELECT reference FROM payment_methods WHERE project_id = ${acme.id}::uuid AND last4 = '0341'`,
    );
    expect(await processor().tryCharge(charge.reference, bad?.reference ?? '')).toMatchObject({
      status: 'open',
      failure: 'Your card was declined.',
    });
    expect(await processor().tryCharge(charge.reference, card)).toMatchObject({ status: 'succeeded' });
  });
});

describe('a card number', () => {
  const number = '4242424242424242';
  const bodies: [string, unknown][] = [
    ['in the place of a token', { payment_method: number }],
    ['in groups', { payment_method: '4242 4242-4242 4242' }],
    ['as a number', { payment_method: 4242424242424242 }],
    ['in a field of its own', { payment_method: 'pm_card_visa', card: { number, cvc: '123' } }],
    ['as a field’s name', { payment_method: 'pm_card_visa', [number]: 'x' }],
    ['in escapes', `{"payment_method":"\\u0034242424242424242"}`],
    ['in broken JSON', `{"number": ${number}`],
  ];
  test.each(bodies)('%s is refused and stored nowhere', async (_, body) => {
    const answer = await admin('POST', '/billing/payment-methods', body);
    expect(answer.body).toMatchObject({
      error: { code: 'INVALID_REQUEST', message: expect.stringContaining('card number') },
    });
    expect(answer.text).not.toContain('4242');
    const [row] = await query<{ all: string }>(
      sql`SELECT string_agg(a::text, '') AS all FROM audit_entries a WHERE project_id = ${acme.id}::uuid`,
    );
    expect(row?.all).toContain('payment_method.create');
    expect(row?.all).not.toMatch(/4242[ -]?4242/);
    expect(JSON.stringify(stripe.requests)).not.toMatch(/4242[ -]?4242/);
  });
});
