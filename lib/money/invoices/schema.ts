import { z } from 'zod';
import { listQuery } from '@/lib/core/api/pagination';
import { id, timestamp } from '@/lib/core/api/schemas';
import { month } from '@/lib/money/rating/month-schema';
import { usd } from '@/lib/money/rating/usd';
import { customer } from './details-schema';

const invoiceStatuses = ['open', 'paid', 'failed', 'deferred', 'carried'] as const;

const invoiceLine = z
  .strictObject({
    position: z.int(),
    kind: z.enum(['usage', 'carried_over']),
    category: z.string().meta({ example: 'compute' }),
    metric: z.string().nullable(),
    label: z.string().meta({ example: 'vCPU' }),
    used_in: month.meta({
      description: 'Month of use; earlier than the invoice’s if reported after that month was closed.',
    }),
    quantity: z.number().meta({ description: 'In units, six decimal places.' }),
    unit: z.string().meta({ example: 'vCPU-hour' }),
    unit_price_usd: z.number(),
    amount_usd: usd.meta({ description: 'Whole cents; the only rounding, half to even.' }),
  })
  .meta({ id: 'InvoiceLine' });

const payment = z.strictObject({
  status: z.enum(invoiceStatuses).meta({
    description:
      '`open`: being charged · `failed`: the last attempt failed · `deferred`: too small to charge, carried over to the next ' +
      'invoice · `carried`: included in the next invoice.',
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

const invoiceFilters = { month: month.optional(), status: z.enum(invoiceStatuses).optional() };
export const invoiceQuery = listQuery(invoiceFilters);
export const tenantInvoiceQuery = listQuery({ ...invoiceFilters, tenant_id: id.optional() });

export const closing = z
  .strictObject({
    month,
    state: z.enum(['running', 'ended', 'due', 'closed']).meta({
      description:
        '`running`: not over yet · `ended`: waiting for late usage until `closes_at` · `due`: being closed by the workers · ' +
        '`closed`: complete.',
    }),
    closes_at: timestamp.meta({ description: 'When the workers close it: six hours after the end of the month.' }),
    closed_at: timestamp.nullable().meta({ description: 'When the last invoice was issued; null if none was.' }),
    projects_left: z.int().meta({ description: 'Number of tenants whose month is not closed yet.' }),
    invoices: z.int(),
    subtotal_usd: usd,
    credit_usd: usd,
    due_usd: usd,
    paid_usd: usd.meta({ description: 'Paid by card; see `credit_usd` for the part paid from credit.' }),
    open_usd: usd.meta({ description: 'Neither paid nor carried over to a later invoice.' }),
    so_far_usd: usd.nullable().meta({ description: 'Spend so far in the current month; null for other months.' }),
    failed: z.int(),
  })
  .meta({ id: 'MonthClosing' });
export const closeMonth = z
  .strictObject({ month: month.meta({ description: 'A month that has ended (UTC).', example: '2026-02' }) })
  .meta({ id: 'CloseMonth', example: { month: '2026-02' } });

export type MonthClosing = z.output<typeof closing>;
