import { z } from 'zod';
import { dimensions } from '@/lib/core/quota/dimensions';
import { usd } from '@/lib/money/rating/usd';

export const quoteRequest = z
  .strictObject({
    method: z.enum(['POST', 'PUT', 'PATCH']),
    path: z.string().min(1).max(2000).meta({ description: 'As a request would have it; `/api/v1` may be left out.' }),
    body: z.unknown().optional().meta({ description: 'The body of that request.' }),
  })
  .meta({
    id: 'QuoteRequest',
    example: { method: 'POST', path: '/storage/volumes', body: { name: 'data', size_gb: 100 } },
  });
export type QuoteRequest = z.output<typeof quoteRequest>;

export const quoteAnswer = z
  .strictObject({
    hourly_usd: usd.meta({ description: 'Per hour of this month.' }),
    monthly_usd: usd.meta({ description: 'In all of this month, from its first to its last hour.' }),
    lines: z
      .array(
        z.strictObject({
          name: z.string().meta({ description: 'For people.', example: 'Boot disk' }),
          quantity: z.number(),
          unit: z.string().meta({ example: 'GB' }),
          per: z.string().meta({ description: 'What the price is of.', example: 'GB-month' }),
          unit_price_usd: z.string().nullable().meta({ description: 'Exact; null: free of charge.', example: '0.08' }),
          hourly_usd: usd,
          monthly_usd: usd,
        }),
      )
      .meta({
        description: 'What is billed by time from then on. Traffic and other events are billed as they happen.',
      }),
    quota: z.array(
      z.strictObject({
        dimension: z.enum(dimensions),
        claim: z.number().meta({ description: 'What the request takes.' }),
        available: z
          .number()
          .meta({ description: 'What is left before it. Less than `claim`: the request is refused.' }),
      }),
    ),
    frozen: z.boolean().meta({ description: 'Whether the budget freeze refuses the request now.' }),
  })
  .meta({ id: 'Quote' });
export type QuoteAnswer = z.output<typeof quoteAnswer>;
