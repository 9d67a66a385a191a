'use client';

import { QuotaBar } from '@/components/kit/data/quota-bar';
import { Loaded } from '@/components/kit/page/loaded';
import { Card } from '@/components/kit/ui/card';
import { Skeleton } from '@/components/kit/ui/skeleton';
import type { Row } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';

/** What one more instance of this flavor takes of the project's limits. */
export function QuotaImpact({ flavor }: { flavor: Row<'/api/v1/compute/flavors'> | undefined }) {
  const { api } = useProject();
  const quota = api.useQuery('get', '/api/v1/tenant/quota');
  return (
    <Card title="Quota" description={flavor ? 'What this instance uses.' : 'Choose a flavor to see its quota usage.'}>
      <Loaded query={quota} what="The quota" skeleton={<Skeleton className="h-36 w-full" />}>
        {({ instances, vcpus, ram_gb }) => (
          <div className="space-y-5">
            <QuotaBar label="Instances" {...instances} claim={1} />
            <QuotaBar label="vCPUs" {...vcpus} claim={flavor?.vcpus ?? 0} />
            <QuotaBar label="Memory" {...ram_gb} claim={flavor?.ram_gb ?? 0} />
          </div>
        )}
      </Loaded>
    </Card>
  );
}
