'use client';

import { QuotaBar } from '@/components/kit/data/quota-bar';
import { Loaded } from '@/components/kit/page/loaded';
import { Card } from '@/components/kit/ui/card';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProject } from '@/lib/client/project';

/** What a route costs, and what it takes of the quota. */
export function RouteImpact({ isNew }: { isNew: boolean }) {
  const { api } = useProject();
  const quota = api.useQuery('get', '/api/v1/tenant/quota');
  return (
    <>
      <Card title="Price" aria-label="Price">
        <p className="text-pretty text-sm">
          <span className="font-medium">Free of charge.</span>{' '}
          <span className="text-ink-muted">
            What clients receive is billed as egress, and so is what is sent to a URL.
          </span>
        </p>
      </Card>
      <Card title="Quota" description={isNew ? 'What this route uses.' : 'A changed route uses nothing more.'}>
        <Loaded query={quota} what="The quota" skeleton={<Skeleton className="h-12 w-full" />}>
          {({ api_gateways }) => <QuotaBar label="Gateway routes" {...api_gateways} claim={isNew ? 1 : 0} />}
        </Loaded>
      </Card>
    </>
  );
}
