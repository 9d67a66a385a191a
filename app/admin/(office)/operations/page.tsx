'use client';

import { RotateCcw } from 'lucide-react';
import Link from 'next/link';
import { operations } from '@/components/backoffice/navigation';
import { type Operation, useRetryOperation } from '@/components/backoffice/retry-operation';
import { TenantFilter } from '@/components/backoffice/tenant-filter';
import { TextLink } from '@/components/backoffice/text-link';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { columnsOf } from '@/components/kit/table/data-table';
import { TextFilter } from '@/components/kit/table/text-filter';
import { notify } from '@/components/kit/ui/notify';
import { ApiError } from '@/lib/client/errors';
import { listOperations } from '@/lib/client/operations/backoffice';
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
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
  column.accessor('finished_at', {
    header: 'Ended',
    meta: { from: 'lg' },
    cell: ({ getValue }) => <Time at={getValue()} none="Not yet" />,
  }),
];

/** What the workers do and have done. */
export default function OperationsPage() {
  const retry = useRetryOperation();
  const tryAgain = (operation: Operation) =>
    void retry.run(operation).catch((error: unknown) => {
      const description = error instanceof ApiError ? error.message : 'Open the operation for details.';
      void notify('error', `${operation.kind} could not be retried`, { description });
    });
  return (
    <ResourceList
      of={operations}
      list={listOperations}
      about="Long-running tasks of the workers. Each runs in stages and continues after a crash."
      empty="Long-running tasks, such as creating an instance, are listed here with their stages, log and errors."
      columns={columns}
      filters={['status']}
      parameters={['kind', 'tenant_id', 'resource_id', 'request_id']}
      toolbar={(state) => (
        <>
          <TenantFilter state={state} />
          <TextFilter state={state} name="kind" label="Kind" hint="Exact kind, such as instance.create" />
          <TextFilter state={state} name="resource_id" label="Resource" hint="The resource’s ID." />
          <TextFilter state={state} name="request_id" label="Request" hint="X-Request-Id of the request." />
        </>
      )}
      searchable={false}
      rowName={({ kind }) => kind}
      actions={(operation, state) => [
        {
          label: 'Retry',
          icon: RotateCcw,
          disabledReason: operation.retry_refusal ?? undefined,
          onSelect: () => tryAgain(operation),
        },
        { label: 'Only this kind', onSelect: () => state.set({ kind: operation.kind }) },
        { label: 'Only this resource', onSelect: () => state.set({ resource_id: operation.resource_id }) },
      ]}
    />
  );
}
