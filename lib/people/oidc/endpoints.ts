import { z } from 'zod';
import { endpoint } from '@/lib/core/api/endpoint';
import { idParams } from '@/lib/core/api/schemas';
import * as clients from './clients';
import * as schema from './schema';
import { readWorkspace } from './workspace';

/** The workspace of a project (spec 4.15), and the applications that sign in its members. */
export const ssoEndpoints = [
  endpoint({
    method: 'GET',
    path: '/workspace/info',
    operation_id: 'readWorkspace',
    summary: 'Show the addresses of the portal, single sign-on and data sources',
    description:
      'Clients of single sign-on need only the issuer or the discovery URL. Data sources are for Grafana, with an API ' +
      'token as bearer token.',
    tag: 'Single sign-on',
    access: 'reader',
    responses: { 200: schema.workspaceInfo },
    handle: (call) => readWorkspace(call),
  }),
  endpoint({
    method: 'GET',
    path: '/workspace/sso/clients',
    operation_id: 'listSsoClients',
    summary: 'List single sign-on clients',
    tag: 'Single sign-on',
    access: 'reader',
    query: schema.ssoClientQuery,
    responses: { 200: z.array(schema.ssoClient) },
    handle: (call, { query }) => clients.listClients(call, query),
  }),
  endpoint({
    method: 'POST',
    path: '/workspace/sso/clients',
    operation_id: 'createSsoClient',
    summary: 'Register a single sign-on client',
    description:
      'Members of this project can then sign in to the application with their account here, by OpenID Connect with ' +
      'the authorization code flow and PKCE (S256). Users of other projects are refused.',
    tag: 'Single sign-on',
    access: 'admin',
    body: schema.createSsoClient,
    responses: { 201: schema.newSsoClient },
    errors: ['CONFLICT'],
    audit: 'sso_client.create',
    secret_answer: true,
    handle: (call, { body }) => clients.createClient(call, body),
  }),
  endpoint({
    method: 'GET',
    path: '/workspace/sso/clients/{id}',
    operation_id: 'getSsoClient',
    summary: 'Get a single sign-on client',
    tag: 'Single sign-on',
    access: 'reader',
    params: idParams,
    responses: { 200: schema.ssoClient },
    handle: (call, { params }) => clients.getClient(call, params.id),
  }),
  endpoint({
    method: 'POST',
    path: '/workspace/sso/clients/{id}/secret/rotate',
    operation_id: 'rotateSsoClientSecret',
    summary: 'Rotate the secret of a single sign-on client',
    description: 'The previous secret stops working immediately. Users stay signed in.',
    tag: 'Single sign-on',
    access: 'admin',
    params: idParams,
    body: schema.rotateSsoSecret,
    responses: { 200: schema.newSsoClient },
    audit: 'sso_client.rotate_secret',
    secret_answer: true,
    handle: (call, { params }) => clients.rotateSecret(call, params.id),
  }),
  endpoint({
    method: 'DELETE',
    path: '/workspace/sso/clients/{id}',
    operation_id: 'deleteSsoClient',
    summary: 'Delete a single sign-on client',
    description: 'Its tokens stop working immediately.',
    tag: 'Single sign-on',
    access: 'admin',
    params: idParams,
    responses: { 204: null },
    audit: 'sso_client.delete',
    handle: (call, { params }) => clients.deleteClient(call, params.id),
  }),
];
