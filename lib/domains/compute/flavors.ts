import type { ProjectCall } from '@/lib/core/api/endpoint';
import { contains, keysetPage, type Page } from '@/lib/core/api/pagination';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import type { Flavor } from './schema';

type Row = Omit<Flavor, 'ram_gb' | 'created_at' | 'updated_at'> & {
  ram_gb: string;
  created_at: Date;
  updated_at: Date;
};

export type FlavorFilters = {
  name?: string | undefined;
  search?: string | undefined;
  status?: Flavor['status'] | undefined;
  limit: number;
  cursor?: string | undefined;
};

/** The sizes of instances, the same for every project. */
export async function listFlavors(_call: ProjectCall, filters: FlavorFilters): Promise<Page<Flavor>> {
  const where: Sql[] = [];
  if (filters.name !== undefined) where.push(sql`name = ${filters.name}::text`);
  if (filters.search !== undefined) where.push(contains('name', filters.search));
  if (filters.status !== undefined) where.push(sql`status = ${filters.status}::text`);
  const page = await keysetPage<Row>({
    select: raw('id, name, vcpus, ram_gb, disk_gb, gpu_slices, status, created_at, updated_at'),
    from: raw('flavors'),
    where,
    ...filters,
  });
  return page.map((row) => ({
    ...row,
    ram_gb: Number(row.ram_gb),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }));
}
