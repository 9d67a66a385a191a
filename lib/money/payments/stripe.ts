import { Decimal } from 'decimal.js';
import Stripe from 'stripe';
import { now } from '@/lib/clock';
import { ApiError, invalid, noSuch } from '@/lib/core/api/errors';
import { log } from '@/lib/log';
import type { Settings } from '@/lib/settings';
import { fromCents, toCents } from './cents';
import type { Card, Charge, PageState, Processor } from './processor';
import { parseStripeEvent } from './stripe-event';

type StripeSettings = NonNullable<Settings['stripe']>;

/** The version of the object shapes, whatever the account's default is. */
const API_VERSION = '2026-10-28.endive';
const TIMEOUT_MS = 20_000;

let known: { settings: StripeSettings; processor: Processor } | undefined;

/** Stripe, through its own library. */
export function stripeProcessor(given: StripeSettings): Processor {
  if (known?.settings !== given) known = { settings: given, processor: connect(given) };
  return known.processor;
}

function connect({ secretKey, webhookSecret, apiUrl }: StripeSettings): Processor {
  const url = apiUrl ? new URL(apiUrl) : undefined;
  const stripe = new Stripe(secretKey, {
    apiVersion: API_VERSION,
    maxNetworkRetries: 2,
    timeout: TIMEOUT_MS,
    telemetry: false,
    appInfo: { name: 'Nephele' },
    ...(url && {
      host: url.hostname,
      port: url.port || (url.protocol === 'http:' ? 80 : 443),
      protocol: url.protocol === 'http:' ? 'http' : 'https',
    }),
  });

  const setupCard = async (setup: Stripe.SetupIntent): Promise<Card | null> => {
    const method = setup.status === 'succeeded' && setup.payment_method;
    if (!method) return null;
    return cardOf(typeof method === 'string' ? await stripe.paymentMethods.retrieve(method) : method);
  };

  return {
    name: 'stripe',

    createCustomer: ({ id, name }) =>
      answered(async () => {
        const created = await stripe.customers.create(
          { name, metadata: { project_id: id } },
          { idempotencyKey: `customer-${id}` },
        );
        return created.id;
      }),

    createSetupIntent: (customer, projectId) =>
      answered(async () => {
        const setup = await stripe.setupIntents.create({
          customer,
          usage: 'off_session',
          allowed_payment_method_types: ['card'],
          metadata: { project_id: projectId },
        });
        return { id: setup.id, client_secret: setup.client_secret ?? '' };
      }),

    readSetup: (reference) =>
      answered(async () => {
        const setup = await stripe.setupIntents.retrieve(reference, { expand: ['payment_method'] });
        return {
          project_id: setup.metadata?.project_id ?? null,
          customer: idOf(setup.customer),
          card: await setupCard(setup),
        };
      }),

    saveCard: (customer, token) =>
      answered(async () => {
        const method = await stripe.paymentMethods.retrieve(token);
        const owner = idOf(method.customer);
        const attached = cardOf(method);
        if (!attached || (owner !== null && owner !== customer)) throw noSuch('payment_method', 'card');
        if (owner === customer) return attached;
        // If saved by a SetupIntent, the bank decides now whether the card may be charged off-session.
        const setup = await stripe.setupIntents.create({
          customer,
          payment_method: token,
          confirm: true,
          usage: 'off_session',
          allowed_payment_method_types: ['card'],
          expand: ['payment_method'],
        });
        // For a shared token, such as those for tests, this is the customer's own card.
        const card = await setupCard(setup);
        if (!card) {
          throw new ApiError(
            'PAYMENT_FAILED',
            'payment_method: the bank requires confirmation by the cardholder. Add the card on the page of POST /billing/card-session.',
          );
        }
        return card;
      }),

    removeCard: (reference) =>
      answered(async () => {
        try {
          await stripe.paymentMethods.detach(reference);
        } catch (error) {
          // Not attached or unknown: already removed.
          if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
        }
      }),

    openPage: (page) =>
      answered(async () => {
        const { id, project_id, amount_usd } = page;
        const common: Stripe.Checkout.SessionCreateParams = {
          customer: page.customer,
          client_reference_id: id,
          success_url: page.success_url,
          cancel_url: page.cancel_url,
          expires_at: Math.floor(page.expires_at.getTime() / 1000),
          metadata: { checkout_id: id, project_id },
        };
        const params: Stripe.Checkout.SessionCreateParams =
          amount_usd === null
            ? {
                ...common,
                mode: 'setup',
                currency: 'usd',
                allowed_payment_method_types: ['card'],
                setup_intent_data: { metadata: { project_id } },
              }
            : {
                ...common,
                mode: 'payment',
                line_items: [
                  {
                    quantity: 1,
                    price_data: {
                      currency: 'usd',
                      unit_amount: toCents(amount_usd),
                      product_data: { name: 'Prepaid cloud credit' },
                    },
                  },
                ],
                payment_intent_data: { description: 'Prepaid cloud credit', metadata: { checkout_id: id, project_id } },
              };
        const session = await stripe.checkout.sessions.create(params, { idempotencyKey: `checkout-${id}` });
        if (!session.url) throw new Error(`Stripe gave the checkout session ${session.id} no address`);
        return { reference: session.id, url: session.url };
      }),

    readPage: (reference) =>
      answered(async (): Promise<PageState> => {
        const session = await stripe.checkout.sessions.retrieve(reference, { expand: ['setup_intent.payment_method'] });
        const { setup_intent: setup, amount_total, currency } = session;
        const paid = session.payment_status === 'paid' && amount_total !== null && currency === 'usd';
        return {
          id: session.client_reference_id,
          status: session.status === 'complete' ? 'complete' : session.status === 'expired' ? 'expired' : 'open',
          paid_usd: paid ? fromCents(amount_total) : null,
          card: setup && typeof setup !== 'string' ? await setupCard(setup) : null,
        };
      }),

    openCharge: ({ invoice_id, customer, amount_usd, description }) =>
      answered(async () =>
        chargeOf(
          await stripe.paymentIntents.create(
            {
              amount: toCents(amount_usd),
              currency: 'usd',
              customer,
              description,
              allowed_payment_method_types: ['card'],
              metadata: { invoice_id },
            },
            { idempotencyKey: `invoice-${invoice_id}` },
          ),
        ),
      ),

    readCharge: (reference) => answered(async () => chargeOf(await stripe.paymentIntents.retrieve(reference))),

    tryCharge: (reference, card) =>
      answered(async () => {
        try {
          // A PaymentIntent succeeds at most once, so a try whose answer was lost cannot charge twice.
          return chargeOf(await stripe.paymentIntents.confirm(reference, { payment_method: card, off_session: true }));
        } catch (error) {
          if (error instanceof Stripe.errors.StripeCardError) {
            return { reference, status: 'open', failure: error.message };
          }
          if (error instanceof Stripe.errors.StripeInvalidRequestError) {
            const present = chargeOf(await stripe.paymentIntents.retrieve(reference));
            return present.status === 'open' ? { ...present, failure: 'The card can no longer be charged.' } : present;
          }
          throw error;
        }
      }),

    readReversal: (payment) =>
      answered(async () => {
        const [{ latest_charge, metadata }, { data: disputes }] = await Promise.all([
          stripe.paymentIntents.retrieve(payment, { expand: ['latest_charge'] }),
          stripe.disputes.list({ payment_intent: payment, limit: 100 }),
        ]);
        const charge = typeof latest_charge === 'string' ? null : latest_charge;
        const refunded = new Decimal(charge?.amount_refunded ?? 0);
        // A payment that is both refunded and disputed never reverses more than its amount.
        const left = new Decimal(charge?.amount ?? 0).minus(refunded);
        const disputed = Decimal.sum(
          0,
          ...disputes.filter(({ status }) => withdrawn.has(status)).map((dispute) => disputedCents(dispute) ?? left),
        );
        return {
          checkout_id: metadata.checkout_id ?? null,
          refunded_usd: fromCents(refunded),
          disputed_usd: fromCents(Decimal.min(disputed, left)),
        };
      }),

    readEvent(body, signature) {
      const verifier = stripe.webhooks.signature;
      if (!verifier) throw new Error("Stripe's library cannot verify signatures");
      try {
        verifier.verifyHeader(body, signature, webhookSecret, undefined, undefined, now().getTime());
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw error;
        throw invalid('Stripe-Signature: does not match this body, or is too old.');
      }
      return parseStripeEvent(body);
    },
  };
}

