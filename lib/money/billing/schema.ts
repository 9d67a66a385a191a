import { z } from 'zod';
import { listQuery } from '@/lib/core/api/pagination';
import { id, timestamp } from '@/lib/core/api/schemas';
import { tagKey } from '@/lib/core/tags/schema';
import { budgetStatus } from '@/lib/money/budget/schema';
import { categories } from '@/lib/money/metering/categories';
import { metricNames } from '@/lib/money/metering/metrics';
import { month } from '@/lib/money/rating/month-schema';
import { usd } from '@/lib/money/rating/usd';

const day = z.iso.date().meta({ description: 'A day (UTC).', example: '2026-02-14' });

const metric = z.enum(metricNames);
const category = z.enum(categories);
const quantity = z.number().meta({ description: 'In units, at most six decimal places.' });
const unit = z.string().meta({ example: 'vCPU-hour' });
const name = z.string().meta({ description: 'Display name.', example: 'vCPU' });
const amount = usd.nullable().meta({ description: 'USD, at most six decimal places; null: no price.' });
const resource = z
  .strictObject({
    type: z.string().meta({ example: 'instance' }),
    id,
    name: z.string().meta({ description: 'Name at the time of metering.' }),
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
          description: '`hour`, `month`: billed by duration · `count`: billed per event.',
        }),
        unit: z.string().meta({ description: 'The metered unit.', example: 'vCPU' }),
        per: z.string().meta({ description: 'The unit that the price is for.', example: 'vCPU-hour' }),
        unit_price_usd: price.nullable().meta({ description: 'Exact; null: metered but free of charge.' }),
        effective_from: month.nullable().meta({ description: 'First month of this price.' }),
        next: z
          .strictObject({ unit_price_usd: price, effective_from: month })
          .nullable()
          .meta({ description: 'The next price, if one is set.' }),
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
    last_month_usd: usd.meta({ description: 'The invoiced amount, or the amount to be invoiced.' }),
    forecast_usd: usd.meta({ description: 'Cost of the whole month if current usage continues.' }),
    burn_usd_per_hour: usd.meta({ description: 'Current cost per hour.' }),
    credit_usd: usd.meta({ description: 'Prepaid credit not yet spent on invoices.' }),
    owed_usd: usd.meta({
      description:
        'Owed for payments refunded or disputed after their credit was spent. New credit first settles what top-ups owe.',
    }),
    budget: z.strictObject({
      monthly_limit_usd: usd.nullable(),
      enable_quota_freeze: z.boolean(),
      status: budgetStatus,
    }),
    by_category: z
      .array(z.strictObject({ category, name, month_to_date_usd: usd, forecast_usd: usd }))
      .meta({ description: 'Each column adds up to the total above.' }),
    by_day: z.array(z.strictObject({ day, amount_usd: usd })).meta({
      description:
        'Every day of the month so far, oldest first; adds up to the month to date. Days of earlier months ' +
        'come first if their usage became known after their invoice.',
    }),
  })
  .meta({ id: 'BillingOverview' });
export type Overview = z.output<typeof overview>;

export const running = z
  .strictObject({
    resource,
    category,
    metrics: z.array(z.strictObject({ metric, name, quantity, unit: z.string().meta({ example: 'vCPU' }) })),
    usd_per_hour: amount,
    usd_per_month: amount.meta({ description: 'Cost of a whole month at the current rate.' }),
    since: timestamp,
  })
  .meta({ id: 'RunningCost', description: 'A resource that currently costs money.' });
export type Running = z.output<typeof running>;

export const breakdownKinds = ['category', 'resource', 'day', 'metric'] as const;
export const breakdownQuery = z.strictObject({
  month: month.optional().meta({ description: 'Defaults to the current month.' }),
  by: z.enum(breakdownKinds).default('category'),
  group_by: z
    .templateLiteral(['tag:', tagKey])
    .optional()
    .meta({ description: 'In place of `by`: the values of a tag, `tag:KEY`.', example: 'tag:env' }),
});
export const breakdown = z
  .strictObject({
    month,
    by: z.enum([...breakdownKinds, 'tag']),
    total_usd: usd.meta({
      description: 'The month to date; for a month that has ended, the amount invoiced or to be invoiced.',
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
          tag: z
            .strictObject({
              key: tagKey,
              value: z.string().nullable().meta({ description: 'null: without this tag.' }),
            })
            .optional(),
          quantity: quantity.optional(),
          unit: unit.optional(),
          amount_usd: amount,
        }),
      )
      .meta({
        description:
          'Adds up to the total. Days oldest first, all else most expensive first; beyond 500 resources or values, one item sums up the rest ' +
          '(`key` `others`). An amount carried over from an earlier invoice is a separate item (`carried_over`).',
      }),
  })
  .meta({ id: 'CostBreakdown' });
export type Breakdown = z.output<typeof breakdown>;
export type BreakdownKind = (typeof breakdownKinds)[number];

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
          .meta({ description: 'Currently allocated, for example vCPUs or GB; 0 for past months.' }),
      }),
    ),
  })
  .meta({ id: 'UsageStats' });
export type Stats = z.output<typeof stats>;

export const usageQuery = listQuery({
  from: day.optional().meta({ description: 'First day (UTC). Defaults to the first of this month.' }),
  to: day.optional().meta({ description: 'Last day (UTC), inclusive. Defaults to today.' }),
  metric: metric.optional(),
  resource_id: id.optional(),
});
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
        '`top_up`: paid by card · `grant`: from the platform · `invoice`: spent on an invoice · `refund`: top-up refunded · ' +
        '`withdrawal`: grant withdrawn.',
    }),
    amount_usd: usd.meta({ description: 'Negative: spent or withdrawn.' }),
    balance_usd: usd.meta({ description: 'Balance after this transaction.' }),
    reason: z.string(),
    reference: z.string().meta({ description: 'Id of the checkout, grant or invoice.' }),
  })
  .meta({ id: 'CreditEntry' });
export type CreditEntry = z.output<typeof creditEntry>;
