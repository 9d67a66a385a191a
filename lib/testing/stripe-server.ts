import { createHash, createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { now } from '@/lib/clock';
import {
  type Answer,
  type Card,
  declined,
  type Json,
  missing,
  type Params,
  parseForm,
  problem,
  StripeProblem,
  testTokens,
} from './stripe-wire';

/** A connection fault: the request is carried out or not, and the connection breaks in any case. */
type Fault = { path: RegExp; times: number; done: boolean };

export const STRIPE_SECRET_KEY = 'sk_test_counterpart';
export const STRIPE_WEBHOOK_SECRET = 'whsec_counterpart';

/**
 * A fake of the part of Stripe that this platform uses, over HTTP as Stripe speaks it: form-encoded requests, its
 * objects and errors, idempotency keys with their rules, and signed events.
 */
export class StripeServer {
  private readonly objects = new Map<string, Json>();
  private readonly keys = new Map<string, { request: string; answer: Answer | undefined }>();
  private readonly cards = new Map<string, Card>();
  private readonly server = createServer((request, response) => void this.serve(request, response));
  /** Received requests: method, path, parameters and key. */
  readonly requests: { method: string; path: string; params: Params; key: string | undefined }[] = [];
  readonly faults: Fault[] = [];
  url = '';

  static async start(): Promise<StripeServer> {
    const stripe = new StripeServer();
    await new Promise<void>((listening) => stripe.server.listen(0, '127.0.0.1', listening));
    stripe.url = `http://127.0.0.1:${(stripe.server.address() as AddressInfo).port}`;
    return stripe;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }

  /** All objects of a kind: `payment_intent`, `customer`, … */
  all(kind: string): Json[] {
    return [...this.objects.values()].filter(({ object }) => object === kind);
  }

  get(id: string): Json {
    const found = this.objects.get(id);
    if (!found) throw new Error(`the counterpart of Stripe has no ${id}`);
    return found;
  }

  /** Pays, or saves a card, on the page of a session. @returns the events that Stripe would send */
  complete(sessionId: string, { token = 'pm_card_visa', delayed = false } = {}): string[] {
    const session = this.get(sessionId);
    if (session.status !== 'open') throw new Error(`${sessionId} is ${session.status}`);
    session.status = 'complete';
    if (session.mode === 'setup') {
      const setup = this.add('seti', 'setup_intent', {
        customer: session.customer,
        metadata: { ...(session.metadata as Json) },
      });
      setup.payment_method = this.attach(token, String(session.customer));
      setup.status = 'succeeded';
      session.setup_intent = setup.id;
      return [this.event('setup_intent.succeeded', setup), this.event('checkout.session.completed', session)];
    }
    session.payment_intent = this.intent({
      amount: session.amount_total,
      customer: session.customer,
      metadata: session.payment_metadata,
    }).id;
    if (!delayed) this.pay(session);
    return [this.event('checkout.session.completed', session)];
  }

  /** Completes a payment that took days, successfully or not. */
  settle(sessionId: string, came: boolean): string {
    const session = this.get(sessionId);
    if (came) this.pay(session);
    return this.event(`checkout.session.async_payment_${came ? 'succeeded' : 'failed'}`, session);
  }

  private pay(session: Json): void {
    session.payment_status = 'paid';
    this.succeed(this.get(String(session.payment_intent)));
  }

  /** Refunds a part of a payment, in cents. @returns the events that Stripe would send */
  refund(intentId: string, cents: number): string[] {
    const charge = this.get(String(this.get(intentId).latest_charge));
    charge.amount_refunded = Number(charge.amount_refunded) + cents;
    const refund = this.add('re', 'refund', { amount: cents, payment_intent: intentId, status: 'succeeded' });
    return [this.event('refund.created', refund), this.event('charge.refunded', charge)];
  }

  /** Fails a refund that the cardholder's bank did not accept. */
  failRefund(intentId: string, cents: number): string {
    const charge = this.get(String(this.get(intentId).latest_charge));
    charge.amount_refunded = Number(charge.amount_refunded) - cents;
    const refund = { amount: cents, payment_intent: intentId, status: 'failed' };
    return this.event('refund.failed', this.add('re', 'refund', refund));
  }

  /** Disputes a payment, in any currency; `change` sets the outcome. */
  dispute(
    intentId: string,
    amount: number,
    { currency = 'usd', balance_transactions = [] }: { currency?: string; balance_transactions?: Json[] } = {},
  ): { opened: string; change: (status: string) => string } {
    const charge = this.get(intentId).latest_charge;
    const facts = { charge, payment_intent: intentId, status: 'needs_response' };
    const fields = { amount, currency, balance_transactions, ...facts };
    const dispute = this.add('du', 'dispute', fields);
    return {
      opened: this.event('charge.dispute.created', dispute),
      change: (status) => {
        dispute.status = status;
        return this.event(
          ['won', 'lost'].includes(status) ? 'charge.dispute.closed' : 'charge.dispute.updated',
          dispute,
        );
      },
    };
  }

  /** An event with the current state of an object. */
  event(type: string, object: Json): string {
    const created = Math.floor(now().getTime() / 1000);
    const event = {
      id: this.newId('evt'),
      object: 'event',
      api_version: '2026-10-28.endive',
      created,
      type,
      livemode: false,
    };
    return JSON.stringify({ ...event, pending_webhooks: 1, request: null, data: { object } });
  }

  /** The `Stripe-Signature` of a body. */
  sign(body: string, { at = now(), secret = STRIPE_WEBHOOK_SECRET } = {}): string {
    const t = Math.floor(at.getTime() / 1000);
    return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`;
  }

  private newId(prefix: string): string {
    return `${prefix}_${randomBytes(12).toString('hex')}`;
  }

  private add(prefix: string, object: string, fields: Json): Json {
    const made: Json = {
      id: this.newId(prefix),
      object,
      created: Math.floor(now().getTime() / 1000),
      livemode: false,
      ...fields,
    };
    this.objects.set(String(made.id), made);
    return made;
  }

  /** Turns a token into the customer's own payment method. */
  private attach(token: string, customer: string): string {
    const existing = this.objects.get(token);
    if (existing) {
      existing.customer = customer;
      return token;
    }
    const card = testTokens[token];
    if (!card) throw missing('payment_method', token);
    const { brand, last4 } = card;
    const made = this.add('pm', 'payment_method', {
      type: 'card',
      customer,
      metadata: {},
      card: { brand, last4, exp_month: 12, exp_year: 2031 },
    });
    this.cards.set(String(made.id), card);
    return String(made.id);
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { pathname, search } = new URL(request.url ?? '/', this.url);
    const method = request.method ?? 'GET';
    const text = method === 'GET' ? search.slice(1) : Buffer.concat(chunks).toString('utf8');
    const params = parseForm(text);
    const key = request.headers['idempotency-key'];
    this.requests.push({ method, path: pathname, params, key: typeof key === 'string' ? key : undefined });

    const fault = this.faults.find(({ path, times }) => times > 0 && path.test(`${method} ${pathname}`));
    if (fault) fault.times -= 1;
    if (fault && !fault.done) return void request.socket.destroy();
    const { status, body, replayed } = this.once(request, method, pathname, text, params);
    if (fault) return void request.socket.destroy();
    response.writeHead(status, {
      'Content-Type': 'application/json',
      'Request-Id': this.newId('req'),
      ...(replayed ? { 'Idempotent-Replayed': 'true' } : {}),
    });
    response.end(JSON.stringify(body));
  }

  /** One answer per key, stored as Stripe does, including declines (docs.stripe.com/api/idempotent_requests). */
  private once(
    request: IncomingMessage,
    method: string,
    path: string,
    text: string,
    params: Params,
  ): Answer & { replayed?: boolean } {
    if (request.headers.authorization !== `Bearer ${STRIPE_SECRET_KEY}`) {
      return problem(401, { type: 'invalid_request_error', message: 'Invalid API Key provided.' });
    }
    const key = request.headers['idempotency-key'];
    if (method !== 'POST' || typeof key !== 'string') return this.answer(method, path, params);
    const fingerprint = createHash('sha256').update(`${path}\n${text}`).digest('hex');
    const kept = this.keys.get(key);
    if (kept && kept.request !== fingerprint) {
      return problem(400, {
        type: 'idempotency_error',
        message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}'.`,
      });
    }
    if (kept?.answer) return { ...kept.answer, replayed: true };
    const answer = this.answer(method, path, params);
    this.keys.set(key, { request: fingerprint, answer: JSON.parse(JSON.stringify(answer)) });
    return answer;
  }

  private answer(method: string, path: string, params: Params): Answer {
    try {
      return { status: 200, body: this.handle(method, path.replace(/^\/v1/, ''), params) };
    } catch (error) {
      if (error instanceof StripeProblem) return problem(error.status, error.error);
      throw error;
    }
  }

  private handle(method: string, path: string, params: Params): Json {
    const [, collection = '', ...rest] = path.split('/');
    const nested = collection === 'checkout' ? `checkout/${rest.shift()}` : collection;
    const [id, action] = rest;
    if (method === 'GET' && id !== undefined) return this.read(id, params);
    if (method === 'GET' && collection === 'disputes') {
      const data = this.all('dispute').filter(({ payment_intent }) => payment_intent === params.payment_intent);
      return { object: 'list', url: '/v1/disputes', has_more: false, data };
    }
    switch (`${nested}${action ? `/${action}` : ''}`) {
      case 'customers':
        return this.add('cus', 'customer', { name: params.name, metadata: params.metadata ?? {} });
      case 'setup_intents':
        return this.setUp(params);
      case 'payment_methods/detach':
        return this.detach(id ?? '');
      case 'checkout/sessions':
        return this.open(params);
      case 'payment_intents':
        return this.intent(params);
      case 'payment_intents/confirm':
        return this.confirm(this.read(id ?? '', {}), params);
      default:
        throw new StripeProblem(404, {
          type: 'invalid_request_error',
          message: `Unrecognized request URL (${method}: ${path}).`,
        });
    }
  }

  private read(id: string, params: Params): Json {
    const token = testTokens[id];
    if (token)
      return {
        id,
        object: 'payment_method',
        type: 'card',
        customer: null,
        card: { ...token, exp_month: 12, exp_year: 2031 },
      };
    const found = this.objects.get(id);
    if (!found) throw missing(id.startsWith('pm_') ? 'payment_method' : 'id', id);
    return this.expanded(found, Object.values(params.expand ?? {}).map(String));
  }

  private expanded(object: Json, fields: string[]): Json {
    const copy: Json = { ...object };
    for (const field of fields) {
      const [name = '', ...deeper] = field.split('.');
      const reference = copy[name];
      if (typeof reference === 'string') {
        copy[name] = this.expanded(this.get(reference), deeper.length > 0 ? [deeper.join('.')] : []);
      }
    }
    return copy;
  }

  private setUp(params: Params): Json {
    const customer = String(params.customer);
    const setup = this.add('seti', 'setup_intent', {
      customer,
      metadata: params.metadata ?? {},
      client_secret: this.newId('seti_secret'),
      payment_method: null,
      status: 'requires_payment_method',
      usage: params.usage,
    });
    if (params.confirm !== 'true') return setup;
    const token = String(params.payment_method);
    const behaviour = testTokens[token] ?? this.cards.get(token);
    if (!behaviour) throw missing('payment_method', token);
    if (behaviour.save === 'declined') throw declined();
    if (behaviour.save === 'action') setup.status = 'requires_action';
    else Object.assign(setup, { status: 'succeeded', payment_method: this.attach(token, customer) });
    return this.expanded(setup, Object.values(params.expand ?? {}).map(String));
  }

  private detach(id: string): Json {
    const method = this.read(id, {});
    if (method.customer === null) {
      throw new StripeProblem(400, {
        type: 'invalid_request_error',
        message: 'The payment method you provided is not attached to a customer so detachment is impossible.',
      });
    }
    const stored = this.get(id);
    stored.customer = null;
    return stored;
  }

  private open(params: Params): Json {
    const line = (params.line_items as Params | undefined)?.['0'] as Params | undefined;
    const price = line?.price_data as Params | undefined;
    const session = this.add('cs_test', 'checkout.session', {
      mode: params.mode,
      customer: params.customer,
      client_reference_id: params.client_reference_id ?? null,
      metadata: params.metadata ?? {},
      status: 'open',
      payment_status: params.mode === 'setup' ? 'no_payment_required' : 'unpaid',
      amount_total: price ? Number(price.unit_amount) * Number(line?.quantity) : null,
      currency: price?.currency ?? params.currency,
      setup_intent: null,
      payment_intent: null,
      payment_metadata: (params.payment_intent_data as Params | undefined)?.metadata ?? {},
      success_url: params.success_url,
      cancel_url: params.cancel_url,
      expires_at: Number(params.expires_at),
    });
    session.url = `https://checkout.stripe.com/c/pay/${session.id}`;
    return session;
  }

  private intent({ amount, currency = 'usd', customer, description = null, metadata = {} }: Json): Json {
    const state = { status: 'requires_payment_method', last_payment_error: null, latest_charge: null };
    return this.add('pi', 'payment_intent', {
      amount: Number(amount),
      currency,
      customer,
      description,
      metadata,
      ...state,
    });
  }

  private succeed(intent: Json): void {
    const { id, amount, currency } = intent;
    const charge = this.add('ch', 'charge', { amount, currency, amount_refunded: 0, payment_intent: id });
    const state = { status: 'succeeded', amount_received: amount, last_payment_error: null };
    Object.assign(intent, state, { latest_charge: charge.id });
  }

  private confirm({ id }: Json, params: Params): Json {
    const intent = this.get(String(id));
    if (intent.status === 'succeeded') {
      throw new StripeProblem(400, {
        type: 'invalid_request_error',
        code: 'payment_intent_unexpected_state',
        message:
          'You cannot confirm this PaymentIntent because it has already succeeded after being previously confirmed.',
      });
    }
    const method = this.read(String(params.payment_method), {});
    if (method.customer !== intent.customer) throw missing('payment_method', String(params.payment_method));
    const behaviour = this.cards.get(String(params.payment_method))?.charge;
    if (behaviour === 'ok') {
      this.succeed(intent);
      return intent;
    }
    const error =
      behaviour === 'action'
        ? {
            ...declined().error,
            code: 'authentication_required',
            message: 'Your card was declined. This transaction requires authentication.',
          }
        : declined().error;
    Object.assign(intent, { status: 'requires_payment_method', last_payment_error: error });
    throw new StripeProblem(402, { ...error, payment_intent: intent });
  }
}
