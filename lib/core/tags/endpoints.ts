import { z } from 'zod';
import { endpoint } from '@/lib/core/api/endpoint';
import type { Domain } from '@/lib/core/domains/domain';
import * as schema from './schema';
import * as service from './service';

const tag = 'Inventory';
const path = '/inventory/tags/{type}/{id}';

/** Tags of resources. @param domains all domains, whose resources can be tagged */
export const tagEndpoints = (domains: () => readonly Domain[]) => [
  endpoint({
    method: 'GET',
    path: '/inventory/tags',
    operation_id: 'listTags',
    summary: 'List the tags in use',
    description: 'In alphabetical order, each with the number of resources that have it.',
    tag,
    access: 'reader',
    query: schema.tagQuery,
    responses: { 200: z.array(schema.tagCount) },
    handle: (call, { query }) => service.listTags(call, query),
  }),
  endpoint({
    method: 'GET',
    path,
    operation_id: 'readTags',
    summary: 'Read the tags of a resource',
    tag,
    access: 'reader',
    params: schema.tagParams,
    responses: { 200: schema.tagged },
    handle: (call, { params }) => service.readTags(call, params, domains()),
  }),
  endpoint({
    method: 'PUT',
    path,
    operation_id: 'replaceTags',
    summary: 'Replace all tags of a resource',
    description: 'Tags that the body does not name are removed.',
    tag,
    access: 'member',
    params: schema.tagParams,
    body: schema.tagged,
    responses: { 200: schema.tagged },
    audit: 'resource.tag',
    handle: (call, { params, body }) => service.replaceTags(call, params, body.tags, domains()),
  }),
];
