import { z } from 'zod';
import { id } from '@/lib/core/api/schemas';

export const searchQuery = z.strictObject({
  q: z.string().trim().min(1).max(100).meta({
    description:
      'Part of a name, the beginning of an id, an IP or MAC address or the beginning of one, a CIDR, or a tag as `key=value`.',
    example: 'web',
  }),
});

const result = {
  type: z.string().meta({ description: 'The type of the resource.', example: 'instance' }),
  id,
  name: z.string().meta({ description: 'For resources without a name, their address.', example: 'web-1' }),
  status: z.string().nullable().meta({ description: 'null for resources without a status.' }),
  matched: z.enum(['name', 'id', 'address', 'tag']).meta({ description: 'What the text was found in.' }),
  address: z.string().nullable().meta({ description: 'The address that matched.', example: '10.0.0.7' }),
};
export const searchResult = z.strictObject(result).meta({ id: 'SearchResult' });
export const platformSearchResult = z
  .strictObject({
    ...result,
    project_id: id.nullable().meta({ description: 'The tenant it belongs to; null for users and public images.' }),
  })
  .meta({ id: 'PlatformSearchResult' });

export type SearchResult = z.output<typeof searchResult>;
export type PlatformSearchResult = z.output<typeof platformSearchResult>;
