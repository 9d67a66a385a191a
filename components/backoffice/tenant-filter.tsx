'use client';

import { ChevronDown } from 'lucide-react';
import type { TableState } from '@/components/kit/table/table-state';
import { Button } from '@/components/kit/ui/button';
import { deferred } from '@/components/kit/ui/deferred';
import { useBackOffice } from '@/lib/client/backoffice';

export interface TenantFilterProps {
  state: TableState;
}

const TenantFilterPopup = deferred<TenantFilterProps>('dialog', () =>
  import('./tenant-filter-popup').then((module) => module.TenantFilterPopup),
);

/** Narrows a list to one tenant, which is found by typing: there may be thousands. */
export function TenantFilter({ state }: TenantFilterProps) {
  const { api } = useBackOffice();
  const chosen = state.filter('tenant_id');
  const { data: tenant } = api.useQuery(
    'get',
    '/admin/api/v1/tenants/{tenant_id}',
    { params: { path: { tenant_id: chosen ?? '' } } },
    { enabled: chosen !== undefined },
  );
  const trigger = (
    <Button className={chosen ? 'border-accent bg-accent-soft' : undefined}>
      <span className={chosen ? 'text-ink-muted' : undefined}>Tenant</span>
      {chosen && <span className="max-w-40 truncate">{tenant?.name ?? '…'}</span>}
      <ChevronDown className="text-ink-subtle" />
    </Button>
  );
  return <TenantFilterPopup trigger={trigger} state={state} />;
}
