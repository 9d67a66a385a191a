import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { columnsOf } from '@/components/kit/table/data-table';
import type { Row } from '@/lib/client/list';
import { Amount } from './amount';
import { BudgetUse } from './budget-use';
import { TenantCell } from './tenant-cell';

type Budget = Row<'/admin/api/v1/billing/budgets'>;

const column = columnsOf<Budget>();
/** The columns of the tenants’ budgets. */
export const budgetColumns = [
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
