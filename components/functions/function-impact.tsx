'use client';

import { QuotaBar } from '@/components/kit/data/quota-bar';
import { Loaded } from '@/components/kit/page/loaded';
import { Card } from '@/components/kit/ui/card';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProject } from '@/lib/client/project';

/** What a function costs, and what it takes of the quota. */
export function FunctionImpact() {
  const { api } = useProject();
  const quota = api.useQuery('get', '/api/v1/tenant/quota');
  return (
    <>
      <Card title="Price" aria-label="Price">
        <p className="text-pretty text-sm">
          <span className="font-medium">Billed by invocations.</span>{' '}
          <span className="text-ink-muted">
            Each start of the handler counts, retries too; a function that nobody calls costs nothing. What leaves the
            platform is billed as egress.
          </span>
        </p>
      </Card>
      <Card title="Quota" description="What this function uses.">
        <Loaded query={quota} what="The quota" skeleton={<Skeleton className="h-12 w-full" />}>
          {({ serverless_functions }) => <QuotaBar label="Functions" {...serverless_functions} claim={1} />}
        </Loaded>
      </Card>
    </>
  );
}
