import { z } from 'zod';
import { endpoint } from '@/lib/core/api/endpoint';
import { idParams } from '@/lib/core/api/schemas';
import * as schema from './schema';
import * as toys from './service';

/** The API of toys. */
export const toyEndpoints = [
  endpoint({
    method: 'GET',
    path: '/test/toys',
    operation_id: 'listToys',
    summary: 'List toys',
    tag: 'Toys',
    access: 'reader',
    query: schema.toyQuery,
    responses: { 200: z.array(schema.toy) },
    handle: (call, { query }) => toys.listToys(call, query.tag),
  }),
  endpoint({
    method: 'POST',
    path: '/test/toys',
    operation_id: 'createToy',
    summary: 'Create a toy',
    tag: 'Toys',
    access: 'member',
    body: schema.createToy,
    responses: { 201: schema.toy },
    errors: ['CONFLICT', 'CAPACITY_EXHAUSTED', 'ENGINE_UNAVAILABLE'],
    claims: ['databases'],
    freezable: true,
    audit: 'toy.create',
    handle: (call, { body }) => toys.createToy(call, body),
  }),
  endpoint({
    method: 'GET',
    path: '/test/toys/{id}',
    operation_id: 'getToy',
    summary: 'Read a toy',
    tag: 'Toys',
    access: 'reader',
    params: idParams,
    responses: { 200: schema.toy },
    handle: (call, { params }) => toys.readToy(call, params.id),
  }),
  endpoint({
    method: 'POST',
    path: '/test/toys/{id}/upgrade',
    operation_id: 'upgradeToy',
    summary: 'Upgrade a toy, one member after the other',
    tag: 'Toys',
    access: 'member',
    params: idParams,
    body: schema.upgradeToy,
    responses: { 202: schema.toy },
    errors: ['CONFLICT'],
    audit: 'toy.upgrade',
    handle: (call, { params, body }) => toys.upgradeToy(call, params.id, body.version),
  }),
  endpoint({
    method: 'DELETE',
    path: '/test/toys/{id}',
    operation_id: 'deleteToy',
    summary: 'Delete a toy',
    tag: 'Toys',
    access: 'member',
    params: idParams,
    responses: { 202: schema.toy },
    errors: ['CONFLICT'],
    audit: 'toy.delete',
    handle: (call, { params }) => toys.deleteToy(call, params.id),
  }),
];
