import { z } from 'zod';
import { id, timestamp } from '@/lib/api/schemas';
import { month } from '@/lib/rating/month-schema';
import { usd } from '@/lib/rating/usd';
import { customer } from './details-schema';

const invoiceStatuses = ['open', 'paid', 'failed', 'deferred', 'carried'] as const;

const invoiceLine = z
  .strictObject({
    position: z.int(),
    kind: z.enum(['usage', 'carried_over']),
    category: z.string().meta({ example: 'compute' }),
    metric: z.string().nullable(),
    label: z.string().meta({ example: 'vCPU' }),
    used_in: month.meta({ description: 'An earlier month than the invoice’s: told after that was closed.' }),
    quantity: z.number().meta({ description: 'In units, six decimals.' }),
    unit: z.string().meta({ example: 'vCPU-hour' }),
    unit_price_usd: z.number(),
    amount_usd: usd.meta({ description: 'Whole cents, rounded half to even once, here.' }),
  })
  .meta({ id: 'InvoiceLine' });

const payment = z.strictObject({
  status: z.enum(invoiceStatuses).meta({
    description:
      '`open`: it is being charged · `failed`: the last try failed · `deferred`: too little to charge, left to the next ' +
      'invoice · `carried`: it is on the next invoice.',
  }),
  card: z.string().nullable().meta({ example: 'visa 4242' }),
  attempts: z.int(),
  failure: z.string().nullable(),
  next_attempt_at: timestamp.nullable(),
  paid_at: timestamp.nullable(),
});

const facts = {
  id,
  number: z.string().meta({ example: 'INV-000042' }),
  month,
  issued_at: timestamp,
  subtotal_usd: usd,
  credit_usd: usd.meta({ description: 'Paid from prepaid credit.' }),
  due_usd: usd.meta({ description: 'Charged to the default card.' }),
  payment,
};

export const invoice = z.strictObject({ ...facts, customer, lines: z.array(invoiceLine) }).meta({ id: 'Invoice' });
export type Invoice = z.output<typeof invoice>;

export const tenantInvoice = z
  .strictObject({ ...facts, tenant_id: id, tenant_name: z.string(), tenant_slug: z.string() })
  .meta({ id: 'TenantInvoice' });
export type TenantInvoice = z.output<typeof tenantInvoice>;

export const invoiceFilters = { month: month.optional(), status: z.enum(invoiceStatuses).optional() };
export const tenantInvoiceFilters = { ...invoiceFilters, tenant_id: id.optional() };

export const closing = z
  .strictObject({
    month,
    state: z.enum(['running', 'ended', 'due', 'closed']).meta({
      description:
        '`running`: it goes on · `ended`: late usage is still waited for, until `closes_at` · `due`: the workers are ' +
        'closing it · `closed`: nothing is left to do.',
    }),
    closes_at: timestamp.meta({ description: 'When the workers close it: six hours after its end.' }),
    closed_at: timestamp.nullable().meta({ description: 'When the last of its invoices was issued; null: none is.' }),
    projects_left: z.int().meta({ description: 'Tenants whose month is not closed yet.' }),
    invoices: z.int(),
    subtotal_usd: usd,
    credit_usd: usd,
    due_usd: usd,
    paid_usd: usd.meta({ description: 'By card; what credit paid is in `credit_usd`.' }),
    open_usd: usd.meta({ description: 'Neither paid nor moved to a later invoice.' }),
    so_far_usd: usd.nullable().meta({ description: 'What the running month has come to; null for another one.' }),
    failed: z.int(),
  })
  .meta({ id: 'MonthClosing' });
export const closeMonth = z
  .strictObject({ month: month.meta({ description: 'A month that has ended (UTC).', example: '2026-02' }) })
  .meta({ id: 'CloseMonth', example: { month: '2026-02' } });

export type MonthClosing = z.output<typeof closing>;
