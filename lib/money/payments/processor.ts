import { ApiError } from '@/lib/core/api/errors';
import { settings } from '@/lib/settings';
import { sandboxProcessor } from './sandbox';
import { stripeProcessor } from './stripe';

/** A card with the processor's token. */
export type Card = { reference: string; brand: string; last4: string; exp_month: number; exp_year: number };

/** A page of the processor to open. Calls with the same `id` create it only once. */
type NewPage = {
  id: string;
  project_id: string;
  customer: string;
  /** The price of the purchase; null: the page only saves a card. */
  amount_usd: string | null;
  success_url: string;
  cancel_url: string;
  expires_at: Date;
};

/** The current state of a page. `paid_usd` is set only once the money has arrived. */
export type PageState = {
  /** Our id, as given at opening. */
  id: string | null;
  status: 'open' | 'complete' | 'expired';
  paid_usd: string | null;
  card: Card | null;
};

/** A payment for one purpose: can be tried any number of times, and succeeds at most once. */
export type Charge = {
  reference: string;
  status: 'open' | 'processing' | 'succeeded' | 'cancelled';
  /** Why the last try failed, in words for the customer. */
  failure: string | null;
};

/** The object of a webhook event. The event's content is never trusted; the current state is fetched. */
export type ProcessorEvent = {
  id: string;
  type: string;
  about:
    | { kind: 'page'; reference: string }
    | { kind: 'setup'; reference: string }
    | { kind: 'charge'; invoice_id: string }
    | { kind: 'reversal'; payment: string }
    | { kind: 'card_removed'; reference: string }
    | null;
};

/**
 * A payment processor. All calls are idempotent: a repeat finds the objects of the first call.
 * @throws ApiError 402 when a card is declined, 503 when the processor is unreachable
 */
export type Processor = {
  readonly name: 'stripe' | 'sandbox';
  createCustomer(project: { id: string; name: string }): Promise<string>;
  createSetupIntent(customer: string, projectId: string): Promise<{ id: string; client_secret: string }>;
  /** The card saved by a SetupIntent, or null until then. */
  readSetup(reference: string): Promise<{ project_id: string | null; customer: string | null; card: Card | null }>;
  /** Attaches a card to the customer for off-session payments. @throws ApiError 404 for an unknown token */
  saveCard(customer: string, token: string): Promise<Card>;
  removeCard(reference: string): Promise<void>;
  openPage(page: NewPage): Promise<{ reference: string; url: string }>;
  readPage(reference: string): Promise<PageState>;
  /** The charge of an invoice, created once and not tried yet. */
  openCharge(charge: {
    invoice_id: string;
    customer: string;
    amount_usd: string;
    description: string;
  }): Promise<Charge>;
  readCharge(reference: string): Promise<Charge>;
  /** Tries a card. A decline is not an error: the charge stays open with the reason. */
  tryCharge(reference: string, card: string): Promise<Charge>;
  /**
   * The total reversed amount of a payment: refunded, or withdrawn by disputes that are not won. `checkout_id` is ours,
   * if the payment was a top-up.
   */
  readReversal(payment: string): Promise<{ checkout_id: string | null; refunded_usd: string; disputed_usd: string }>;
  /** Parses a webhook event. @throws ApiError 400 when the signature is invalid or old, or the body is not an event */
  readEvent(body: Buffer, signature: string): ProcessorEvent;
};

/** The payment processor of this platform (docs/decisions/0020). @throws ApiError 503 when none is configured */
export function processor(): Processor {
  const { stripe, paymentSandbox } = settings();
  if (stripe) return stripeProcessor(stripe);
  if (paymentSandbox) return sandboxProcessor;
  throw new ApiError(
    'ENGINE_UNAVAILABLE',
    'payments: no payment processor is configured. The operator must set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET.',
  );
}

/** The audit actor for changes caused by the processor. */
export const processorActor = () => ({ actor_type: 'host', actor_id: null, actor_name: processor().name });

/** The name of the configured processor, if any. */
export function processorName(): Processor['name'] | null {
  const { stripe, paymentSandbox } = settings();
  return stripe ? 'stripe' : paymentSandbox ? 'sandbox' : null;
}
