import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { columnsOf } from '@/components/kit/table/data-table';
import type { Row } from '@/lib/client/list';
import { formatMonth } from '@/lib/format/time';
import { Amount } from './amount';
import { TenantCell } from './tenant-cell';

export type Invoice = Row<'/admin/api/v1/billing/invoices'>;

const column = columnsOf<Invoice>();
/** The columns of all tenants’ invoices. */
export const invoiceColumns = [
  column.accessor('number', {
    header: 'Number',
    cell: ({ getValue }) => <span className="whitespace-nowrap font-mono text-xs">{getValue()}</span>,
  }),
  column.accessor('payment.status', {
    id: 'status',
    header: 'Payment',
    cell: ({ row: { original } }) => <StatusBadge status={original.payment.status} reason={original.payment.failure} />,
  }),
  column.accessor('tenant_name', {
    header: 'Tenant',
    cell: ({ row: { original } }) => <TenantCell id={original.tenant_id} name={original.tenant_name} />,
  }),
  column.accessor('month', {
    header: 'Month',
    cell: ({ getValue }) => <span className="whitespace-nowrap">{formatMonth(getValue())}</span>,
  }),
  column.accessor('subtotal_usd', {
    header: 'Total',
    meta: { align: 'right' },
    cell: ({ getValue }) => <Amount usd={getValue()} />,
  }),
  column.accessor('credit_usd', {
    header: 'From credit',
    meta: { align: 'right', from: 'lg' },
    cell: ({ getValue }) => <Amount usd={getValue()} />,
  }),
  column.accessor('due_usd', {
    header: 'By card',
    meta: { align: 'right', from: 'md' },
    cell: ({ getValue }) => <Amount usd={getValue()} />,
  }),
  column.accessor('payment.attempts', {
    id: 'attempts',
    header: 'Attempts',
    meta: { align: 'right', from: 'xl' },
  }),
  column.accessor('payment.next_attempt_at', {
    id: 'next_attempt_at',
    header: 'Next attempt',
    meta: { from: 'lg' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
  column.accessor('payment.paid_at', {
    id: 'paid_at',
    header: 'Paid',
    meta: { from: 'xl' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
];
