import { expect, test } from 'vitest';
import { cardAge } from './cards';
import { byCategory, type InvoiceLine, paymentSentence, whyNotPay } from './invoices';

const line = (position: number, category: string): InvoiceLine => ({
  position,
  kind: 'usage',
  category,
  metric: null,
  label: String(position),
  used_in: '2028-02',
  quantity: 1,
  unit: 'GB',
  unit_price_usd: 1,
  amount_usd: 1,
});

const payment = { card: null, attempts: 0, failure: null, next_attempt_at: null, paid_at: null };

test('lines stand under their services in the order of the invoice', () => {
  const groups = byCategory([line(1, 'compute'), line(2, 'compute'), line(3, 'storage'), line(4, 'carried_over')]);
  expect(groups.map(({ title, lines }) => [title, lines.length])).toEqual([
    ['Compute', 2],
    ['Storage', 1],
    ['Earlier invoices', 1],
  ]);
});

test('how a payment stands is said in words, and only what is owed can be paid', () => {
  expect(paymentSentence({ due_usd: 0, payment: { ...payment, status: 'paid' } })).toBe('Paid from prepaid credit.');
  expect(paymentSentence({ due_usd: 5, payment: { ...payment, status: 'paid', card: 'visa 4242' } })).toBe(
    'Paid by Visa ending in 4242.',
  );
  expect(whyNotPay({ payment: { ...payment, status: 'failed' } })).toBe(undefined);
  expect(whyNotPay({ payment: { ...payment, status: 'paid' } })).toBe('Already paid.');
});

test('a card is good until the last day of the month that is printed on it', () => {
  const card = { exp_month: 12, exp_year: 2028 };
  expect(cardAge(card, Date.UTC(2028, 9, 30))).toBe('good');
  expect(cardAge(card, Date.UTC(2028, 11, 31, 23))).toBe('expires_soon');
  expect(cardAge(card, Date.UTC(2029, 0, 1))).toBe('expired');
});