/**
 * The disputed amount in USD cents. A bank can dispute in the cardholder's currency; then this is the amount that
 * Stripe took from the balance. Undefined if that is not in USD either, because the share of the payment is then
 * unknown.
 */
function disputedCents({ id, currency, amount, balance_transactions }: Stripe.Dispute): Decimal | undefined {
  if (currency === 'usd') return new Decimal(amount);
  const moves = balance_transactions.filter((move) => move.currency === 'usd');
  if (moves.length > 0) return Decimal.max(0, Decimal.sum(...moves.map((move) => move.amount)).neg());
  log.warn({ dispute: id, currency }, 'a dispute is not in USD: all that is left of its payment counts as disputed');
  return undefined;
}

/** Dispute states in which the money is withdrawn: in dispute, or lost. Before that, and when won, it is ours. */
const withdrawn: ReadonlySet<string> = new Set([
  'needs_response',
  'under_review',
  'lost',
  'appeal_needs_response',
  'appeal_under_review',
]);

function idOf(reference: string | { id: string } | null): string | null {
  return typeof reference === 'string' ? reference : (reference?.id ?? null);
}

function cardOf({ id, card }: Stripe.PaymentMethod): Card | null {
  if (!card) return null;
  const { brand, last4, exp_month, exp_year } = card;
  return { reference: id, brand, last4, exp_month, exp_year };
}

function chargeOf({ id, status, last_payment_error }: Stripe.PaymentIntent): Charge {
  const failure = last_payment_error?.message ?? null;
  switch (status) {
    case 'succeeded':
      return { reference: id, status: 'succeeded', failure: null };
    case 'processing':
      return { reference: id, status: 'processing', failure };
    case 'canceled':
      return { reference: id, status: 'cancelled', failure };
    case 'requires_action':
      return { reference: id, status: 'open', failure: 'The bank requires confirmation by the cardholder.' };
    default:
      return { reference: id, status: 'open', failure };
  }
}

/** Translates Stripe's errors to API errors; details for operators only go to the log. */
async function answered<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    if (error instanceof Stripe.errors.StripeCardError) throw new ApiError('PAYMENT_FAILED', error.message);
    if (error.code === 'resource_missing') throw noSuch(error.param ?? 'payment_method', 'object of the processor');
    const { type, code, statusCode, requestId } = error;
    log.error(
      { type, stripe_code: code, status: statusCode, stripe_request: requestId },
      'Stripe refused or did not answer',
    );
    throw new ApiError(
      'ENGINE_UNAVAILABLE',
      'payments: the payment processor did not respond. Try again; nothing is charged twice.',
      {
        cause: error,
      },
    );
  }
}
