import { z } from 'zod';
import { invalid } from '@/lib/core/api/errors';
import type { ProcessorEvent } from './processor';

const reference = z.string().regex(/^[\w.-]{1,255}$/);
/** A reference to another Stripe object: its id, or the expanded object. */
const nested = z.union([reference, z.object({ id: reference }).transform(({ id }) => id)]).nullish();

const envelope = z.object({ id: reference, type: reference, data: z.unknown() });
const identified = z.object({ object: z.object({ id: reference }) });
const intent = z.object({ object: z.object({ metadata: z.record(z.string(), z.string()).nullish() }) });
const reversal = z.object({ object: z.object({ payment_intent: nested }) });

/** Parses an event whose signature was verified. @throws ApiError 400 when the body is not an event */
export function parseStripeEvent(body: Buffer): ProcessorEvent {
  try {
    const { id, type, data } = envelope.parse(JSON.parse(body.toString()));
    return { id, type, about: subject(type, data) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) {
      throw invalid('body: the signature is valid, but the body is not a Stripe event.');
    }
    throw error;
  }
}

function subject(type: string, data: unknown): ProcessorEvent['about'] {
  switch (type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
    case 'checkout.session.async_payment_failed':
    case 'checkout.session.expired':
      return { kind: 'page', reference: identified.parse(data).object.id };
    case 'setup_intent.succeeded':
      return { kind: 'setup', reference: identified.parse(data).object.id };
    case 'payment_intent.succeeded':
    case 'payment_intent.payment_failed':
    case 'payment_intent.canceled': {
      const { invoice_id } = intent.parse(data).object.metadata ?? {};
      return invoice_id ? { kind: 'charge', invoice_id } : null;
    }
    case 'charge.refunded':
    case 'charge.refund.updated':
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.closed':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated': {
      const payment = reversal.parse(data).object.payment_intent;
      return payment ? { kind: 'reversal', payment } : null;
    }
    case 'payment_method.detached':
      return { kind: 'card_removed', reference: identified.parse(data).object.id };
    default:
      return null;
  }
}
