import { z } from 'zod';
import { endpoint } from '@/lib/core/api/endpoint';
import { idParams } from '@/lib/core/api/schemas';
import * as schema from './schema';
import * as service from './service';

/** Secrets (spec 4.8). */
export const secretEndpoints = [
  endpoint({
    method: 'GET',
    path: '/vault/secrets',
    operation_id: 'listSecrets',
    summary: 'List secrets',
    description: 'Without payloads.',
    tag: 'Secrets',
    access: 'reader',
    query: schema.secretQuery,
    responses: { 200: z.array(schema.secret) },
    handle: (call, { query }) => service.listSecrets(call, query),
  }),
  endpoint({
    method: 'POST',
    path: '/vault/secrets',
    operation_id: 'createSecret',
    summary: 'Store a secret',
    description:
      'Encrypted under its own key before it is stored. A certificate must be valid; a key must have a supported size.',
    tag: 'Secrets',
    access: 'member',
    body: schema.createSecret,
    responses: { 201: schema.secret },
    errors: ['CONFLICT'],
    audit: 'secret.create',
    handle: (call, { body }) => service.createSecret(call, body),
  }),
  endpoint({
    method: 'GET',
    path: '/vault/secrets/{id}/payload',
    operation_id: 'readSecretPayload',
    summary: 'Read a secret’s payload',
    description: 'Every read is recorded in the audit log.',
    tag: 'Secrets',
    access: 'member',
    params: idParams,
    responses: { 200: schema.secretPayload },
    audit: 'secret.read_payload',
    secret_answer: true,
    handle: (call, { params }) => service.readPayload(call, params.id),
  }),
  endpoint({
    method: 'DELETE',
    path: '/vault/secrets/{id}',
    operation_id: 'deleteSecret',
    summary: 'Delete a secret permanently',
    tag: 'Secrets',
    access: 'member',
    params: idParams,
    responses: { 204: null },
    audit: 'secret.delete',
    handle: (call, { params }) => service.deleteSecret(call, params.id),
  }),
];
