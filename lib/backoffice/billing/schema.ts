import { Decimal } from 'decimal.js';
import { z } from 'zod';
import { listQuery, sortedQuery } from '@/lib/core/api/pagination';
import { id, times, timestamp } from '@/lib/core/api/schemas';
import { categories } from '@/lib/money/metering/categories';
import { metricNames } from '@/lib/money/metering/metrics';
import { month } from '@/lib/money/rating/month-schema';
import { MOST_USD, usd, usdInput } from '@/lib/money/rating/usd';

const metric = z.enum(metricNames);
const search = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .meta({ description: 'Matches any part of the tenant’s name, slug or id.' });
const tenant = { tenant_id: id, tenant_name: z.string(), tenant_slug: z.string() };

const unitPrice = z.number().meta({ description: 'USD per unit.', example: 0.024 });
export const rate = z
  .strictObject({
    id,
    metric,
    unit_price_usd: unitPrice,
    effective_from: month.meta({ description: 'First month (UTC) that the rate applies to.' }),
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
    unit_price_usd: unitPrice.nullable().meta({ description: 'Price this month; null: metered but free of charge.' }),
    rates: z
      .array(
        rate.extend({
          state: z.enum(['coming', 'current', 'past', 'replaced']).meta({
            description: '`replaced`: a later rate starts in the same month.',
          }),
        }),
      )
      .meta({ description: 'All rates ever added, newest first.' }),
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
      .refine((value) => new Decimal(value).decimalPlaces() <= 6, 'must have at most six decimal places')
      .meta({ description: 'USD per unit, at most six decimal places.' }),
    effective_from: month.meta({ description: 'A future month (UTC).' }),
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
    kind: z.enum(['top_up', 'grant', 'invoice']).meta({ description: '`invoice`: spent on an invoice.' }),
    amount_usd: usd.meta({ description: 'Positive: added. Negative: spent or withdrawn.' }),
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
      .meta({
        description: 'USD, at most six decimal places. A negative amount withdraws credit, up to what is left.',
      }),
    reason: z
      .string()
      .trim()
      .min(1)
      .max(500)
      .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters')
      .meta({ description: 'Visible to the tenant.' }),
  })
  .meta({ id: 'GrantCredit', example: { amount_usd: 25, reason: 'Compensation for the outage on 3 March' } });
export type GrantCredit = z.output<typeof grantCredit>;

export const creditQuery = listQuery({
  tenant_id: id.optional(),
  kind: credit.shape.kind.optional(),
  search,
});

export const reversal = z
  .strictObject({
    id,
    ...tenant,
    kind: z.enum(['top_up', 'invoice']).meta({ description: 'The invoice or top-up that the payment was for.' }),
    invoice_number: z.string().nullable().meta({ example: 'INV-000042' }),
    paid_usd: usd,
    refunded_usd: usd,
    disputed_usd: usd.meta({ description: 'Withheld while a dispute is open, and for good if it is lost.' }),
    recovered_usd: usd.meta({ description: 'Recovered from the tenant’s credit.' }),
    owed_usd: usd.meta({
      description:
        'For a top-up, the part that credit did not cover; the next top-up pays it first. For an invoice, the disputed ' +
        'amount; refunds are not owed.',
    }),
    reference: z.string().meta({ description: 'The payment’s id at the payment processor.' }),
    ...times,
  })
  .meta({ id: 'PaymentReversal' });
export type Reversal = z.output<typeof reversal>;

export const reversalQuery = listQuery({
  tenant_id: id.optional(),
  owed: z.enum(['true', 'false']).optional(),
  search,
});

export const tenantBudget = z
  .strictObject({
    ...tenant,
    monthly_limit_usd: usd.nullable().meta({ description: 'null: no budget set.' }),
    enable_quota_freeze: z.boolean(),
    month_to_date_usd: usd,
    used_percent: z.number().nullable().meta({
      description: 'Percentage of the limit, rounded down: 100 only once it is reached. null if there is no limit.',
    }),
    frozen: z.boolean(),
    frozen_since: timestamp.nullable().meta({ description: 'To the full precision of the meter.' }),
    freezes_at: timestamp.nullable().meta({ description: 'When the freeze starts if current usage continues.' }),
    lift_usd: usd.meta({ description: 'Added to this month’s limit because credit was added during a freeze.' }),
    credit_usd: usd.meta({ description: 'Prepaid credit not yet spent.' }),
  })
  .meta({ id: 'TenantBudget' });
export type TenantBudget = z.output<typeof tenantBudget>;

export const budgetQuery = sortedQuery(
  {
    search,
    frozen: z.enum(['true', 'false']).optional(),
  },
  ['name', 'slug'],
);

export const tenantRevenue = z
  .strictObject({
    ...tenant,
    month,
    so_far_usd: usd.nullable().meta({ description: 'Spend so far in the current month; null for other months.' }),
    invoiced_usd: usd.meta({ description: 'Sum of the next four amounts.' }),
    credit_used_usd: usd.meta({ description: 'Paid from prepaid credit.' }),
    paid_usd: usd.meta({ description: 'Paid by card.' }),
    open_usd: usd.meta({ description: 'Neither paid nor carried over to a later invoice.' }),
    carried_usd: usd.meta({
      description: 'Carried over to a later invoice because it is too small to charge; counted again there.',
    }),
    payment_status: z.string().nullable().meta({ description: 'Status of the invoice; null if there is none.' }),
  })
  .meta({ id: 'TenantRevenue' });
export type TenantRevenue = z.output<typeof tenantRevenue>;

export const revenueQuery = sortedQuery(
  {
    month: month.optional().meta({ description: 'Defaults to the current month.' }),
    search,
  },
  ['name', 'slug', 'invoiced_usd'],
);
