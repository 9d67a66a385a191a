import { z } from 'zod';
import { id, timestamp } from '@/lib/api/schemas';
import { budgetStatus } from '@/lib/budget/schema';
import { categories } from '@/lib/metering/categories';
import { metricNames } from '@/lib/metering/metrics';
import { month } from '@/lib/rating/month-schema';
import { usd } from '@/lib/rating/usd';

const day = z.iso.date().meta({ description: 'A day (UTC).', example: '2026-02-14' });

const metric = z.enum(metricNames);
const category = z.enum(categories);
const quantity = z.number().meta({ description: 'In units, six decimals at most.' });
const unit = z.string().meta({ example: 'vCPU-hour' });
const name = z.string().meta({ description: 'For people.', example: 'vCPU' });
const amount = usd.nullable().meta({ description: 'USD, at most six decimals; null: it has no price.' });
const resource = z
  .strictObject({
    type: z.string().meta({ example: 'instance' }),
    id,
    name: z.string().meta({ description: 'As it was called when it was metered.' }),
  })
  .meta({ id: 'MeteredResource' });

const price = z.string().meta({ description: 'USD, an exact decimal.', example: '0.024' });

export const pricing = z
  .strictObject({
    month,
    currency: z.literal('USD'),
    items: z.array(
      z.strictObject({
        metric,
        name,
        category,
        basis: z.enum(['hour', 'month', 'count']).meta({
          description: '`hour`, `month`: it lasts, and is priced by that time · `count`: it happens.',
        }),
        unit: z.string().meta({ description: 'What there is of it.', example: 'vCPU' }),
        per: z.string().meta({ description: 'What the price is of.', example: 'vCPU-hour' }),
        unit_price_usd: price.nullable().meta({ description: 'Exact; null: metered, and free of charge.' }),
        effective_from: month.nullable().meta({ description: 'The month with which the price began.' }),
        next: z
          .strictObject({ unit_price_usd: price, effective_from: month })
          .nullable()
          .meta({ description: 'The price that follows, where one is set.' }),
      }),
    ),
  })
  .meta({ id: 'RateCard' });
export type Pricing = z.output<typeof pricing>;

export const overview = z
  .strictObject({
    month,
    as_of: timestamp,
    month_to_date_usd: usd,
    last_month_usd: usd.meta({ description: 'What its invoice says, or will say.' }),
    forecast_usd: usd.meta({ description: 'What the month will have cost if what runs now runs on.' }),
    burn_usd_per_hour: usd.meta({ description: 'What runs now, per hour.' }),
    credit_usd: usd.meta({ description: 'Prepaid, and not used up by invoices.' }),
    owed_usd: usd.meta({
      description:
        'Payments that were refunded or disputed after they were used. Added credit settles what is owed for top-ups first.',
    }),
    budget: z.strictObject({
      monthly_limit_usd: usd.nullable(),
      enable_quota_freeze: z.boolean(),
      status: budgetStatus,
    }),
    by_category: z
      .array(z.strictObject({ category, name, month_to_date_usd: usd, forecast_usd: usd }))
      .meta({ description: 'Each column adds up to the total above.' }),
    by_day: z
      .array(z.strictObject({ day, amount_usd: usd }))
      .meta({ description: 'Every day of the month until now, oldest first; adds up to the month to date.' }),
  })
  .meta({ id: 'BillingOverview' });
export type Overview = z.output<typeof overview>;

export const running = z
  .strictObject({
    resource,
    category,
    metrics: z.array(z.strictObject({ metric, name, quantity, unit: z.string().meta({ example: 'vCPU' }) })),
    usd_per_hour: amount,
    usd_per_month: amount.meta({ description: 'In all of this month, were it there from the first to the last hour.' }),
    since: timestamp,
  })
  .meta({ id: 'RunningCost', description: 'What costs money at this moment.' });
export type Running = z.output<typeof running>;

export const breakdownKinds = ['category', 'resource', 'day', 'metric'] as const;
export const breakdownQuery = z.strictObject({
  month: month.optional().meta({ description: 'The month; absent: the one that runs.' }),
  by: z.enum(breakdownKinds).default('category'),
});
export const breakdown = z
  .strictObject({
    month,
    by: z.enum(breakdownKinds),
    total_usd: usd.meta({
      description: 'The month to date; of a month that has ended, what its invoice says or will say.',
    }),
    items: z
      .array(
        z.strictObject({
          key: z.string(),
          name: z.string(),
          category: category.optional(),
          resource: resource.optional(),
          day: day.optional(),
          metric: metric.optional(),
          quantity: quantity.optional(),
          unit: unit.optional(),
          amount_usd: amount,
        }),
      )
      .meta({
        description:
          'Adds up to the total. Days oldest first, the rest dearest first; beyond 500 resources one item sums up the others ' +
          '(`key` `others`). What an invoice carries over from an earlier one is an item of its own (`carried_over`).',
      }),
  })
  .meta({ id: 'CostBreakdown' });
export type Breakdown = z.output<typeof breakdown>;
export type BreakdownKind = Breakdown['by'];

export const statsQuery = z.strictObject({ month: month.optional() });
export const stats = z
  .strictObject({
    month,
    metrics: z.array(
      z.strictObject({
        metric,
        name,
        category,
        unit,
        quantity,
        amount_usd: amount,
        open_quantity: z
          .number()
          .meta({ description: 'What there is now, for example vCPUs or GB; 0 in past months.' }),
      }),
    ),
  })
  .meta({ id: 'UsageStats' });
export type Stats = z.output<typeof stats>;

export const usageFilters = {
  from: day.optional().meta({ description: 'The first day (UTC); absent: the first of this month.' }),
  to: day.optional().meta({ description: 'The last day (UTC), inclusive; absent: today.' }),
  metric: metric.optional(),
  resource_id: id.optional(),
};
export const usage = z
  .strictObject({ day, metric, resource, quantity, unit, amount_usd: amount })
  .meta({ id: 'DailyUsage' });
export type Usage = z.output<typeof usage>;

export const creditEntry = z
  .strictObject({
    id,
    created_at: timestamp,
    kind: z.enum(['top_up', 'grant', 'invoice', 'refund', 'withdrawal']).meta({
      description:
        '`top_up`: paid by card · `grant`: from the platform · `invoice`: paid one · `refund`: a top-up given back · ' +
        '`withdrawal`: a grant taken back.',
    }),
    amount_usd: usd.meta({ description: 'Below zero: it was used.' }),
    balance_usd: usd.meta({ description: 'After it.' }),
    reason: z.string(),
    reference: z.string().meta({ description: 'The checkout, grant or invoice.' }),
  })
  .meta({ id: 'CreditEntry' });
export type CreditEntry = z.output<typeof creditEntry>;
