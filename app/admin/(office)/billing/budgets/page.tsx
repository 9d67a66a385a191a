'use client';

import { Amount } from '@/components/backoffice/money/amount';
import { BudgetUse } from '@/components/backoffice/money/budget-use';
import { useGrantCredit } from '@/components/backoffice/money/grant-credit';
import { TenantCell } from '@/components/backoffice/money/tenant-cell';
import { budgets } from '@/components/backoffice/navigation';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { columnsOf } from '@/components/kit/table/data-table';
import type { Row } from '@/lib/client/list';
import { listTenantBudgets } from '@/lib/client/operations/backoffice';
import { adminPaths } from '@/lib/paths';

type Budget = Row<'/admin/api/v1/billing/budgets'>;

const column = columnsOf<Budget>();
const columns = [
  column.accessor('tenant_name', {
    id: 'name',
    header: 'Tenant',
    enableSorting: true,
    cell: ({ row: { original } }) => <TenantCell id={original.tenant_id} name={original.tenant_name} />,
  }),
  column.accessor('frozen', {
    header: 'Freeze',
    cell: ({ row: { original } }) => <Freeze {...original} />,
  }),
  column.accessor('month_to_date_usd', {
    header: 'Spent this month',
    meta: { align: 'right' },
    cell: ({ getValue }) => <Amount usd={getValue()} />,
  }),
  column.accessor('monthly_limit_usd', {
    header: 'Budget',
    meta: { align: 'right' },
    cell: ({ getValue }) => <Amount usd={getValue()} />,
  }),
  column.accessor('used_percent', {
    header: 'Used',
    meta: { from: 'md' },
    cell: ({ getValue }) => <BudgetUse percent={getValue()} />,
  }),
  column.accessor('lift_usd', {
    header: 'Lifted by credit',
    meta: { align: 'right', from: 'xl' },
    cell: ({ getValue }) => <Amount usd={getValue()} />,
  }),
  column.accessor('credit_usd', {
    header: 'Credit',
    meta: { align: 'right', from: 'lg' },
    cell: ({ getValue }) => <Amount usd={getValue()} />,
  }),
];

function Freeze({ frozen, frozen_since, freezes_at, enable_quota_freeze }: Budget) {
  if (frozen) {
    return (
      <span className="inline-flex flex-wrap items-center gap-x-2">
        <StatusBadge status="frozen" />
        <span className="text-ink-muted text-xs">
          <Time at={frozen_since} />
        </span>
      </span>
    );
  }
  if (!enable_quota_freeze) return <span className="text-ink-subtle">Off</span>;
  return (
    <span className="text-ink-muted text-xs">
      <Time at={freezes_at} none="Not this month" />
    </span>
  );
}

const frozenOptions = [
  { value: 'true', label: 'Frozen now' },
  { value: 'false', label: 'Not frozen' },
];

/** The tenants' budgets: who is frozen, and who will be. */
export default function BudgetsPage() {
  const { grantCredit, dialog } = useGrantCredit();
  return (
    <ResourceList
      of={budgets}
      list={listTenantBudgets}
      about="Tenants set their own budgets. A frozen tenant cannot create resources until it raises its budget or gets credit; existing resources keep running."
      empty="The spending and the budget of each tenant are listed here."
      columns={columns}
      rowId={({ tenant_id }) => tenant_id}
      filters={[{ name: 'frozen', label: 'Freeze', options: frozenOptions }]}
      rowName={({ tenant_name }) => tenant_name}
      actions={({ tenant_id, tenant_name }) => [
        { label: 'Change credit', onSelect: () => grantCredit({ id: tenant_id, name: tenant_name }) },
        { label: 'View credit', href: adminPaths.credits({ tenant_id }) },
        { label: 'View invoices', href: adminPaths.invoices({ tenant_id }) },
      ]}
    >
      {() => dialog}
    </ResourceList>
  );
}
