import { z } from 'zod';
import { endpoint } from '@/lib/core/api/endpoint';
import * as schema from './schema';
import { type Searchable, search, searchPlatform } from './service';

const description =
  'At most ten results of each type, best first: ids, addresses and tags, then names that begin with the text, then names that ' +
  'contain it. Texts of one or two characters match only the beginning of a name.';

/** Search over resources of every type. @param searchable all domains and endpoints, including these */
export const searchEndpoints = (searchable: () => Searchable) => [
  endpoint({
    method: 'GET',
    path: '/search',
    operation_id: 'searchResources',
    summary: 'Find resources by name, id, address or tag',
    description: `${description} Only resources that the caller may list are found.`,
    tag: 'Search',
    access: 'reader',
    query: schema.searchQuery,
    responses: { 200: z.array(schema.searchResult) },
    handle: (call, { query }) => search(call, query.q, searchable()),
  }),
];

/** Search over the whole platform, for the back office. */
export const platformSearchEndpoints = (searchable: () => Searchable) => [
  endpoint({
    method: 'GET',
    path: '/search',
    realm: 'backoffice',
    operation_id: 'searchPlatform',
    summary: 'Find tenants, users, and resources by id',
    description: `${description} Resources of tenants are found by id only.`,
    tag: 'Back office: search',
    access: 'administrator',
    query: schema.searchQuery,
    responses: { 200: z.array(schema.platformSearchResult) },
    handle: (call, { query }) => searchPlatform(call, query.q, searchable()),
  }),
];
