'use client';

import { Siren } from 'lucide-react';
import { TenantFilter } from '@/components/backoffice/tenant-filter';
import { TextLink } from '@/components/backoffice/text-link';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { statusOptions } from '@/components/kit/data/statuses';
import { Time } from '@/components/kit/data/time';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Page } from '@/components/kit/page/page';
import { columnsOf, DataTable } from '@/components/kit/table/data-table';
import { useTableState } from '@/components/kit/table/table-state';
import { TextFilter } from '@/components/kit/table/text-filter';
import { type Row, useList } from '@/lib/client/list';
import { adminPaths } from '@/lib/paths';

type Incident = Row<'/admin/api/v1/incidents'>;

const column = columnsOf<Incident>();
const columns = [
  column.accessor('reason', {
    header: 'Reason',
    cell: ({ row: { original } }) => {
      const reason = <span className="text-pretty break-words">{original.reason}</span>;
      return original.operation_id === null ? (
        reason
      ) : (
        <TextLink href={adminPaths.operation(original.operation_id)}>{reason}</TextLink>
      );
    },
  }),
  column.accessor('status', {
    header: 'Status',
    cell: ({ getValue }) => <StatusBadge status={getValue()} />,
  }),
  column.accessor('resource_type', {
    header: 'Resource',
    meta: { from: 'md' },
    cell: ({ row: { original } }) => (
      <TextLink href={adminPaths.operations({ resource_id: original.resource_id })}>
        {original.resource_type.replaceAll('_', ' ')}
      </TextLink>
    ),
  }),
  column.accessor('tenant_name', {
    header: 'Tenant',
    meta: { from: 'lg' },
    cell: ({ row: { original } }) =>
      original.project_id === null ? (
        <span className="text-ink-subtle">–</span>
      ) : (
        <TextLink href={adminPaths.tenant(original.project_id)}>{original.tenant_name}</TextLink>
      ),
  }),
  column.accessor('opened_at', {
    header: 'Opened',
    meta: { from: 'sm' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
  column.accessor('closed_at', {
    header: 'Closed',
    meta: { from: 'lg' },
    cell: ({ getValue }) => <Time at={getValue()} none="Not yet" />,
  }),
];

/** Incidents: open ones first, then closed ones. */
export default function IncidentsPage() {
  const state = useTableState(['status', 'tenant_id', 'resource_id']);
  // The list has an order of its own and no search.
  const { search: _search, sort: _sort, ...query } = state.query;
  const list = useList('/admin/api/v1/incidents', query);
  return (
    <Page
      title="Incidents"
      description="Problems that need an operator, such as a missed deadline. An incident closes when an operation on the resource succeeds."
    >
      <DataTable
        noun="incident"
        list={list}
        state={state}
        columns={columns}
        rowName={({ reason }) => reason}
        searchable={false}
        filters={[{ name: 'status', label: 'Status', options: statusOptions(['open', 'closed']) }]}
        toolbar={
          <>
            <TenantFilter state={state} />
            <TextFilter state={state} name="resource_id" label="Resource" hint="The resource’s ID." />
          </>
        }
        empty={
          <EmptyState icon={Siren} title="No incidents">
            Operations that miss their deadline are listed here until an operation on the same resource succeeds.
          </EmptyState>
        }
      />
    </Page>
  );
}
