import type { ProjectCall } from '@/lib/core/api/endpoint';
import { contains, equals, listOf } from '@/lib/core/api/list';
import { raw } from '@/lib/core/db/sql';
import { type Flavor, flavorQuery } from './schema';

type Row = Omit<Flavor, 'ram_gb' | 'created_at' | 'updated_at'> & {
  ram_gb: string;
  created_at: Date;
  updated_at: Date;
};

/** The sizes of instances, the same for every project. */
export const listFlavors = listOf({
  query: flavorQuery,
  columns: raw('id, name, vcpus, ram_gb, disk_gb, gpu_slices, status, created_at, updated_at'),
  from: raw('flavors'),
  where: (_: ProjectCall) => raw('true'),
  filters: { name: equals('name'), search: contains('name'), status: equals('status') },
  view: (row: Row): Flavor => ({
    ...row,
    ram_gb: Number(row.ram_gb),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }),
});
