'use client';

import { Amount } from '@/components/backoffice/money/amount';
import { whenAndWhose } from '@/components/backoffice/money/when-and-whose';
import { reversals } from '@/components/backoffice/navigation';
import { TenantFilter } from '@/components/backoffice/tenant-filter';
import { Money } from '@/components/kit/data/amounts';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { columnsOf } from '@/components/kit/table/data-table';
import type { Row } from '@/lib/client/list';
import { listReversals } from '@/lib/client/operations/backoffice';
import { adminPaths } from '@/lib/paths';

type Reversal = Row<'/admin/api/v1/billing/reversals'>;

const column = columnsOf<Reversal>();
const right = { align: 'right' } as const;
const columns = [
  ...whenAndWhose(column),
  column.accessor('kind', {
    header: 'Payment',
    cell: ({ row: { original } }) => original.invoice_number ?? 'Top-up',
  }),
  column.accessor('paid_usd', {
    header: 'Paid',
    meta: { ...right, from: 'md' },
    cell: ({ getValue }) => <Amount usd={getValue()} />,
  }),
  column.accessor('refunded_usd', {
    header: 'Refunded',
    meta: right,
    cell: ({ getValue }) => <Amount usd={getValue()} />,
  }),
  column.accessor('disputed_usd', {
    header: 'Disputed',
    meta: right,
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
  return (
    <ResourceList
      of={reversals}
      list={listReversals}
      about="Refunded and disputed payments. A reversed top-up is withdrawn from credit; what was already spent is owed and settled by the next top-up. Refunded invoices are written off; disputed ones are owed."
      emptyTitle="No refunds or disputes"
      empty="Refunds made at the payment processor and disputes opened by banks appear here automatically."
      columns={columns}
      filters={[{ name: 'owed', label: 'Owed', options: owedOptions }]}
      parameters={['tenant_id']}
      toolbar={(state) => <TenantFilter state={state} />}
      rowName={({ tenant_name, reference }) => `${tenant_name}: ${reference}`}
      actions={({ tenant_id }, state) => [
        { label: 'Only this tenant', onSelect: () => state.set({ tenant_id }) },
        { label: 'View credit', href: adminPaths.credits({ tenant_id }) },
        { label: 'View invoices', href: adminPaths.invoices({ tenant_id }) },
      ]}
    />
  );
}
