import { z } from 'zod';
import { displayName, id, reference, times } from '@/lib/core/api/schemas';
import { tagFilter } from '@/lib/core/tags/schema';

export const toyStatuses = ['creating', 'active', 'upgrading', 'deleting', 'error'] as const;
/** The available versions; each needs more memory than the one before. */
export const toyVersions = [1, 2] as const;

export const toy = z
  .strictObject({
    id,
    name: displayName,
    status: z.enum(toyStatuses),
    status_reason: z.string().nullable(),
    version: z.int(),
    network_id: id,
    address: z.ipv4(),
    ...times,
  })
  .meta({ id: 'Toy' });
export type Toy = z.output<typeof toy>;

export const toyQuery = z.strictObject({ tag: tagFilter });

export const createToy = z
  .strictObject({
    name: z.string().regex(/^[a-z0-9]([a-z0-9-]{1,61}[a-z0-9])$/),
    network_id: reference,
    security_group_ids: z.array(reference),
  })
  .meta({
    id: 'CreateToy',
    example: { name: 'notes', network_id: '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f', security_group_ids: [] },
  });
export type CreateToy = z.output<typeof createToy>;

export const upgradeToy = z.strictObject({ version: z.int() }).meta({ id: 'UpgradeToy', example: { version: 2 } });
