import { z } from 'zod';
import { dimensionUnits } from '@/lib/core/quota/dimensions';
import { usd } from '@/lib/money/rating/usd';

const count = z.int().min(0);

function allocated(dimension: 'vcpus' | 'ram_gb' | 'storage_tb') {
  return z.strictObject({
    used: z.number().meta({ description: 'Total in use by all tenants.' }),
    limit: z.number().meta({ description: 'Sum of all tenants’ limits.' }),
    unit: z.literal(dimensionUnits[dimension]),
  });
}

/** The platform in numbers. */
export const overview = z
  .strictObject({
    tenants: z.strictObject({ total: count, active: count, suspended: count }),
    users: z.strictObject({ total: count, administrators: count }),
    operations: z.strictObject({
      pending: count,
      running: count,
      failed: count,
      failed_last_day: count.meta({
        description: 'Of the failed operations, those that ended within the last 24 hours.',
      }),
    }),
    engines: z
      .strictObject({ available: count, degraded: count, unavailable: count, silent: count })
      .meta({ description: 'Each engine of each host counts once, by its last reported status or as silent.' }),
    payments: z.strictObject({ failed: count, failed_usd: usd, taken_back: count, owed_usd: usd }).meta({
      description:
        'Invoices whose last charge failed and the amount due on them; refunded or disputed payments still owed, and ' +
        'the amount owed.',
    }),
    shared_sites: z.array(z.enum(['GATEWAY_DOMAIN', 'S3_DOMAIN'])).meta({
      description:
        'Settings that put pages of tenants on the site of the portal or the back office, as `GATEWAY_SAME_SITE` allows.',
    }),
    allocation: z.strictObject({
      vcpus: allocated('vcpus'),
      ram_gb: allocated('ram_gb'),
      storage_tb: allocated('storage_tb'),
    }),
  })
  .meta({ id: 'PlatformOverview' });
export type Overview = z.output<typeof overview>;
