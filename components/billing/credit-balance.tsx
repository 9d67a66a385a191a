'use client';

import { Money } from '@/components/kit/data/amounts';
import { Loaded } from '@/components/kit/page/loaded';
import { Card } from '@/components/kit/ui/card';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProject } from '@/lib/client/project';

/** The credit balance, or the amount owed. */
export function Balance() {
  const { api } = useProject();
  const overview = api.useQuery('get', '/api/v1/billing/overview');
  return (
    <Card className="mb-6">
      <p className="text-ink-muted text-sm">Balance</p>
      <Loaded query={overview} what="The balance" skeleton={<Skeleton className="mt-1 h-8 w-32" />}>
        {({ credit_usd, owed_usd }) => (
          <>
            <p className="mt-0.5 font-semibold text-2xl tracking-[-0.02em]">
              <Money usd={credit_usd} />
            </p>
            {owed_usd > 0 && (
              <p className="mt-2 text-pretty text-sm">
                <span className="font-medium text-caution-ink">
                  <Money usd={owed_usd} /> owed
                </span>{' '}
                for refunded or disputed payments that were already spent. Added credit settles this first.
              </p>
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}
