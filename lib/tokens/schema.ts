import { z } from 'zod';
import { roles } from '@/lib/api/caller';
import { displayName, id, times, timestamp } from '@/lib/api/schemas';

export const apiToken = z
  .strictObject({
    id,
    project_id: id.meta({ description: 'The one project that the token works in.' }),
    name: displayName,
    role: z
      .enum(roles)
      .meta({ description: 'The token may what this role may, and never more than its maker may then.' }),
    prefix: z.string().meta({ description: 'How the token begins, to tell tokens apart.', example: 'neph_q3Zt7k' }),
    status: z.enum(['active', 'expired']),
    expires_at: timestamp.nullable().meta({ description: 'Null: never.' }),
    last_used_at: timestamp.nullable().meta({ description: 'To the minute.' }),
    ...times,
  })
  .meta({ id: 'ApiToken' });
export type ApiToken = z.output<typeof apiToken>;

export const projectToken = apiToken
  .extend({
    user_id: id.meta({ description: 'Who made it.' }),
    user_email: z.string(),
  })
  .meta({ id: 'ProjectApiToken' });
export type ProjectToken = z.output<typeof projectToken>;

export const newToken = apiToken
  .extend({ token: z.string().meta({ description: 'Shown this once. Send it as `Authorization: Bearer <token>`.' }) })
  .meta({ id: 'NewApiToken' });
export type NewToken = z.output<typeof newToken>;

export const createToken = z
  .strictObject({
    name: displayName,
    role: z.enum(roles).meta({ description: 'At most your own.' }),
    expires_at: timestamp.optional().meta({ description: 'Absent: never.' }),
  })
  .meta({ id: 'CreateApiToken', example: { name: 'ci', role: 'reader' } });
export type CreateToken = z.output<typeof createToken>;

export const tokenFilters = {
  name: z.string().max(100).optional().meta({ description: 'Exactly this name.' }),
  status: z.enum(['active', 'expired']).optional(),
  search: z.string().max(100).optional().meta({ description: 'Part of the name.' }),
};
