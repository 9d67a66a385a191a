'use client';

import { incidents } from '@/components/backoffice/navigation';
import { TenantFilter } from '@/components/backoffice/tenant-filter';
import { TextLink } from '@/components/backoffice/text-link';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { columnsOf } from '@/components/kit/table/data-table';
import { TextFilter } from '@/components/kit/table/text-filter';
import type { Row } from '@/lib/client/list';
import { listIncidents } from '@/lib/client/operations/backoffice';
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
  return (
    <ResourceList
      of={incidents}
      list={listIncidents}
      about="Problems that need an operator, such as a missed deadline. An incident closes when an operation on the resource succeeds."
      emptyTitle="No incidents"
      empty="Operations that miss their deadline are listed here until an operation on the same resource succeeds."
      columns={columns}
      filters={['status']}
      parameters={['tenant_id', 'resource_id']}
      toolbar={(state) => (
        <>
          <TenantFilter state={state} />
          <TextFilter state={state} name="resource_id" label="Resource" hint="The resource’s ID." />
        </>
      )}
      searchable={false}
      rowName={({ reason }) => reason}
    />
  );
}
