import Link from 'next/link';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { columnsOf } from '@/components/kit/table/data-table';
import { formatNumber } from '@/lib/format/number';
import { adminPaths } from '@/lib/paths';
import type { Operation } from './retry-operation';
import { TextLink } from './text-link';

const column = columnsOf<Operation>();
/** The columns of operations. */
export const operationColumns = [
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
