import { z } from 'zod';
import { csvResponse, prefersCsv } from '@/lib/core/api/csv';
import { endpoint } from '@/lib/core/api/endpoint';
import type { Domain } from '@/lib/core/domains/domain';
import type { Searchable } from '@/lib/core/search/service';
import { listServices } from './catalog';
import { service } from './catalog-schema';
import * as schema from './schema';
import { csvColumns, listInventory, walkInventory } from './service';

/** The inventory (spec 4.18). @param platform all domains and endpoints, including this one */
export const inventoryEndpoints = (platform: () => Searchable) => [
  endpoint({
    method: 'GET',
    path: '/inventory/inventory',
    operation_id: 'listInventory',
    summary: 'List all resources of the project',
    description:
      'Resources of all types, newest first. With `Accept: text/csv`, all matching resources as a file, without paging.',
    tag: 'Inventory',
    access: 'reader',
    query: schema.inventoryQuery,
    responses: { 200: { json: z.array(schema.inventoryItem), alternative: 'text/csv' } },
    handle: (call, { query, headers }) =>
      prefersCsv(headers)
        ? csvResponse(walkInventory(call, query, platform()), csvColumns, 'inventory.csv')
        : listInventory(call, query, platform()),
  }),
];

/** The catalog of services (spec 4.18). */
export const catalogEndpoints = (domains: () => readonly Domain[]) => [
  endpoint({
    method: 'GET',
    path: '/services/services',
    operation_id: 'listServices',
    summary: 'List the services of the platform and their use in the project',
    tag: 'Catalog',
    access: 'reader',
    responses: { 200: z.array(service) },
    handle: (call) => listServices(call, domains()),
  }),
];
