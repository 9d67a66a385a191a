'use client';

import { Router as RouterIcon, Waypoints } from 'lucide-react';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Page } from '@/components/kit/page/page';
import { columnsOf, DataTable } from '@/components/kit/table/data-table';
import { useTableState } from '@/components/kit/table/table-state';
import { ButtonLink } from '@/components/kit/ui/button';
import { TextLink } from '@/components/network/text-link';
import type { Router } from '@/components/network/types';
import { useList } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';
import { formatCount } from '@/lib/format/quantity';
import { paths } from '@/lib/paths';

const column = columnsOf<Router>();
const columns = [
  column.accessor('name', { header: 'Name', cell: ({ row: { original } }) => <NameCell router={original} /> }),
  column.accessor('status', { header: 'Status', cell: ({ getValue }) => <StatusBadge status={getValue()} /> }),
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
    meta: { from: 'sm' },
    cell: ({ getValue }) => formatCount(getValue().length, 'network'),
  }),
  column.accessor('created_at', {
    header: 'Created',
    meta: { from: 'md' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
];

function NameCell({ router: { id, name } }: { router: Router }) {
  const { project } = useProject();
  return (
    <TextLink href={paths.router(project.slug, id)} strong>
      {name}
    </TextLink>
  );
}

/** The project's way to the outside. */
export default function RoutersPage() {
  const { project } = useProject();
  const state = useTableState();
  const list = useList('/api/v1/network/routers', { limit: state.query.limit, cursor: state.query.cursor });
  return (
    <Page
      title="Routers"
      description="Each project has one router. It connects the project’s networks to each other and to the internet."
      actions={
        <ButtonLink href={paths.topology(project.slug)}>
          <Waypoints /> Topology
        </ButtonLink>
      }
    >
      <DataTable
        noun="router"
        list={list}
        state={state}
        columns={columns}
        rowName={({ name }) => name}
        searchable={false}
        empty={
          <EmptyState icon={RouterIcon} title="No router yet">
            The project’s router is created automatically.
          </EmptyState>
        }
      />
    </Page>
  );
}
