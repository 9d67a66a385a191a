import { z } from 'zod';
import { listQuery } from '@/lib/core/api/pagination';
import { id, timestamp } from '@/lib/core/api/schemas';
import { tagFilter, tagged } from '@/lib/core/tags/schema';
import { usd } from '@/lib/money/rating/usd';

const type = z.string().max(100).meta({ description: 'The type of the resource.', example: 'instance' });

export const inventoryQuery = listQuery({
  type: z
    .array(type)
    .max(50)
    .optional()
    .meta({ description: 'Repeat it for several types.', example: ['instance'] }),
  status: z.string().max(50).optional().meta({ example: 'active' }),
  name: z.string().max(255).optional().meta({ description: 'Exact name.' }),
  search: z.string().max(100).optional().meta({ description: 'Matches any part of the name.' }),
  tag: tagFilter,
});

/** The fields of an item, in the order of the columns of its CSV. */
export const inventoryItem = z
  .strictObject({
    type,
    id,
    name: z.string().meta({ description: 'For resources without a name, their address.', example: 'web-1' }),
    status: z.string().nullable().meta({ description: 'null for resources without a status.', example: 'active' }),
    region: z.string().meta({ description: 'The region of this platform.', example: 'local' }),
    created_at: timestamp,
    created_by: z.string().nullable().meta({ description: 'null: created by the platform.', example: 'Ada Lovelace' }),
    hourly_usd: usd.meta({ description: 'Current cost per hour, without usage billed by count.' }),
    month_to_date_usd: usd.meta({ description: 'Cost of this month so far.' }),
    addresses: z
      .array(z.string())
      .meta({ description: 'IP addresses, and the ranges of networks.', example: ['10.0.0.7'] }),
    tags: tagged.shape.tags,
    href: z.string().meta({
      description: 'Path of the resource in the API; of its list if it has none of its own.',
      example: '/api/v1/compute/instances/01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f',
    }),
  })
  .meta({ id: 'InventoryItem' });
export type InventoryItem = z.output<typeof inventoryItem>;
