import { Decimal } from 'decimal.js';
import { z } from 'zod';
import { id, times, timestamp } from '@/lib/api/schemas';
import { categories } from '@/lib/metering/categories';
import { metricNames } from '@/lib/metering/metrics';
import { month } from '@/lib/rating/month-schema';
import { MOST_USD, usd, usdInput } from '@/lib/rating/usd';

const metric = z.enum(metricNames);
const search = z.string().min(1).max(100).optional().meta({ description: 'A part of the tenant’s name, slug or id.' });
const tenant = { tenant_id: id, tenant_name: z.string(), tenant_slug: z.string() };

const unitPrice = z.number().meta({ description: 'USD for one unit.', example: 0.024 });
export const rate = z
  .strictObject({
    id,
    metric,
    unit_price_usd: unitPrice,
    effective_from: month.meta({ description: 'The month (UTC) that it begins with.' }),
    created_by: z.string(),
    created_at: timestamp,
  })
  .meta({ id: 'Rate' });
export type Rate = z.output<typeof rate>;

export const ratedMetric = z
  .strictObject({
    metric,
    name: z.string(),
    category: z.enum(categories),
    unit: z.string().meta({ example: 'vCPU-hour' }),
    unit_price_usd: unitPrice.nullable().meta({ description: 'Of this month; null: metered and not priced.' }),
    rates: z
      .array(
        rate.extend({
          state: z.enum(['coming', 'current', 'past', 'replaced']).meta({
            description: '`replaced`: a rate that was added later begins with the same month.',
          }),
        }),
      )
      .meta({ description: 'All that were ever added, the newest first.' }),
  })
  .meta({ id: 'RatedMetric' });
export type RatedMetric = z.output<typeof ratedMetric>;

export const addRate = z
  .strictObject({
    metric,
    unit_price_usd: z
      .number()
      .min(0)
      .max(1_000_000)
      .refine((value) => new Decimal(value).decimalPlaces() <= 6, 'must have at most six decimals')
      .meta({ description: 'USD for one unit, at most six decimals.' }),
    effective_from: month.meta({ description: 'A coming month (UTC).' }),
  })
  .meta({
    id: 'AddRate',
    example: { metric: 'compute_vcpu', unit_price_usd: 0.026, effective_from: '2031-01' },
  });
export type AddRate = z.output<typeof addRate>;

export const credit = z
  .strictObject({
    id,
    ...tenant,
    kind: z.enum(['top_up', 'grant', 'invoice']).meta({ description: '`invoice`: it was used up by one.' }),
    amount_usd: usd.meta({ description: 'Above zero: added. Below: used up.' }),
    reason: z.string(),
    created_by: z.string(),
    created_at: timestamp,
  })
  .meta({ id: 'TenantCredit' });
export type Credit = z.output<typeof credit>;

export const grantCredit = z
  .strictObject({
    amount_usd: usdInput(-MOST_USD)
      .refine((amount) => amount !== 0, 'must not be zero')
      .meta({ description: 'USD, at most six decimals. Below zero: taken back, as far as it is there.' }),
    reason: z
      .string()
      .trim()
      .min(1)
      .max(500)
      .regex(/^[^\p{Cc}]*$/u, 'must not hold control characters')
      .meta({ description: 'The tenant reads it.' }),
  })
  .meta({ id: 'GrantCredit', example: { amount_usd: 25, reason: 'For the outage of 3 March' } });
export type GrantCredit = z.output<typeof grantCredit>;

export const creditFilters = {
  tenant_id: id.optional(),
  kind: credit.shape.kind.optional(),
  search,
};

export const reversal = z
  .strictObject({
    id,
    ...tenant,
    kind: z.enum(['top_up', 'invoice']).meta({ description: 'What the payment was for.' }),
    invoice_number: z.string().nullable().meta({ example: 'INV-000042' }),
    paid_usd: usd,
    refunded_usd: usd,
    disputed_usd: usd.meta({ description: 'Withdrawn while a dispute goes on; for good where it is lost.' }),
    recovered_usd: usd.meta({ description: 'Taken from the tenant’s credit.' }),
    owed_usd: usd.meta({
      description:
        'Of a top-up what its credit did not cover; the next top-up pays it first. Of an invoice what is disputed: a ' +
        'refund is a gift.',
    }),
    reference: z.string().meta({ description: 'The processor’s id of the payment.' }),
    ...times,
  })
  .meta({ id: 'PaymentReversal' });
export type Reversal = z.output<typeof reversal>;

export const reversalFilters = {
  tenant_id: id.optional(),
  owed: z.enum(['true', 'false']).optional(),
  search,
};

export const tenantBudget = z
  .strictObject({
    ...tenant,
    monthly_limit_usd: usd.nullable().meta({ description: 'null: no budget.' }),
    enable_quota_freeze: z.boolean(),
    month_to_date_usd: usd,
    used_percent: z
      .number()
      .nullable()
      .meta({ description: 'Of the limit, rounded down: 100 only once it is reached. null without a limit.' }),
    frozen: z.boolean(),
    frozen_since: timestamp.nullable().meta({ description: 'As exactly as the meter knows.' }),
    freezes_at: timestamp.nullable().meta({ description: 'When the freeze begins if what runs now runs on.' }),
    lift_usd: usd.meta({ description: 'Added to the limit this month, because credit came while it was frozen.' }),
    credit_usd: usd.meta({ description: 'Prepaid, and not used up.' }),
  })
  .meta({ id: 'TenantBudget' });
export type TenantBudget = z.output<typeof tenantBudget>;

export const budgetFilters = {
  search,
  frozen: z.enum(['true', 'false']).optional(),
};

export const tenantRevenue = z
  .strictObject({
    ...tenant,
    month,
    so_far_usd: usd.nullable().meta({ description: 'What the running month has come to; null for another one.' }),
    invoiced_usd: usd.meta({ description: 'The sum of the next four.' }),
    credit_used_usd: usd.meta({ description: 'Paid from prepaid credit.' }),
    paid_usd: usd.meta({ description: 'Paid by card.' }),
    open_usd: usd.meta({ description: 'Neither paid nor moved to a later invoice.' }),
    carried_usd: usd.meta({ description: 'Moved to a later invoice, too little to charge; counted there again.' }),
    payment_status: z.string().nullable().meta({ description: 'Of the invoice; null: there is none.' }),
  })
  .meta({ id: 'TenantRevenue' });
export type TenantRevenue = z.output<typeof tenantRevenue>;

export const revenueFilters = {
  month: month.optional().meta({ description: 'Absent: the running one.' }),
  search,
};
