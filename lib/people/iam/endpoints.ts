import { z } from 'zod';
import { type AnyEndpoint, endpoint } from '@/lib/core/api/endpoint';
import { idParams } from '@/lib/core/api/schemas';
import { assumeRole } from './assume-role';
import * as providers from './providers';
import * as schema from './schema';
import { simulate } from './simulate';

/**
 * Policy simulation and workload identities (spec 4.17, 5.5).
 * @param table all endpoints, including these; called lazily, because the table is still under construction here
 */
export const iamEndpoints = (table: () => readonly AnyEndpoint[]) => [
  endpoint({
    method: 'POST',
    path: '/iam/simulate',
    operation_id: 'simulatePolicy',
    summary: 'Check whether an identity may call an endpoint',
    description:
      'Decided by the same function that guards the API. Users may check themselves and their own tokens; admins may ' +
      'check every user and token of the project.',
    tag: 'Access',
    access: 'any',
    body: schema.simulate,
    responses: { 200: schema.simulation },
    audit: 'iam.simulate',
    idempotency: 'none',
    handle: (call, { body }) => simulate(call, body, table()),
  }),
  endpoint({
    method: 'GET',
    path: '/iam/providers',
    operation_id: 'listIdentityProviders',
    summary: 'List identity providers',
    tag: 'Access',
    access: 'admin',
    query: schema.providerQuery,
    responses: { 200: z.array(schema.identityProvider) },
    handle: (call, { query }) => providers.listProviders(call, query),
  }),
  endpoint({
    method: 'POST',
    path: '/iam/providers',
    operation_id: 'createIdentityProvider',
    summary: 'Trust an issuer of workload identity tokens',
    tag: 'Access',
    access: 'admin',
    body: schema.createProvider,
    responses: { 201: schema.identityProvider },
    errors: ['CONFLICT'],
    audit: 'identity_provider.create',
    handle: (call, { body }) => providers.createProvider(call, body),
  }),
  endpoint({
    method: 'DELETE',
    path: '/iam/providers/{id}',
    operation_id: 'deleteIdentityProvider',
    summary: 'Stop trusting an issuer',
    description: 'Credentials issued through it stop working immediately.',
    tag: 'Access',
    access: 'admin',
    params: idParams,
    responses: { 204: null },
    audit: 'identity_provider.delete',
    handle: (call, { params }) => providers.deleteProvider(call, params.id),
  }),
  endpoint({
    method: 'POST',
    path: '/iam/sts/assume-role',
    operation_id: 'assumeRole',
    summary: 'Exchange a workload identity token for short-lived credentials',
    description:
      'Requires a JWT from an issuer that the project trusts. Every refusal looks the same, whatever the cause; the ' +
      'project’s audit log has the reason.',
    tag: 'Access',
    access: 'public',
    body: schema.assumeRole,
    responses: { 200: schema.credentials },
    errors: ['INVALID_CREDENTIALS', 'FORBIDDEN', 'TENANT_SUSPENDED'],
    audit: 'sts.assume_role',
    secret_answer: true,
    idempotency: 'none',
    handle: (call, { body }) => assumeRole(call, body),
  }),
];
