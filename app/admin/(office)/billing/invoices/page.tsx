'use client';

import { FileDown } from 'lucide-react';
import { Amount } from '@/components/backoffice/money/amount';
import { useMonthFilter } from '@/components/backoffice/money/months';
import { TenantCell } from '@/components/backoffice/money/tenant-cell';
import { invoices } from '@/components/backoffice/navigation';
import { TenantFilter } from '@/components/backoffice/tenant-filter';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { statusOptions } from '@/components/kit/data/statuses';
import { Time } from '@/components/kit/data/time';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { columnsOf } from '@/components/kit/table/data-table';
import { notify } from '@/components/kit/ui/notify';
import { useBackOffice } from '@/lib/client/backoffice';
import { download } from '@/lib/client/download';
import { ApiError } from '@/lib/client/errors';
import type { Row } from '@/lib/client/list';
import { listTenantInvoices } from '@/lib/client/operations/backoffice';
import { formatMonth } from '@/lib/format/time';
import { adminPaths } from '@/lib/paths';

type Invoice = Row<'/admin/api/v1/billing/invoices'>;

const column = columnsOf<Invoice>();
const columns = [
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

const statuses = statusOptions(['open', 'paid', 'failed', 'deferred', 'carried']);

/** The invoices of all tenants; those that could not be paid are a filter away. */
export default function InvoicesPage() {
  const { headers } = useBackOffice();
  const month = useMonthFilter();
  const save = ({ id, number }: Invoice) =>
    void download(`/admin/api/v1/billing/invoices/${id}/pdf`, {}, headers, `${number}.pdf`).catch((error: unknown) =>
      notify('error', `${number} could not be downloaded`, {
        description: error instanceof ApiError ? error.message : 'Try again.',
      }),
    );
  return (
    <ResourceList
      of={invoices}
      list={listTenantInvoices}
      about="One per tenant and month, numbered without gaps. Failed charges are retried automatically for four weeks."
      empty="Invoices are created when a month is closed, six hours after it ends (UTC), for each tenant with charges."
      columns={columns}
      filters={[{ name: 'status', label: 'Payment', options: statuses }, month]}
      parameters={['tenant_id']}
      toolbar={(state) => <TenantFilter state={state} />}
      searchable={false}
      rowName={({ number }) => number}
      actions={(invoice, state) => [
        { label: 'Download PDF', icon: FileDown, onSelect: () => save(invoice) },
        { label: 'Only this tenant', onSelect: () => state.set({ tenant_id: invoice.tenant_id }) },
        { label: 'View credit', href: adminPaths.credits({ tenant_id: invoice.tenant_id }) },
      ]}
    />
  );
}
