'use client';

import { Ban } from 'lucide-react';
import { use } from 'react';
import { tenants } from '@/components/backoffice/navigation';
import { quotaDimensions } from '@/components/backoffice/quota-dimensions';
import { type Tenant, useTenantActions } from '@/components/backoffice/tenant-actions';
import { TenantFacts } from '@/components/backoffice/tenant-facts';
import { QuotaBar } from '@/components/kit/data/quota-bar';
import { Time } from '@/components/kit/data/time';
import { ResourcePage } from '@/components/kit/resource/resource-page';
import { ButtonLink } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { useBackOffice } from '@/lib/client/backoffice';
import { readTenant } from '@/lib/client/operations/backoffice';
import { adminPaths } from '@/lib/paths';

/** One tenant: what is known of it, what it holds of what it may, and what can be done about it. */
export default function TenantPage({ params }: { params: Promise<{ tenant: string }> }) {
  const { tenant: id } = use(params);
  const { api } = useBackOffice();
  const { actions, dialogs } = useTenantActions();
  const query = api.useQuery('get', '/admin/api/v1/tenants/{tenant_id}', { params: { path: { tenant_id: id } } });
  return (
    <ResourcePage
      of={tenants}
      query={query}
      get={readTenant}
      actions={actions}
      buttons={() => (
        <ButtonLink href={adminPaths.tenantLimits(id)} variant="primary">
          Edit limits
        </ButtonLink>
      )}
      content={(tenant) => (
        <div className="space-y-6">
          {tenant.status === 'suspended' && <Suspended {...tenant} />}
          <TenantFacts {...tenant} />
          <Card title="Quota" description="Hard limits and current usage.">
            <div className="grid gap-x-10 gap-y-6 sm:grid-cols-2 xl:grid-cols-3">
              {quotaDimensions.map(({ name, label, unit }) => (
                <QuotaBar key={name} label={label} unit={unit} {...tenant.quota[name]} />
              ))}
            </div>
          </Card>
        </div>
      )}
    >
      {dialogs}
    </ResourcePage>
  );
}

function Suspended({ suspended_at, suspension_reason }: Tenant) {
  return (
    <div className="flex gap-3 rounded-lg border border-caution/50 bg-caution-soft p-4 text-sm">
      <Ban className="mt-0.5 size-4 shrink-0 text-caution-ink" aria-hidden="true" />
      <div className="min-w-0">
        <p className="font-medium">
          Suspended <Time at={suspended_at} />
        </p>
        <p className="mt-0.5 text-pretty break-words text-ink-muted">{suspension_reason}</p>
      </div>
    </div>
  );
}
