import type { components } from '@/lib/client/schema';
import { formatMonth } from '@/lib/format/time';
import { invoiceHeadings } from '@/lib/money/metering/categories';
import { chargedCard } from './cards';

export type Invoice = components['schemas']['Invoice'];
export type InvoiceLine = Invoice['lines'][number];

/** The lines under the services that they are of, in the invoice's own order. */
export function byCategory(lines: readonly InvoiceLine[]): { title: string; lines: InvoiceLine[] }[] {
  const groups = new Map<string, InvoiceLine[]>();
  for (const line of lines) groups.set(line.category, [...(groups.get(line.category) ?? []), line]);
  return [...groups].map(([category, own]) => ({ title: invoiceHeadings[category] ?? category, lines: own }));
}

/** `November 2026` */
export function monthName(month: string): string {
  return `${formatMonth(month, 'long')} ${month.slice(0, 4)}`;
}

/** How the payment of an invoice stands, in a sentence. */
export function paymentSentence({ due_usd, payment }: Pick<Invoice, 'due_usd' | 'payment'>): string {
  const card = payment.card === null ? 'the default card' : chargedCard(payment.card);
  switch (payment.status) {
    case 'paid':
      return due_usd === 0 ? 'Paid from prepaid credit.' : `Paid by ${card}.`;
    case 'open':
      return 'Being charged to the default card.';
    case 'failed':
      return payment.failure ?? 'The last payment attempt failed.';
    case 'deferred':
      return 'Below the minimum card charge. Will be added to the next invoice.';
    case 'carried':
      return 'Below the minimum card charge. Added to the next invoice.';
  }
}

/** Why an invoice can't be paid now; undefined when it can. */
export function whyNotPay({ payment }: Pick<Invoice, 'payment'>): string | undefined {
  if (payment.status === 'paid') return 'Already paid.';
  if (payment.status === 'deferred') return 'Below the minimum card charge. Will be added to the next invoice.';
  return payment.status === 'carried' ? 'Paid with the next invoice.' : undefined;
}
