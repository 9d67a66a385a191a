import { z } from 'zod';
import { endpoint } from '@/lib/core/api/endpoint';
import { idParams } from '@/lib/core/api/schemas';
import * as schema from './schema';
import * as service from './service';

/** API tokens (spec 5.2): one's own in the current project, and all of the project's for its admins. */
export const tokenEndpoints = [
  endpoint({
    method: 'GET',
    path: '/auth/tokens',
    operation_id: 'listTokens',
    summary: 'List your API tokens in the project',
    tag: 'API tokens',
    access: 'project_person',
    query: schema.tokenQuery,
    responses: { 200: z.array(schema.apiToken) },
    handle: (call, { query }) => service.listOwnTokens(call, query),
  }),
  endpoint({
    method: 'POST',
    path: '/auth/tokens',
    operation_id: 'createToken',
    summary: 'Create an API token',
    description:
      'For scripts. A token works in this project only, with at most your own role. If your role is lowered, so is the ' +
      'token’s; if you leave the project, the token ends.',
    tag: 'API tokens',
    access: 'project_person',
    body: schema.createToken,
    responses: { 201: schema.newToken },
    errors: ['CONFLICT'],
    audit: 'token.create',
    secret_answer: true,
    handle: (call, { body }) => service.createToken(call, body),
  }),
  endpoint({
    method: 'DELETE',
    path: '/auth/tokens/{id}',
    operation_id: 'revokeToken',
    summary: 'Revoke one of your API tokens',
    description: 'Takes effect on the next request with this token.',
    tag: 'API tokens',
    access: 'project_person',
    params: idParams,
    responses: { 204: null },
    audit: 'token.revoke',
    handle: (call, { params }) => service.revokeOwnToken(call, params.id),
  }),
  endpoint({
    method: 'GET',
    path: '/identity/tokens',
    operation_id: 'listProjectTokens',
    summary: 'List all API tokens in the project',
    tag: 'API tokens',
    access: 'admin',
    query: schema.projectTokenQuery,
    responses: { 200: z.array(schema.projectToken) },
    handle: (call, { query }) => service.listProjectTokens(call, query),
  }),
  endpoint({
    method: 'DELETE',
    path: '/identity/tokens/{id}',
    operation_id: 'revokeProjectToken',
    summary: 'Revoke any API token in the project',
    tag: 'API tokens',
    access: 'admin',
    params: idParams,
    responses: { 204: null },
    audit: 'token.revoke',
    handle: (call, { params }) => service.revokeProjectToken(call, params.id),
  }),
];
