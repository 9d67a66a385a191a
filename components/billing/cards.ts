import type { components } from '@/lib/client/schema';

export type PaymentMethod = components['schemas']['PaymentMethod'];

const brands: Record<string, string> = {
  amex: 'American Express',
  diners: 'Diners Club',
  discover: 'Discover',
  jcb: 'JCB',
  mastercard: 'Mastercard',
  unionpay: 'UnionPay',
  visa: 'Visa',
};

/** `mastercard` → `Mastercard`; a brand that is not known here as the processor calls it. */
function brandName(brand: string): string {
  return brands[brand] ?? brand.charAt(0).toUpperCase() + brand.slice(1);
}

/** `visa`, `4242` → `Visa ending in 4242` */
export function cardName({ brand, last4 }: { brand: string; last4: string }): string {
  return `${brandName(brand)} ending in ${last4}`;
}

/** `visa 4242`, as an invoice remembers the card that it was charged to. */
export function chargedCard(card: string): string {
  const [, brand = card, last4] = /^(.*) (\d{4})$/.exec(card) ?? [];
  return last4 ? cardName({ brand, last4 }) : brand;
}

/** How a card stands by what is printed on it: it is good until the last day of that month. */
export function cardAge(
  { exp_month, exp_year }: { exp_month: number; exp_year: number },
  now: number,
): 'good' | 'expires_soon' | 'expired' {
  const end = Date.UTC(exp_year, exp_month);
  if (now >= end) return 'expired';
  return now >= Date.UTC(exp_year, exp_month - 2) ? 'expires_soon' : 'good';
}

/** `12`, `2029` → `12/29`, as it is printed. */
export function expiryText({ exp_month, exp_year }: { exp_month: number; exp_year: number }): string {
  return `${String(exp_month).padStart(2, '0')}/${String(exp_year % 100).padStart(2, '0')}`;
}

/** The consequence of removing a card: the card that is charged next, if any. */
export function removalSentence({ id, is_default }: PaymentMethod, cards: readonly PaymentMethod[]): string {
  const gone = 'It is also removed at the payment processor. To use it again, add it again.';
  if (!is_default) return `${gone} Invoices are already charged to another card.`;
  // The list is the newest first: of the others the oldest becomes the default.
  const next = cards.filter((card) => card.id !== id).at(-1);
  return next
    ? `${gone} Invoices will be charged to ${cardName(next)}.`
    : `${gone} This is your only card. Invoices that credit does not cover stay open until you add another.`;
}
