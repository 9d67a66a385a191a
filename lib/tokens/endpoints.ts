import { z } from 'zod';
import { endpoint } from '@/lib/api/endpoint';
import { listQuery, sortQuery } from '@/lib/api/pagination';
import { idParams } from '@/lib/api/schemas';
import * as schema from './schema';
import * as service from './service';

const query = z.strictObject({ ...schema.tokenFilters, ...listQuery, sort: sortQuery(['created_at', 'name']) });

/** API tokens (spec 5.2): one's own in the project at hand, and for its admins, everyone's. */
export const tokenEndpoints = [
  endpoint({
    method: 'GET',
    path: '/auth/tokens',
    operation_id: 'listTokens',
    summary: 'List your API tokens of the project',
    tag: 'API tokens',
    access: 'project_person',
    query,
    responses: { 200: z.array(schema.apiToken) },
    handle: (call, { query }) => service.listOwnTokens(call, query),
  }),
  endpoint({
    method: 'POST',
    path: '/auth/tokens',
    operation_id: 'createToken',
    summary: 'Create an API token',
    description:
      'For scripts: it works in this project alone, with at most your own role. If your role is lowered later, so is the ' +
      'token’s; when you leave the project, it ends.',
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
    description: 'The very next request with it is refused.',
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
    summary: 'List all API tokens of the project',
    tag: 'API tokens',
    access: 'admin',
    query: query.extend({ user_id: z.string().max(64).optional().meta({ description: 'Made by this person.' }) }),
    responses: { 200: z.array(schema.projectToken) },
    handle: (call, { query }) => service.listProjectTokens(call, query),
  }),
  endpoint({
    method: 'DELETE',
    path: '/identity/tokens/{id}',
    operation_id: 'revokeProjectToken',
    summary: 'Revoke anyone’s API token of the project',
    tag: 'API tokens',
    access: 'admin',
    params: idParams,
    responses: { 204: null },
    audit: 'token.revoke',
    handle: (call, { params }) => service.revokeProjectToken(call, params.id),
  }),
];
