import { z } from 'zod';
import { email, timestamp } from '@/lib/core/api/schemas';
import { usd, usdInput } from '@/lib/money/rating/usd';

export const DEFAULT_THRESHOLDS = [50, 80, 90] as const;

const percent = z.int().min(1).max(100);

export const budgetStatus = z
  .strictObject({
    month: z.string().meta({ description: 'The month (UTC) of these figures.', example: '2026-02' }),
    month_to_date_usd: usd,
    used_percent: z.number().nullable().meta({
      description: 'Percentage of the limit, rounded down: 100 only once it is reached. null if there is no limit.',
    }),
    frozen: z.boolean(),
    frozen_reason: z.string().nullable().meta({ description: 'What is frozen, why, and who can lift the freeze.' }),
    lift_usd: usd.meta({ description: 'Added to this month’s limit because credit was added during a freeze.' }),
    freezes_at: timestamp.nullable().meta({ description: 'When the freeze starts if current usage continues.' }),
    reached_at: timestamp
      .nullable()
      .meta({ description: 'When spend reached 100%, or will if current usage continues.' }),
    thresholds: z.array(
      z.strictObject({
        percent,
        amount_usd: usd,
        reached: z.boolean(),
        at: timestamp.nullable().meta({ description: 'When spend reached or will reach it; null: not this month.' }),
      }),
    ),
  })
  .meta({ id: 'BudgetStatus' });
export type BudgetStatus = z.output<typeof budgetStatus>;

export const budget = z
  .strictObject({
    monthly_limit_usd: usd.nullable().meta({ description: 'null: no budget set.' }),
    thresholds: z.array(percent).meta({ description: 'Percentages of the limit that send an alert; 100 always does.' }),
    enable_quota_freeze: z.boolean(),
    notify_emails: z.array(email),
    webhook_url: z.url().nullable(),
    status: budgetStatus,
    updated_at: timestamp.nullable().meta({ description: 'null if never set.' }),
  })
  .meta({ id: 'Budget' });
export type Budget = z.output<typeof budget>;

export const setBudget = z
  .strictObject({
    monthly_limit_usd: usdInput(0.01).nullable().meta({ description: 'USD per month (UTC); null: no budget.' }),
    thresholds: z
      .array(percent)
      .max(20)
      .default([...DEFAULT_THRESHOLDS])
      .transform((values) => [...new Set(values)].sort((a, b) => a - b))
      .meta({ description: 'Percentages of the limit that send an alert. 100 always does.' }),
    enable_quota_freeze: z.boolean().default(false).meta({
      description: 'At 100%, nothing can be created or enlarged until the budget is raised or credit is added.',
    }),
    notify_emails: z.array(email).max(20).default([]),
    webhook_url: z.url().max(2000).nullable().default(null),
  })
  .refine(({ monthly_limit_usd, enable_quota_freeze }) => monthly_limit_usd !== null || !enable_quota_freeze, {
    path: ['enable_quota_freeze'],
    message: 'requires monthly_limit_usd',
  })
  .meta({
    id: 'SetBudget',
    example: {
      monthly_limit_usd: 250,
      thresholds: [50, 80, 90],
      enable_quota_freeze: true,
      notify_emails: ['finance@acme.example'],
      webhook_url: null,
    },
  });
export type SetBudget = z.output<typeof setBudget>;
