'use client';

import { UsersRound } from 'lucide-react';
import { TenantFilter } from '@/components/backoffice/tenant-filter';
import { useUserActions } from '@/components/backoffice/user-actions';
import { userColumns } from '@/components/backoffice/user-columns';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Page } from '@/components/kit/page/page';
import { DataTable } from '@/components/kit/table/data-table';
import { useTableState } from '@/components/kit/table/table-state';
import { useList } from '@/lib/client/list';

const kinds = [
  { value: 'true', label: 'Administrators' },
  { value: 'false', label: 'Everyone else' },
];

/** Everyone who has an account on the platform. */
export default function UsersPage() {
  const state = useTableState(['tenant_id', 'administrator']);
  const list = useList('/admin/api/v1/users', state.query);
  const actions = useUserActions();
  return (
    <Page title="Users" description="All accounts of the platform, across tenants.">
      <DataTable
        noun="user"
        list={list}
        state={state}
        columns={userColumns}
        rowName={({ name }) => name}
        filters={[{ name: 'administrator', label: 'Kind', options: kinds }]}
        toolbar={<TenantFilter state={state} />}
        actions={actions}
        empty={
          <EmptyState icon={UsersRound} title="No users yet">
            The first admin of a tenant is created with it and adds the other users.
          </EmptyState>
        }
      />
    </Page>
  );
}
