import { Decimal } from 'decimal.js';
import { z } from 'zod';
import { id, times, timestamp } from '@/lib/core/api/schemas';
import { testCardTokens } from './sandbox';

/** The bounds of one top-up. */
const TOP_UP_USD = { least: 1, most: 10_000 } as const;

export const paymentMethod = z
  .strictObject({
    id,
    type: z.literal('card'),
    brand: z.string().meta({ example: 'visa' }),
    last4: z.string().meta({ example: '4242' }),
    exp_month: z.int(),
    exp_year: z.int(),
    is_default: z.boolean().meta({ description: 'Whether invoices are charged to this card.' }),
    processor: z.enum(['stripe', 'sandbox']).meta({ description: '`sandbox`: no money moves.' }),
    ...times,
  })
  .meta({ id: 'PaymentMethod', description: 'A card. Only the payment processor knows its number.' });
export type PaymentMethod = z.output<typeof paymentMethod>;

export const addPaymentMethod = z
  .strictObject({
    payment_method: z
      .string()
      .regex(/^pm_[A-Za-z0-9_-]{1,200}$/, 'must be a token from the payment processor (pm_…), never a card number')
      .meta({ description: 'A card token from the payment processor.' }),
  })
  .meta({ id: 'AddPaymentMethod', example: { payment_method: 'pm_card_visa' } });

export const setupIntent = z
  .strictObject({
    id: z.string(),
    client_secret: z.string(),
    publishable_key: z
      .string()
      .nullable()
      .meta({ description: 'For the processor’s script; null if the operator has not configured it.' }),
  })
  .meta({ id: 'SetupIntent', description: 'For front ends that load the processor’s own script.' });

const returnUrl = z.url().max(2000).optional();
const returnUrls = {
  success_url: returnUrl.meta({
    description: 'Where the browser returns on success; on this site. Defaults to the credit or payment methods page.',
  }),
  cancel_url: returnUrl.meta({ description: 'Where the browser returns if the user cancels; on this site.' }),
};

export const createCheckout = z
  .strictObject({
    amount_usd: z
      .number()
      .min(TOP_UP_USD.least)
      .max(TOP_UP_USD.most)
      .refine((amount) => new Decimal(amount).decimalPlaces() <= 2, 'must be in whole cents')
      .meta({ description: `From ${TOP_UP_USD.least} to ${TOP_UP_USD.most}, in whole cents.` }),
    ...returnUrls,
  })
  .meta({ id: 'CreateCheckoutSession', example: { amount_usd: 25 } });

export const createCardSession = z.strictObject(returnUrls).meta({ id: 'CreateCardSession', example: {} });

export const hostedPage = z
  .strictObject({ id, url: z.string().meta({ description: 'Open it in a browser.' }) })
  .meta({ id: 'HostedPage' });

export const checkoutSession = z
  .strictObject({
    id,
    kind: z.enum(['top_up', 'card']),
    amount_usd: z.number().nullable(),
    status: z.enum(['open', 'complete', 'expired']).meta({
      description: '`complete`: the processor has confirmed the payment and the credit is added, or the card is added.',
    }),
    url: z.string().nullable(),
    expires_at: timestamp,
    completed_at: timestamp.nullable(),
    ...times,
  })
  .meta({ id: 'CheckoutSession' });
export type CheckoutSession = z.output<typeof checkoutSession>;

export const sandboxPage = z
  .strictObject({
    id,
    amount_usd: z.number().nullable(),
    status: z.enum(['open', 'complete', 'expired']),
    success_url: z.string(),
    cancel_url: z.string(),
    cards: z.array(
      z.strictObject({
        token: z.enum(testCardTokens),
        brand: z.string(),
        last4: z.string(),
        does: z.enum(['succeeds', 'needs_confirmation', 'is_declined', 'is_declined_later']),
      }),
    ),
  })
  .meta({ id: 'SandboxPage' });
export type SandboxPage = z.output<typeof sandboxPage>;

export const completeSandboxPage = z
  .strictObject({
    card: z.enum(testCardTokens),
    confirmed: z.boolean().default(false).meta({ description: 'The cardholder’s answer to the bank.' }),
  })
  .meta({ id: 'CompleteSandboxPage', example: { card: 'pm_card_visa' } });
