import type { AdministratorCall, AnyEndpoint, ProjectCall } from '@/lib/core/api/endpoint';
import { decide } from '@/lib/core/api/policy';
import { query } from '@/lib/core/db/pool';
import { type Domain, type DomainResource, none } from '@/lib/core/domains/domain';
import type { PlatformSearchResult, SearchResult } from './schema';
import { type Scope, type Source, searchStatement } from './statement';
import { readSearch } from './text';

/** The searchable domains, and the endpoints whose access rules decide who finds their resources. */
export type Searchable = { domains: readonly Domain[]; endpoints: readonly AnyEndpoint[] };

/** Resources of the project and public ones that match the text, limited to those that the caller may list. */
export async function search(
  call: ProjectCall,
  q: string,
  { domains, endpoints }: Searchable,
): Promise<SearchResult[]> {
  const readable = readablePaths(call, endpoints);
  const sources = resourcesOf(domains).flatMap(([type, resource]) => {
    if (resource.search === none || !readable.has(resource.search.list)) return [];
    const { title, by_name, has_public, addresses } = resource.search;
    const scopes: Scope[] = [{ project_id: call.project_id }, ...(has_public ? (['public'] as const) : [])];
    return [sourceOf(type, resource, { title, names: by_name ? ['name'] : [], addresses, scopes })];
  });
  const rows = await query<PlatformSearchResult>(searchStatement(sources, readSearch(q)));
  return rows.map(({ project_id: _, ...row }) => row);
}

/** The paths of the tenant API that the caller may read. */
export function readablePaths({ caller }: ProjectCall, endpoints: readonly AnyEndpoint[]): ReadonlySet<string> {
  const reads = endpoints.filter(({ method, realm }) => method === 'GET' && realm === 'tenant');
  return new Set(reads.filter(({ access }) => decide(caller, access).allowed).map(({ path }) => path));
}

const tenants: Source = {
  type: 'tenant',
  table: 'projects',
  title: 'r.name',
  project: 'r.id',
  status: true,
  names: ['name', 'slug'],
  addresses: none,
  scopes: ['all'],
};
const users: Source = {
  ...tenants,
  type: 'user',
  table: 'users',
  title: 'r.email',
  project: 'NULL::uuid',
  status: false,
  names: ['email', 'name'],
};

/** Tenants and users that match the text, and resources of all tenants by id. */
export async function searchPlatform(
  _: AdministratorCall,
  q: string,
  { domains }: Searchable,
): Promise<PlatformSearchResult[]> {
  const resources = resourcesOf(domains).flatMap(([type, resource]) =>
    resource.search === none
      ? []
      : [sourceOf(type, resource, { title: resource.search.title, names: [], addresses: none, scopes: ['all'] })],
  );
  return query<PlatformSearchResult>(searchStatement([tenants, users, ...resources], readSearch(q)));
}

/** All resource types by name. */
export function resourcesOf(domains: readonly Domain[]): [string, DomainResource][] {
  return domains.flatMap(({ resources }) => Object.entries(resources));
}

function sourceOf(
  type: string,
  { table, statuses }: DomainResource,
  found: Pick<Source, 'title' | 'names' | 'addresses' | 'scopes'>,
): Source {
  return { type, table, project: 'r.project_id', status: statuses !== none, ...found };
}
