'use client';

import { ListChecks, RotateCcw } from 'lucide-react';
import Link from 'next/link';
import { type Operation, useRetryOperation } from '@/components/backoffice/retry-operation';
import { TenantFilter } from '@/components/backoffice/tenant-filter';
import { TextLink } from '@/components/backoffice/text-link';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Page } from '@/components/kit/page/page';
import { columnsOf, DataTable } from '@/components/kit/table/data-table';
import { useTableState } from '@/components/kit/table/table-state';
import { TextFilter } from '@/components/kit/table/text-filter';
import { notify } from '@/components/kit/ui/notify';
import { ApiError } from '@/lib/client/errors';
import { useList } from '@/lib/client/list';
import { formatNumber } from '@/lib/format/number';
import { adminPaths } from '@/lib/paths';

const column = columnsOf<Operation>();
const columns = [
  column.accessor('kind', {
    header: 'Kind',
    cell: ({ row: { original } }) => (
      <Link href={adminPaths.operation(original.id)} className="rounded-sm font-mono text-xs hover:underline">
        {original.kind}
      </Link>
    ),
  }),
  column.accessor('status', {
    header: 'Status',
    cell: ({ row: { original } }) => <StatusBadge status={original.status} reason={original.error} />,
  }),
  column.accessor('stage', {
    header: 'Stage',
    meta: { from: 'sm' },
    cell: ({ getValue }) => getValue().replaceAll('_', ' '),
  }),
  column.accessor('attempts', {
    header: 'Failures',
    meta: { align: 'right', from: 'lg' },
    cell: ({ getValue }) => formatNumber(getValue()),
  }),
  column.accessor('tenant_name', {
    header: 'Tenant',
    meta: { from: 'md' },
    cell: ({ row: { original: operation } }) =>
      operation.project_id === null ? (
        <span className="text-ink-subtle">–</span>
      ) : (
        <TextLink href={adminPaths.tenant(operation.project_id)}>{operation.tenant_name}</TextLink>
      ),
  }),
  column.accessor('host_id', {
    header: 'Host',
    meta: { from: 'xl' },
    cell: ({ getValue }) => getValue() ?? <span className="text-ink-subtle">Any</span>,
  }),
  column.accessor('created_at', {
    header: 'Requested',
    meta: { from: 'sm' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
  column.accessor('finished_at', {
    header: 'Ended',
    meta: { from: 'lg' },
    cell: ({ getValue }) => <Time at={getValue()} none="Not yet" />,
  }),
];

const statuses = ['pending', 'running', 'succeeded', 'failed', 'cancelled'].map((value) => ({
  value,
  label: value.charAt(0).toUpperCase() + value.slice(1),
}));

/** What the workers do and have done. */
export default function OperationsPage() {
  const state = useTableState(['status', 'kind', 'tenant_id', 'resource_id', 'request_id']);
  // The list has an order of its own and no search.
  const { search: _search, sort: _sort, ...query } = state.query;
  const list = useList('/admin/api/v1/operations', query);
  const retry = useRetryOperation();
  const tryAgain = (operation: Operation) =>
    void retry.run(operation).catch((error: unknown) => {
      const description = error instanceof ApiError ? error.message : 'Open the operation for details.';
      void notify('error', `${operation.kind} could not be retried`, { description });
    });
  return (
    <Page
      title="Operations"
      description="Long-running tasks of the workers. Each runs in stages and continues after a crash."
    >
      <DataTable
        noun="operation"
        list={list}
        state={state}
        columns={columns}
        rowName={({ kind }) => kind}
        searchable={false}
        filters={[{ name: 'status', label: 'Status', options: statuses }]}
        toolbar={
          <>
            <TenantFilter state={state} />
            <TextFilter state={state} name="kind" label="Kind" hint="Exact kind, such as instance.create" />
            <TextFilter state={state} name="resource_id" label="Resource" hint="The resource’s ID." />
            <TextFilter state={state} name="request_id" label="Request" hint="X-Request-Id of the request." />
          </>
        }
        actions={(operation) => [
          {
            label: 'Retry',
            icon: RotateCcw,
            disabledReason: operation.retry_refusal ?? undefined,
            onSelect: () => tryAgain(operation),
          },
          { label: 'Only this kind', onSelect: () => state.set({ kind: operation.kind }) },
          { label: 'Only this resource', onSelect: () => state.set({ resource_id: operation.resource_id }) },
        ]}
        empty={
          <EmptyState icon={ListChecks} title="No operations yet">
            Long-running tasks, such as creating an instance, are listed here with their stages, log and errors.
          </EmptyState>
        }
      />
    </Page>
  );
}
