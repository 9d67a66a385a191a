import { z } from 'zod';
import { endpoint } from '@/lib/core/api/endpoint';
import { pageQuery } from '@/lib/core/api/pagination';
import * as invitations from './invitations';
import * as roles from './roles';
import * as schema from './schema';
import * as users from './users';

/** Project users and their roles (spec 4.17), and a person's own invitations. */
export const memberEndpoints = [
  endpoint({
    method: 'GET',
    path: '/identity/users',
    operation_id: 'listUsers',
    summary: 'List the users of the project',
    tag: 'Users and roles',
    access: 'member',
    query: schema.userQuery,
    responses: { 200: z.array(schema.projectUser) },
    handle: (call, { query }) => users.listUsers(call, query),
  }),
  endpoint({
    method: 'POST',
    path: '/identity/users',
    operation_id: 'createUser',
    summary: 'Create or invite a user',
    description:
      'A new user can sign in at once. An existing user keeps their account unchanged, including the password, and joins ' +
      'with the `acceptance_code`; the response is the same. Inviting a user again before they have accepted replaces ' +
      'their code and role.',
    tag: 'Users and roles',
    access: 'admin',
    body: schema.createUser,
    responses: { 201: schema.newProjectUser },
    errors: ['CONFLICT'],
    audit: 'user.create',
    secret_answer: true,
    handle: (call, { body }) => users.createUser(call, body),
  }),
  endpoint({
    method: 'GET',
    path: '/identity/roles',
    operation_id: 'listRoles',
    summary: 'List roles',
    tag: 'Users and roles',
    access: 'reader',
    responses: { 200: z.array(schema.role) },
    handle: () => roles.listRoles(),
  }),
  endpoint({
    method: 'POST',
    path: '/identity/role-assignments',
    operation_id: 'assignRole',
    summary: 'Assign a role to a user',
    description: 'Added to the user’s other roles; the highest one applies.',
    tag: 'Users and roles',
    access: 'admin',
    body: schema.assignRole,
    responses: { 201: schema.roleAssignment },
    errors: ['CONFLICT'],
    audit: 'role.assign',
    handle: (call, { body }) => roles.assignRole(call, body),
  }),
  endpoint({
    method: 'DELETE',
    path: '/identity/role-assignments',
    operation_id: 'revokeRoles',
    summary: 'Remove one or all roles from a user',
    description:
      'Without roles, a user is no longer a member and their API tokens of the project end. The last admin cannot be removed.',
    tag: 'Users and roles',
    access: 'admin',
    query: schema.revokeRoles,
    responses: { 204: null },
    errors: ['CONFLICT'],
    audit: 'role.revoke',
    handle: (call, { query }) => roles.revokeRoles(call, query),
  }),
  endpoint({
    method: 'GET',
    path: '/auth/invitations',
    operation_id: 'listInvitations',
    summary: 'List your invitations',
    tag: 'Authentication',
    access: 'person',
    query: pageQuery,
    responses: { 200: z.array(schema.invitation) },
    handle: (call, { query }) => invitations.listInvitations(call, query),
  }),
  endpoint({
    method: 'POST',
    path: '/auth/invitations/{project_id}/accept',
    operation_id: 'acceptInvitation',
    summary: 'Accept an invitation',
    description:
      'Requires the code that the inviter received. Failures count like sign-in failures: limited to ten per account and ' +
      'address in 15 minutes.',
    tag: 'Authentication',
    access: 'person',
    params: schema.invitationParams,
    body: schema.acceptInvitation,
    responses: { 200: schema.invitation },
    errors: ['INVALID_CREDENTIALS', 'CONFLICT'],
    audit: 'invitation.accept',
    idempotency: 'none',
    handle: (call, { params, body }) => invitations.acceptInvitation(call, params.project_id, body.code),
  }),
  endpoint({
    method: 'POST',
    path: '/auth/invitations/{project_id}/decline',
    operation_id: 'declineInvitation',
    summary: 'Decline an invitation',
    tag: 'Authentication',
    access: 'person',
    params: schema.invitationParams,
    body: schema.declineInvitation,
    responses: { 204: null },
    errors: ['CONFLICT'],
    audit: 'invitation.decline',
    idempotency: 'none',
    handle: (call, { params }) => invitations.declineInvitation(call, params.project_id),
  }),
];
