'use client';

import { whenAndWhose } from '@/components/backoffice/money/when-and-whose';
import { credits } from '@/components/backoffice/navigation';
import { TenantFilter } from '@/components/backoffice/tenant-filter';
import { Money } from '@/components/kit/data/amounts';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { columnsOf } from '@/components/kit/table/data-table';
import { ButtonLink } from '@/components/kit/ui/button';
import type { Row } from '@/lib/client/list';
import { listTenantCredits } from '@/lib/client/operations/backoffice';
import { adminPaths } from '@/lib/paths';

type Credit = Row<'/admin/api/v1/billing/credits'>;

const kinds: Record<Credit['kind'], string> = { top_up: 'Top-up', grant: 'Grant', invoice: 'Used by invoice' };

const column = columnsOf<Credit>();
const columns = [
  ...whenAndWhose(column),
  column.accessor('kind', {
    header: 'Kind',
    cell: ({ row: { original } }) => (
      <span className="whitespace-nowrap">
        {original.kind !== 'invoice' && original.amount_usd < 0 ? 'Withdrawn' : kinds[original.kind]}
      </span>
    ),
  }),
  column.accessor('amount_usd', {
    header: 'Amount',
    meta: { align: 'right' },
    cell: ({ getValue }) => (
      <span className={getValue() > 0 ? 'text-positive-ink' : undefined}>
        {getValue() > 0 && '+'}
        <Money usd={getValue()} />
      </span>
    ),
  }),
  column.accessor('reason', {
    header: 'Reason',
    meta: { from: 'md' },
    cell: ({ getValue }) => <span className="line-clamp-2 min-w-48 max-w-md break-words">{getValue()}</span>,
  }),
  column.accessor('created_by', { header: 'By', meta: { from: 'lg' } }),
];

/** What moved the credit of tenants: the ledger of all of them. */
export default function CreditPage() {
  return (
    <ResourceList
      of={credits}
      list={listTenantCredits}
      about="All changes of prepaid credit: top-ups by card, grants and use by invoices."
      emptyTitle="No credit history yet"
      empty="Tenants top up by card in the portal. To grant credit, choose a tenant under Budgets and freezes."
      buttons={
        <ButtonLink href={adminPaths.budgets()} variant="primary">
          Grant credit
        </ButtonLink>
      }
      columns={columns}
      filters={[
        { name: 'kind', label: 'Kind', options: Object.entries(kinds).map(([value, label]) => ({ value, label })) },
      ]}
      parameters={['tenant_id']}
      toolbar={(state) => <TenantFilter state={state} />}
      rowName={({ tenant_name, reason }) => `${tenant_name}: ${reason}`}
      actions={({ tenant_id }, state) => [
        { label: 'Only this tenant', onSelect: () => state.set({ tenant_id }) },
        { label: 'View budget', href: adminPaths.budgets({ search: tenant_id }) },
      ]}
    />
  );
}
