'use client';

import { budgetColumns } from '@/components/backoffice/money/budget-columns';
import { useGrantCredit } from '@/components/backoffice/money/grant-credit';
import { budgets } from '@/components/backoffice/navigation';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { listTenantBudgets } from '@/lib/client/operations/backoffice';
import { adminPaths } from '@/lib/paths';

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
      columns={budgetColumns}
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
