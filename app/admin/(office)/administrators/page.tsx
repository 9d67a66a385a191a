'use client';

import { ShieldUser } from 'lucide-react';
import { useUserActions } from '@/components/backoffice/user-actions';
import { administratorColumns } from '@/components/backoffice/user-columns';
import { CreateLink } from '@/components/kit/page/create-link';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Page } from '@/components/kit/page/page';
import { DataTable } from '@/components/kit/table/data-table';
import { useTableState } from '@/components/kit/table/table-state';
import { useList } from '@/lib/client/list';
import { adminPaths } from '@/lib/paths';

/** To whom the back office is open. */
export default function AdministratorsPage() {
  const state = useTableState();
  const list = useList('/admin/api/v1/administrators', state.query);
  const actions = useUserActions();
  return (
    <Page
      title="Administrators"
      description="Full access to the back office. Independent of roles in tenants."
      actions={
        <CreateLink label="Add administrator" href={adminPaths.newAdministrator()} operation="createAdministrator" />
      }
    >
      <DataTable
        noun="administrator"
        list={list}
        state={state}
        columns={administratorColumns}
        rowName={({ name }) => name}
        actions={actions}
        empty={
          <EmptyState icon={ShieldUser} title="No administrators">
            To create one, run npm run admin on the host.
          </EmptyState>
        }
      />
    </Page>
  );
}
