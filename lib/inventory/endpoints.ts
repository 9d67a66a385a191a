import { z } from 'zod';
import { csvResponse, prefersCsv } from '@/lib/core/api/csv';
import { endpoint } from '@/lib/core/api/endpoint';
import type { Searchable } from '@/lib/core/search/service';
import * as schema from './schema';
import * as service from './service';

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
        ? csvResponse(service.walkInventory(call, query, platform()), service.csvColumns, 'inventory.csv')
        : service.listInventory(call, query, platform()),
  }),
];
