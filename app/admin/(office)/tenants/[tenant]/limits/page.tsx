'use client';

import { useQuery } from '@tanstack/react-query';
import { use } from 'react';
import { LimitsForm } from '@/components/backoffice/limits-form';
import { Loaded } from '@/components/kit/page/loaded';
import { Page } from '@/components/kit/page/page';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useBackOffice } from '@/lib/client/backoffice';
import { adminPaths } from '@/lib/paths';

/** Changes what a tenant may hold; in force for its very next request. */
export default function TenantLimitsPage({ params }: { params: Promise<{ tenant: string }> }) {
  const { tenant: tenantId } = use(params);
  const query = useVersionedQuota(tenantId);
  const name = query.data?.quota.tenant_name ?? 'Tenant';
  return (
    <Page
      title={`Limits of ${name}`}
      description="Takes effect immediately. Existing resources are never deleted."
      parents={[{ label: name, href: adminPaths.tenant(tenantId) }]}
    >
      <Loaded query={query} what="The limits" skeleton={<Skeleton className="h-160 w-full max-w-2xl" />}>
        {(current) => <LimitsForm tenantId={tenantId} current={current} reload={query.refetch} />}
      </Loaded>
    </Page>
  );
}

/** The quota record with its entity tag, which the typed hooks do not give. Kept fresh by the same hints. */
function useVersionedQuota(tenantId: string) {
  const { client } = useBackOffice();
  const path = '/admin/api/v1/tenants/{tenant_id}/quota';
  return useQuery({
    queryKey: ['get', path, tenantId, 'versioned'],
    queryFn: async ({ signal }) => {
      const { data, response } = await client.GET(path, { params: { path: { tenant_id: tenantId } }, signal });
      const tag = response.headers.get('etag');
      if (!data || tag === null) throw new Error('the quota comes with its entity tag');
      return { quota: data, tag };
    },
    // An edit begins with the present limits, not with those of an earlier visit.
    gcTime: 0,
  });
}
