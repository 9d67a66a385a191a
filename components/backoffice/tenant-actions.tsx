'use client';

import {
  Coins,
  ListChecks,
  Pause,
  Pencil,
  Play,
  ScrollText,
  SlidersHorizontal,
  UserRoundPlus,
  UsersRound,
} from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useConfirm } from '@/components/kit/page/confirm';
import type { Action } from '@/components/kit/table/row-actions';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { useBackOffice } from '@/lib/client/backoffice';
import type { Row } from '@/lib/client/list';
import { adminPaths } from '@/lib/paths';
import { useGrantCredit } from './money/grant-credit';

const RenameDialog = lazyComponent(() => import('./rename-tenant-dialog').then((module) => module.RenameTenantDialog));
const SuspendDialog = lazyComponent(() =>
  import('./suspend-tenant-dialog').then((module) => module.SuspendTenantDialog),
);

export type Tenant = Row<'/admin/api/v1/tenants'>;

/** What can be done with a tenant, in its row and on its page; `dialogs` stands in the page that offers it. */
export function useTenantActions(): { actions: (tenant: Tenant) => readonly Action[]; dialogs: ReactNode } {
  const { api } = useBackOffice();
  const confirm = useConfirm();
  const resume = api.useMutation('post', '/admin/api/v1/tenants/{tenant_id}/resume');
  const [open, setOpen] = useState<{ dialog: 'rename' | 'suspend'; tenant: Tenant }>();
  const close = () => setOpen(undefined);
  const { grantCredit, dialog: grantDialog } = useGrantCredit();

  const askToResume = ({ id, name, suspension_reason }: Tenant) =>
    confirm({
      title: `Resume ${name}?`,
      consequence: (
        <>
          <p>Its members and API tokens get access again immediately.</p>
          {suspension_reason && <p>Reason for the suspension: {suspension_reason}</p>}
        </>
      ),
      confirmLabel: 'Resume tenant',
      harmless: true,
      onConfirm: () => resume.mutateAsync({ params: { path: { tenant_id: id } }, body: {} }),
    });

  const actions = (tenant: Tenant): readonly Action[] => [
    { label: 'Edit limits', icon: SlidersHorizontal, href: adminPaths.tenantLimits(tenant.id) },
    { label: 'Rename', icon: Pencil, onSelect: () => setOpen({ dialog: 'rename', tenant }) },
    { label: 'Change credit', icon: Coins, onSelect: () => grantCredit({ id: tenant.id, name: tenant.name }) },
    { label: 'Add admin', icon: UserRoundPlus, href: adminPaths.newTenantAdmin(tenant.id) },
    { label: 'Users', icon: UsersRound, href: adminPaths.users({ tenant_id: tenant.id }) },
    { label: 'Operations', icon: ListChecks, href: adminPaths.operations({ tenant_id: tenant.id }) },
    { label: 'Audit log', icon: ScrollText, href: adminPaths.audit({ tenant_id: tenant.id }) },
    {
      label: 'Resume',
      icon: Play,
      disabledReason: tenant.status === 'active' ? 'Not suspended.' : undefined,
      onSelect: () => askToResume(tenant),
    },
    {
      label: 'Suspend',
      icon: Pause,
      danger: true,
      disabledReason: tenant.status === 'active' ? undefined : 'Already suspended.',
      onSelect: () => setOpen({ dialog: 'suspend', tenant }),
    },
  ];

  const dialogs = (
    <>
      {open?.dialog === 'rename' && <RenameDialog tenant={open.tenant} close={close} />}
      {grantDialog}
      {open?.dialog === 'suspend' && <SuspendDialog tenant={open.tenant} close={close} />}
    </>
  );
  return { actions, dialogs };
}
