'use client';

import { users } from '@/components/backoffice/navigation';
import { TenantFilter } from '@/components/backoffice/tenant-filter';
import { useUserActions } from '@/components/backoffice/user-actions';
import { userColumns } from '@/components/backoffice/user-columns';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { listPlatformUsers } from '@/lib/client/operations/backoffice';

const kinds = [
  { value: 'true', label: 'Administrators' },
  { value: 'false', label: 'Everyone else' },
];

/** Everyone who has an account on the platform. */
export default function UsersPage() {
  const actions = useUserActions();
  return (
    <ResourceList
      of={users}
      list={listPlatformUsers}
      about="All accounts of the platform, across tenants."
      empty="The first admin of a tenant is created with it and adds the other users."
      columns={userColumns}
      filters={[{ name: 'administrator', label: 'Kind', options: kinds }]}
      parameters={['tenant_id']}
      toolbar={(state) => <TenantFilter state={state} />}
      actions={actions}
    />
  );
}
