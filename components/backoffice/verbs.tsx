'use client';

import type { ReactNode } from 'react';
import type { PaletteCommand } from '@/components/shell/commands';
import type { SearchResult } from '@/components/shell/found';
import { useVerbLines } from '@/components/shell/verb-lines';
import { useBackOffice } from '@/lib/client/backoffice';
import { useTenantActions } from './tenant-actions';
import { useUserActions } from './user-actions';

/** What can be done with a tenant or a user, as lines that answer a verb; and the dialog that an action has opened. */
export function useOfficeVerbs(
  target: SearchResult | undefined,
  verb: string,
): { lines: readonly PaletteCommand[]; dialog: ReactNode } {
  const { api } = useBackOffice();
  const tenants = useTenantActions();
  const userActions = useUserActions();
  const id = target?.id ?? '';
  const only = (type: string) => ({ enabled: target?.type === type });
  const tenant = api.useQuery(
    'get',
    '/admin/api/v1/tenants/{tenant_id}',
    { params: { path: { tenant_id: id } } },
    only('tenant'),
  );
  const user = api.useQuery('get', '/admin/api/v1/users/{id}', { params: { path: { id } } }, only('user'));
  const actions: Readonly<Record<string, ReturnType<typeof userActions> | undefined>> = {
    tenant: tenant.data && tenants.actions(tenant.data),
    user: user.data && userActions(user.data),
  };
  return { lines: useVerbLines(target?.name ?? '', verb, target && actions[target.type]), dialog: tenants.dialogs };
}
