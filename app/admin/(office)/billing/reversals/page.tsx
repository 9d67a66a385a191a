'use client';

import { Undo2 } from 'lucide-react';
import { Amount } from '@/components/backoffice/money/amount';
import { whenAndWhose } from '@/components/backoffice/money/when-and-whose';
import { TenantFilter } from '@/components/backoffice/tenant-filter';
import { Money } from '@/components/kit/data/amounts';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Page } from '@/components/kit/page/page';
import { columnsOf, DataTable } from '@/components/kit/table/data-table';
import { useTableState } from '@/components/kit/table/table-state';
import { type Row, useList } from '@/lib/client/list';
import { adminPaths } from '@/lib/paths';

type Reversal = Row<'/admin/api/v1/billing/reversals'>;

const column = columnsOf<Reversal>();
const right = { align: 'right' } as const;
const columns = [
  ...whenAndWhose(column),
  column.accessor('kind', {
    header: 'Payment',
    meta: { from: 'sm' },
    cell: ({ row: { original } }) => original.invoice_number ?? 'Top-up',
  }),
  column.accessor('paid_usd', {
    header: 'Paid',
    meta: { ...right, from: 'md' },
    cell: ({ getValue }) => <Amount usd={getValue()} />,
  }),
  column.accessor('refunded_usd', {
    header: 'Refunded',
    meta: { ...right, from: 'sm' },
    cell: ({ getValue }) => <Amount usd={getValue()} />,
  }),
  column.accessor('disputed_usd', {
    header: 'Disputed',
    meta: { ...right, from: 'sm' },
    cell: ({ getValue }) => <Amount usd={getValue()} />,
  }),
  column.accessor('recovered_usd', {
    header: 'From credit',
    meta: { ...right, from: 'md' },
    cell: ({ getValue }) => <Amount usd={getValue()} />,
  }),
  column.accessor('owed_usd', {
    header: 'Owed',
    meta: right,
    cell: ({ getValue }) =>
      getValue() === 0 ? (
        <Amount usd={0} />
      ) : (
        <span className="font-medium text-critical-ink">
          <Money usd={getValue()} />
        </span>
      ),
  }),
];

const owedOptions = [
  { value: 'true', label: 'Owed' },
  { value: 'false', label: 'Settled' },
];

/** Payments that the processor took back, and what tenants owe for them. */
export default function ReversalsPage() {
  const state = useTableState(['owed', 'tenant_id']);
  const { sort: _sort, ...query } = state.query;
  const list = useList('/admin/api/v1/billing/reversals', query);
  return (
    <Page
      title="Refunds and disputes"
      description="Refunded and disputed payments. A reversed top-up is withdrawn from credit; what was already spent is owed and settled by the next top-up. Refunded invoices are written off; disputed ones are owed."
    >
      <DataTable
        noun="payment"
        list={list}
        state={state}
        columns={columns}
        rowName={({ tenant_name, reference }) => `${tenant_name}: ${reference}`}
        filters={[{ name: 'owed', label: 'Owed', options: owedOptions }]}
        toolbar={<TenantFilter state={state} />}
        actions={({ tenant_id }) => [
          { label: 'Only this tenant', onSelect: () => state.set({ tenant_id }) },
          { label: 'View credit', href: adminPaths.credits({ tenant_id }) },
          { label: 'View invoices', href: adminPaths.invoices({ tenant_id }) },
        ]}
        empty={
          <EmptyState icon={Undo2} title="No refunds or disputes">
            Refunds made at the payment processor and disputes opened by banks appear here automatically.
          </EmptyState>
        }
      />
    </Page>
  );
}
