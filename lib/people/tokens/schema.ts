import { z } from 'zod';
import { roles } from '@/lib/core/api/caller';
import { sortedQuery } from '@/lib/core/api/pagination';
import { displayName, id, times, timestamp } from '@/lib/core/api/schemas';

export const apiToken = z
  .strictObject({
    id,
    project_id: id.meta({ description: 'The only project in which the token works.' }),
    name: displayName,
    role: z
      .enum(roles)
      .meta({ description: 'The token has the permissions of this role, limited to its creator’s current role.' }),
    prefix: z
      .string()
      .meta({ description: 'First characters of the token, for identification.', example: 'neph_q3Zt7k' }),
    status: z.enum(['active', 'expired']),
    expires_at: timestamp.nullable().meta({ description: 'null: never.' }),
    last_used_at: timestamp.nullable().meta({ description: 'Accurate to the minute.' }),
    ...times,
  })
  .meta({ id: 'ApiToken' });
export type ApiToken = z.output<typeof apiToken>;

export const projectToken = apiToken
  .extend({
    user_id: id.meta({ description: 'Who created it.' }),
    user_email: z.string(),
  })
  .meta({ id: 'ProjectApiToken' });
export type ProjectToken = z.output<typeof projectToken>;

export const newToken = apiToken
  .extend({ token: z.string().meta({ description: 'Shown only once. Send it as `Authorization: Bearer <token>`.' }) })
  .meta({ id: 'NewApiToken' });
export type NewToken = z.output<typeof newToken>;

export const createToken = z
  .strictObject({
    name: displayName,
    role: z.enum(roles).meta({ description: 'At most your own.' }),
    expires_at: timestamp.optional().meta({ description: 'Defaults to never.' }),
  })
  .meta({ id: 'CreateApiToken', example: { name: 'ci', role: 'reader' } });
export type CreateToken = z.output<typeof createToken>;

const tokenFilters = {
  name: z.string().max(100).optional().meta({ description: 'Exact name.' }),
  status: z.enum(['active', 'expired']).optional(),
  search: z.string().max(100).optional().meta({ description: 'Matches any part of the name.' }),
};
export const tokenQuery = sortedQuery(tokenFilters, ['name']);
export const projectTokenQuery = tokenQuery.extend({
  user_id: z.string().max(64).optional().meta({ description: 'Created by this user.' }),
});
