'use client';

import { paceOf } from '@/components/billing/pace';
import { SpendTiles } from '@/components/billing/spend-tiles';
import { useOverview } from '@/components/billing/use-overview';
import { Loaded } from '@/components/page/loaded';
import { Skeleton } from '@/components/ui/skeleton';

/** What the project costs this month, in four figures. */
export function Month() {
  return (
    <Loaded
      query={useOverview()}
      what="What the project costs"
      skeleton={<Skeleton className="h-52 w-full rounded-lg xl:h-26" />}
    >
      {(overview) => <SpendTiles overview={overview} pace={paceOf(overview)} />}
    </Loaded>
  );
}
