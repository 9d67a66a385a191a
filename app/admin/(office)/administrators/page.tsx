'use client';

import { administrators } from '@/components/backoffice/navigation';
import { useUserActions } from '@/components/backoffice/user-actions';
import { administratorColumns } from '@/components/backoffice/user-columns';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { listAdministrators } from '@/lib/client/operations/backoffice';

/** To whom the back office is open. */
export default function AdministratorsPage() {
  const actions = useUserActions();
  return (
    <ResourceList
      of={administrators}
      list={listAdministrators}
      about="Full access to the back office. Independent of roles in tenants."
      emptyTitle="No administrators"
      empty="To create one, run npm run admin on the host."
      columns={administratorColumns}
      actions={actions}
    />
  );
}
