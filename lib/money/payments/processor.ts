import { ApiError } from '@/lib/core/api/errors';
import { settings } from '@/lib/settings';
import { sandboxProcessor } from './sandbox';
import { stripeProcessor } from './stripe';

/** A card, by the processor's token. */
export type Card = { reference: string; brand: string; last4: string; exp_month: number; exp_year: number };

/** A page of the processor's to open. Everything is made once for one `id`, however often it is asked for. */
type NewPage = {
  id: string;
  project_id: string;
  customer: string;
  /** What is bought; absent: the page only saves a card. */
  amount_usd: string | null;
  success_url: string;
  cancel_url: string;
  expires_at: Date;
};

/** How a page stands now. `paid_usd` only once the money is the platform's. */
export type PageState = {
  /** Our id, as given when it was opened. */
  id: string | null;
  status: 'open' | 'complete' | 'expired';
  paid_usd: string | null;
  card: Card | null;
};

/** One payment of one thing: tried as often as it takes, and never taken twice. */
export type Charge = {
  reference: string;
  status: 'open' | 'processing' | 'succeeded' | 'cancelled';
  /** Why the last try failed, in words for the customer. */
  failure: string | null;
};

/** What a webhook event is about; its content is never trusted, the present state is asked for. */
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
 * Who takes the money. Every call may be repeated: it finds what an earlier one has made.
 * @throws ApiError 402 where a card is declined, 503 where the processor can't be reached
 */
export type Processor = {
  readonly name: 'stripe' | 'sandbox';
  createCustomer(project: { id: string; name: string }): Promise<string>;
  createSetupIntent(customer: string, projectId: string): Promise<{ id: string; client_secret: string }>;
  /** The card that a SetupIntent has saved, once it has. */
  readSetup(reference: string): Promise<{ project_id: string | null; customer: string | null; card: Card | null }>;
  /** Ties a card to the customer, for payments when nobody is there. @throws ApiError 404 for an unknown token */
  saveCard(customer: string, token: string): Promise<Card>;
  removeCard(reference: string): Promise<void>;
  openPage(page: NewPage): Promise<{ reference: string; url: string }>;
  readPage(reference: string): Promise<PageState>;
  /** The charge of an invoice, made once and not yet tried. */
  openCharge(charge: {
    invoice_id: string;
    customer: string;
    amount_usd: string;
    description: string;
  }): Promise<Charge>;
  readCharge(reference: string): Promise<Charge>;
  /** Tries a card. A decline is no error here: the charge stays open, and says why. */
  tryCharge(reference: string, card: string): Promise<Charge>;
  /**
   * What was taken back of a payment, all told: refunded, or withdrawn by disputes that are not won.
   * `checkout_id`: ours, where it paid for a top-up.
   */
  readReversal(payment: string): Promise<{ checkout_id: string | null; refunded_usd: string; disputed_usd: string }>;
  /** What a webhook says. @throws ApiError 400 where its signature is not the processor's, or old, or the body is not an event */
  readEvent(body: Buffer, signature: string): ProcessorEvent;
};

/** The processor of this platform (docs/decisions/0020). @throws ApiError 503 where none is set up */
export function processor(): Processor {
  const { stripe, paymentSandbox } = settings();
  if (stripe) return stripeProcessor(stripe);
  if (paymentSandbox) return sandboxProcessor;
  throw new ApiError(
    'ENGINE_UNAVAILABLE',
    'payments: no payment processor is configured. The operator must set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET.',
  );
}

/** How the audit log names what the processor made happen. */
export const processorActor = () => ({ actor_type: 'host', actor_id: null, actor_name: processor().name });

/** Whether there is one, and which. */
export function processorName(): Processor['name'] | null {
  const { stripe, paymentSandbox } = settings();
  return stripe ? 'stripe' : paymentSandbox ? 'sandbox' : null;
}
