import { z } from 'zod';
import { fullPath, type ProjectCall } from '@/lib/core/api/endpoint';
import { invalid } from '@/lib/core/api/errors';
import { JsonNumber, type Sendable } from '@/lib/core/api/json';
import { Page } from '@/lib/core/api/pagination';
import { query } from '@/lib/core/db/pool';
import { none } from '@/lib/core/domains/domain';
import { readablePaths, resourcesOf, type Searchable } from '@/lib/core/search/service';
import type { Tags } from '@/lib/core/tags/schema';
import { costsOfResources } from '@/lib/money/billing/resource-costs';
import { readMeter } from '@/lib/money/rating/meter';
import { settings } from '@/lib/settings';
import { type InventoryItem, inventoryItem } from './schema';
import { addressStatement, type InventoryFilters, type Listed, pageStatement } from './statement';

type Row = Pick<InventoryItem, 'type' | 'id' | 'name' | 'status' | 'created_by'> & { created_at: Date; tags: Tags };
type Item = Sendable<InventoryItem>;
type Paging = { limit: number; cursor?: string | undefined };

/** A page of all resources of the project whose lists the caller may read, newest first. */
export function listInventory(
  call: ProjectCall,
  { limit, cursor, ...filters }: InventoryFilters & Paging,
  platform: Searchable,
): Promise<Page<Item>> {
  const readable = readablePaths(call, platform.endpoints);
  const types = listedTypes(platform).filter(({ search }) => readable.has(search.list));
  return readInventory(call.project_id, types, filters, { limit, cursor });
}

/** A page of a project's resources, newest first. The number of statements does not depend on its size. */
export async function readInventory(
  projectId: string,
  types: readonly Listed[],
  filters: InventoryFilters,
  { limit, cursor }: Paging,
): Promise<Page<Item>> {
  const before = cursor === undefined ? undefined : readCursor(cursor);
  const rows = await query<Row>(pageStatement(types, projectId, filters, { limit: limit + 1, before }));
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return new Page(await complete(projectId, types, shown), last?.id ?? null);
}

/** All types of resources. A type without an endpoint for one resource has the path of its list. */
export function listedTypes({ domains, endpoints }: Searchable): Listed[] {
  const reads = endpoints.filter(({ method, realm }) => method === 'GET' && realm === 'tenant');
  return resourcesOf(domains).flatMap(([type, { table, statuses, search }]) => {
    if (search === none) return [];
    const one = reads.find(({ path }) => path === `${search.list}/{id}`);
    const path = fullPath(one ?? { realm: 'tenant', path: search.list });
    return [{ type, table, statuses, search, path }];
  });
}

function readCursor(cursor: string): string {
  if (z.uuid().safeParse(cursor).success) return cursor;
  throw invalid('cursor: pass it unchanged from the `Link` header of the previous page.');
}

/** Adds costs, addresses and paths. */
async function complete(project_id: string, types: readonly Listed[], rows: readonly Row[]): Promise<Item[]> {
  if (rows.length === 0) return [];
  const where = addressStatement(types, project_id, rows);
  const [found, costs] = await Promise.all([
    where ? query<{ id: string; address: string }>(where) : [],
    readMeter(project_id).then((meter) =>
      costsOfResources(
        project_id,
        rows.map(({ id }) => id),
        meter,
      ),
    ),
  ]);
  const addresses = new Map<string, string[]>();
  for (const { id, address } of found) addresses.set(id, [...(addresses.get(id) ?? []), address]);
  const paths = new Map(types.map(({ type, path }) => [type, path]));
  const { region } = settings();
  return rows.map(({ created_at, tags, ...row }) => ({
    ...row,
    region,
    created_at: created_at.toISOString(),
    hourly_usd: JsonNumber.money(costs.get(row.id)?.hourly ?? 0),
    month_to_date_usd: JsonNumber.money(costs.get(row.id)?.month_to_date ?? 0),
    addresses: addresses.get(row.id) ?? [],
    tags,
    href: paths.get(row.type)?.replace('{id}', row.id) ?? '',
  }));
}

/** The columns of the CSV. */
export const csvColumns = inventoryItem.keyof().options;
type CsvRow = Record<keyof InventoryItem, unknown>;

const CSV_PAGE = 1000;

/** All pages, for a file. */
export async function* walkInventory(
  call: ProjectCall,
  filters: InventoryFilters,
  platform: Searchable,
): AsyncGenerator<CsvRow[]> {
  let cursor: string | undefined;
  do {
    const { items, next } = await listInventory(call, { ...filters, limit: CSV_PAGE, cursor }, platform);
    if (items.length > 0) yield items.map((item) => ({ ...item, addresses: item.addresses.join(' ') }));
    cursor = next ?? undefined;
  } while (cursor !== undefined);
}
