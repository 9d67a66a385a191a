import { z } from 'zod';
import { endpoint } from '@/lib/core/api/endpoint';
import { receiveEvent } from './service';

const EVENT_BYTES = 1024 * 1024;

/** Webhooks of the payment processor (spec 4.16), for payments and invoices. */
export const paymentEventEndpoints = [
  endpoint({
    method: 'POST',
    path: '/billing/webhooks/stripe',
    operation_id: 'receiveStripeEvent',
    summary: 'Receive a Stripe event',
    description: 'Verified by the `Stripe-Signature` header over the raw body.',
    tag: 'Payments',
    access: 'public',
    upload: { content_types: ['application/json'], max_bytes: EVENT_BYTES },
    responses: { 200: z.strictObject({ received: z.literal(true) }) },
    errors: ['ENGINE_UNAVAILABLE', 'PAYMENT_FAILED', 'RESOURCE_NOT_FOUND'],
    audit: 'payment_event.receive',
    idempotency: 'none',
    handle: (call, { upload, headers }) => receiveEvent(call, upload, headers),
  }),
];
