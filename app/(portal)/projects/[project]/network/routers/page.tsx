'use client';

import { ResourceList } from '@/components/kit/resource/resource-list';
import { createdColumn, nameColumn, statusColumn } from '@/components/kit/table/columns';
import { columnsOf } from '@/components/kit/table/data-table';
import { routers } from '@/components/network/domain';
import type { Router } from '@/components/network/types';
import { listRouters } from '@/lib/client/operations/network';
import { formatCount } from '@/lib/format/quantity';
import { paths } from '@/lib/paths';

const column = columnsOf<Router>();
const columns = [
  { ...nameColumn<Router>({ href: paths.router }), enableSorting: false },
  statusColumn<Router>(),
  column.accessor('external_ip', {
    header: 'External IP',
    cell: ({ getValue }) =>
      getValue() ? (
        <span className="font-mono text-xs">{getValue()}</span>
      ) : (
        <span className="text-ink-subtle">Not assigned yet</span>
      ),
  }),
  column.accessor('interfaces', {
    header: 'Interfaces',
    cell: ({ getValue }) => formatCount(getValue().length, 'network'),
  }),
  { ...createdColumn<Router>({ from: 'md' }), enableSorting: false },
];

/** The project's way to the internet. */
export default function RoutersPage() {
  return (
    <ResourceList
      of={routers}
      list={listRouters}
      about="Each project has one router. It connects the project’s networks to each other and to the internet."
      emptyTitle="No router yet"
      empty="The project’s router is created automatically."
      columns={columns}
      searchable={false}
    />
  );
}
