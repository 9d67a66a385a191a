import { z } from 'zod';
import { roles } from '@/lib/core/api/caller';
import { sortedQuery } from '@/lib/core/api/pagination';
import { displayName, email, id, newPassword, reference, times } from '@/lib/core/api/schemas';
import { acceptanceCode, shownAcceptance } from '@/lib/people/identity/auth-schema';

const roleName = z
  .enum(roles)
  .meta({ id: 'RoleName', description: '`admin` includes `member`, `member` includes `reader`.' });

const memberRoles = z.array(roleName).meta({ description: 'Highest first; the highest one applies.' });

export const projectUser = z
  .strictObject({
    id,
    email: z.string(),
    name: z.string().meta({ description: 'For invited users, the name given in the invitation.' }),
    status: z.enum(['invited', 'active']).meta({ description: '`invited`: has an account but has not accepted yet.' }),
    roles: memberRoles,
    two_factor_enabled: z.boolean().nullable().meta({ description: 'Visible to admins once the user is active.' }),
    ...times,
  })
  .meta({ id: 'ProjectUser', description: 'A member of the project; times are those of the membership.' });
export type ProjectUser = z.output<typeof projectUser>;

export const newProjectUser = projectUser
  .omit({ status: true, two_factor_enabled: true })
  .extend(shownAcceptance)
  .meta({
    id: 'NewProjectUser',
    description: 'The same response for every address, whether or not it already has an account.',
  });
export type NewProjectUser = z.output<typeof newProjectUser>;

export const userQuery = sortedQuery(
  {
    email: z.string().max(254).toLowerCase().optional().meta({ description: 'Exact e-mail address.' }),
    role: roleName.optional().meta({ description: 'Users with this role assigned.' }),
    status: z.enum(['invited', 'active']).optional(),
    search: z.string().max(100).optional().meta({ description: 'Matches any part of the name or e-mail address.' }),
  },
  ['email', 'name'],
);

export const createUser = z
  .strictObject({
    email,
    name: displayName,
    password: newPassword.meta({ description: 'Initial password. Ignored if the address already has an account.' }),
    role: roleName,
  })
  .meta({
    id: 'CreateUser',
    example: { email: 'ada@example.org', name: 'Ada Lovelace', password: 'correct horse battery', role: 'member' },
  });
export type CreateUser = z.output<typeof createUser>;

export const role = z
  .strictObject({ name: roleName, description: z.string(), includes: z.array(roleName) })
  .meta({ id: 'Role' });
export type RoleDescription = z.output<typeof role>;

export const assignRole = z.strictObject({ user_id: reference, role: roleName }).meta({
  id: 'AssignRole',
  example: { user_id: '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f', role: 'member' },
});
export type AssignRole = z.output<typeof assignRole>;

export const roleAssignment = z
  .strictObject({ user_id: id, role: roleName, roles: memberRoles, ...times })
  .meta({ id: 'RoleAssignment' });
export type RoleAssignment = z.output<typeof roleAssignment>;

export const revokeRoles = z.strictObject({
  user_id: reference,
  role: roleName.optional().meta({ description: 'Defaults to all roles.' }),
});
export type RevokeRoles = z.output<typeof revokeRoles>;

export const invitation = z
  .strictObject({
    project_id: id,
    project_name: z.string(),
    project_slug: z.string(),
    status: z.enum(['invited', 'active']),
    roles: memberRoles,
    invited_by: z.string().nullable().meta({ description: 'Who sent the invitation; null once it is accepted.' }),
    ...times,
  })
  .meta({ id: 'Invitation' });
export type Invitation = z.output<typeof invitation>;

export const invitationParams = z.strictObject({ project_id: id });

export const acceptInvitation = z
  .strictObject({ code: acceptanceCode })
  .meta({ id: 'AcceptInvitation', example: { code: 'k7wp-3mzx-90ab-cdef' } });

export const declineInvitation = z.strictObject({}).meta({ example: {} });
