import { z } from 'zod';
import { catalogCategories } from '@/lib/core/domains/catalog';
import { usd } from '@/lib/money/rating/usd';

export const service = z
  .strictObject({
    id: z.string().meta({ example: 'instances' }),
    name: z.string().meta({ example: 'Virtual machines' }),
    category: z.enum(catalogCategories),
    description: z.string(),
    status: z.enum(['available', 'subscribed', 'unavailable']).meta({
      description: '`subscribed`: the project has resources of it.',
    }),
    status_reason: z.string().nullable().meta({ description: 'Why new resources cannot be created at present.' }),
    resources: z.int().meta({ description: 'Number of resources in the project.' }),
    limit: z
      .strictObject({ most: z.int(), setting: z.string().meta({ example: 'LOAD_BALANCERS_PER_PROJECT' }) })
      .nullable()
      .meta({
        description:
          'How many resources the project may have, and the operator’s setting that says so; null without one.',
      }),
    month_to_date_usd: usd.meta({ description: 'Cost of this month so far, including deleted resources.' }),
    docs_url: z.url().meta({ description: 'Its part of the API reference.' }),
    engine: z
      .string()
      .nullable()
      .meta({ description: 'The engine that it runs on; null: the platform itself.', example: 'compute' }),
    resource_types: z.array(z.string()).meta({ example: ['instance', 'key_pair'] }),
    metrics: z
      .array(z.string())
      .meta({ description: 'What is billed, as the rate card names it.', example: ['compute_vcpu'] }),
  })
  .meta({ id: 'CatalogService' });
export type CatalogEntry = z.output<typeof service>;
