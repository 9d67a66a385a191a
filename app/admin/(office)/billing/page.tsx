'use client';

import { useSearchParams } from 'next/navigation';
import { Amount } from '@/components/backoffice/money/amount';
import { MonthTotals } from '@/components/backoffice/money/month-totals';
import { useMonthFilter } from '@/components/backoffice/money/months';
import { TenantCell } from '@/components/backoffice/money/tenant-cell';
import { revenue } from '@/components/backoffice/navigation';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { columnsOf } from '@/components/kit/table/data-table';
import type { Row } from '@/lib/client/list';
import { listTenantRevenue } from '@/lib/client/operations/backoffice';
import { adminPaths } from '@/lib/paths';

type Revenue = Row<'/admin/api/v1/billing/revenue'>;

const column = columnsOf<Revenue>();
const right = { align: 'right' } as const;
const columns = [
  column.accessor('tenant_name', {
    id: 'name',
    header: 'Tenant',
    enableSorting: true,
    cell: ({ row: { original } }) => <TenantCell id={original.tenant_id} name={original.tenant_name} />,
  }),
  column.accessor('so_far_usd', {
    header: 'So far',
    meta: right,
    cell: ({ getValue }) => <Amount usd={getValue()} />,
  }),
  column.accessor('invoiced_usd', {
    header: 'Invoiced',
    enableSorting: true,
    meta: right,
    cell: ({ getValue }) => <Amount usd={getValue()} />,
  }),
  column.accessor('credit_used_usd', {
    header: 'From credit',
    meta: { ...right, from: 'lg' },
    cell: ({ getValue }) => <Amount usd={getValue()} />,
  }),
  column.accessor('paid_usd', {
    header: 'By card',
    meta: { ...right, from: 'md' },
    cell: ({ getValue }) => <Amount usd={getValue()} />,
  }),
  column.accessor('open_usd', {
    header: 'Open',
    meta: right,
    cell: ({ getValue }) => <Amount usd={getValue()} />,
  }),
  column.accessor('carried_usd', {
    header: 'Carried over',
    meta: { ...right, from: 'xl' },
    cell: ({ getValue }) => <Amount usd={getValue()} />,
  }),
  column.accessor('payment_status', {
    header: 'Invoice',
    cell: ({ getValue }) => {
      const status = getValue();
      return status === null ? <span className="text-ink-subtle">None</span> : <StatusBadge status={status} />;
    },
  }),
];

/** What a month brings in, by tenant. */
export default function RevenuePage() {
  const month = useMonthFilter();
  return (
    <ResourceList
      of={revenue}
      list={listTenantRevenue}
      about="Charges, invoices and payments per month (UTC)."
      empty="Charges appear here once tenants use billed resources."
      above={
        <div className="mb-6">
          <MonthTotals month={useSearchParams().get('month') ?? undefined} />
        </div>
      }
      columns={columns}
      rowId={({ tenant_id }) => tenant_id}
      filters={[month]}
      rowName={({ tenant_name }) => tenant_name}
      actions={({ tenant_id, month: of }) => [
        { label: 'View invoices', href: adminPaths.invoices({ tenant_id }) },
        { label: 'View all invoices of the month', href: adminPaths.invoices({ month: of }) },
        { label: 'View credit', href: adminPaths.credits({ tenant_id }) },
      ]}
    />
  );
}
