import { z } from 'zod';
import { roles } from '@/lib/core/api/caller';
import { sortedQuery } from '@/lib/core/api/pagination';
import { displayName, email, id, newPassword, times } from '@/lib/core/api/schemas';

const membership = z.strictObject({
  project_id: id,
  tenant_name: z.string(),
  tenant_slug: z.string(),
  tenant_status: z.enum(['active', 'suspended']),
  status: z.enum(['invited', 'active']),
  roles: z.array(z.enum(roles)),
});

/** A person as the back office sees them. */
export const platformUser = z
  .strictObject({
    id,
    email: z.string(),
    name: z.string(),
    administrator: z.boolean().meta({ description: 'Whether the user can sign in to the back office.' }),
    email_verified: z.boolean().meta({ description: 'A mailed link has shown that the mailbox is theirs.' }),
    two_factor_enabled: z.boolean(),
    memberships: z.array(membership).meta({ description: 'Oldest first.' }),
    ...times,
  })
  .meta({ id: 'PlatformUser' });
export type PlatformUser = z.output<typeof platformUser>;

export const createAdministrator = z.strictObject({ email, name: displayName, password: newPassword }).meta({
  id: 'CreateAdministrator',
  example: { email: 'grace@cloud.example', name: 'Grace Hopper', password: 'correct horse battery staple' },
});
export type CreateAdministrator = z.output<typeof createAdministrator>;

export const noBody = z.strictObject({}).meta({ example: {} });

const search = z
  .string()
  .min(1)
  .max(254)
  .optional()
  .meta({ description: 'Matches any part of the e-mail address, name or id.' });

const sorts = ['email', 'name'] as const;
export const administratorQuery = sortedQuery({ search }, sorts);

export const userQuery = sortedQuery(
  {
    search,
    email: email.optional().meta({ description: 'Exact e-mail address.' }),
    tenant_id: id.optional().meta({ description: 'Members of this tenant, including invited ones.' }),
    administrator: z.enum(['true', 'false']).optional(),
  },
  sorts,
);
