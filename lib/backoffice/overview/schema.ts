import { z } from 'zod';
import { dimensionUnits } from '@/lib/quota/dimensions';
import { usd } from '@/lib/rating/usd';

const count = z.int().min(0);

function allocated(dimension: 'vcpus' | 'ram_gb' | 'storage_tb') {
  return z.strictObject({
    used: z.number().meta({ description: 'What all tenants hold.' }),
    limit: z.number().meta({ description: 'What all tenants may hold.' }),
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
      failed_last_day: count.meta({ description: 'Of the failed ones, those that ended within 24 hours.' }),
    }),
    engines: z
      .strictObject({ available: count, degraded: count, unavailable: count, silent: count })
      .meta({ description: 'Each engine of each host counts once: as what it last said, or as silent.' }),
    payments: z.strictObject({ failed: count, failed_usd: usd, taken_back: count, owed_usd: usd }).meta({
      description:
        'Invoices whose last charge failed, and what is due on them; payments that were refunded or disputed and are ' +
        'owed, and how much of them.',
    }),
    allocation: z.strictObject({
      vcpus: allocated('vcpus'),
      ram_gb: allocated('ram_gb'),
      storage_tb: allocated('storage_tb'),
    }),
  })
  .meta({ id: 'PlatformOverview' });
export type Overview = z.output<typeof overview>;
