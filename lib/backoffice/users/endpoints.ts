import { z } from 'zod';
import { endpoint } from '@/lib/core/api/endpoint';
import { idParams } from '@/lib/core/api/schemas';
import { resetSecondFactorOf } from '@/lib/people/identity/second-factor';
import { createAdministrator, grantAdministration, removeAdministrator } from './administrators';
import { releaseEmail } from './release';
import * as schema from './schema';
import { endSessionsOf, listPeople, readPerson } from './service';

const users = { realm: 'backoffice', tag: 'Back office: users', access: 'administrator' } as const;
const administrators = { ...users, tag: 'Back office: administrators' } as const;

/** Users and administrators of the platform. */
export const userEndpoints = [
  endpoint({
    ...users,
    method: 'GET',
    path: '/users',
    operation_id: 'listPlatformUsers',
    summary: 'List all users',
    query: schema.userQuery,
    responses: { 200: z.array(schema.platformUser) },
    handle: (call, { query }) => listPeople(call, query),
  }),
  endpoint({
    ...users,
    method: 'GET',
    path: '/users/{id}',
    operation_id: 'readPlatformUser',
    summary: 'Read a user',
    params: idParams,
    responses: { 200: schema.platformUser },
    handle: (call, { params }) => readPerson(call, params.id),
  }),
  endpoint({
    ...users,
    method: 'POST',
    path: '/users/{id}/reset-second-factor',
    operation_id: 'resetSecondFactorOfUser',
    summary: 'Reset a user’s two-factor authentication',
    description: 'For a lost device. Verify the user’s identity first. Ends all their sessions.',
    params: idParams,
    body: schema.noBody,
    responses: { 204: null },
    errors: ['CONFLICT'],
    audit: 'user.reset_second_factor',
    idempotency: 'kernel',
    handle: (call, { params }) => resetSecondFactorOf(call, params.id),
  }),
  endpoint({
    ...users,
    method: 'POST',
    path: '/users/{id}/revoke-sessions',
    operation_id: 'revokeSessionsOfUser',
    summary: 'Sign a user out everywhere',
    description: 'Ends all sessions in the portal and the back office, from the next request. API tokens stay valid.',
    params: idParams,
    body: schema.noBody,
    responses: { 204: null },
    audit: 'user.revoke_sessions',
    handle: (call, { params }) => endSessionsOf(call, params.id),
  }),
  endpoint({
    ...users,
    method: 'POST',
    path: '/users/{id}/release-email',
    operation_id: 'releaseEmailOfUser',
    summary: 'Release the e-mail address of an account',
    description:
      'For an address whose owner did not create the account, where no mailed reset can reach them. The account keeps its ' +
      'password and its projects under the login that the answer shows; the address is free, and open invitations end.',
    params: idParams,
    body: schema.noBody,
    responses: { 200: schema.platformUser },
    errors: ['CONFLICT'],
    audit: 'user.release_email',
    idempotency: 'kernel',
    handle: (call, { params }) => releaseEmail(call, params.id),
  }),
  endpoint({
    ...administrators,
    method: 'GET',
    path: '/administrators',
    operation_id: 'listAdministrators',
    summary: 'List platform administrators',
    query: schema.administratorQuery,
    responses: { 200: z.array(schema.platformUser) },
    handle: (call, { query }) => listPeople(call, { ...query, administrator: 'true' }),
  }),
  endpoint({
    ...administrators,
    method: 'POST',
    path: '/administrators',
    operation_id: 'createAdministrator',
    summary: 'Create a platform administrator',
    body: schema.createAdministrator,
    responses: { 201: schema.platformUser },
    errors: ['CONFLICT'],
    audit: 'administrator.create',
    handle: (call, { body }) => createAdministrator(call, body),
  }),
  endpoint({
    ...administrators,
    method: 'PUT',
    path: '/administrators/{id}',
    operation_id: 'grantAdministration',
    summary: 'Make an existing user an administrator',
    params: idParams,
    responses: { 200: schema.platformUser },
    errors: ['CONFLICT'],
    audit: 'administrator.grant',
    handle: (call, { params }) => grantAdministration(call, params.id),
  }),
  endpoint({
    ...administrators,
    method: 'DELETE',
    path: '/administrators/{id}',
    operation_id: 'removeAdministrator',
    summary: 'Remove an administrator',
    description: 'Their user account stays. The last administrator cannot be removed.',
    params: idParams,
    responses: { 204: null },
    errors: ['CONFLICT'],
    audit: 'administrator.remove',
    handle: (call, { params }) => removeAdministrator(call, params.id),
  }),
];
