'use client';

import { paceOf } from '@/components/billing/pace';
import { SpendTiles, SpendTilesOutline } from '@/components/billing/spend-tiles';
import { useOverview } from '@/components/billing/use-overview';
import { Loaded } from '@/components/kit/page/loaded';

/** The costs this month, in four figures. */
export function Month() {
  return (
    <Loaded query={useOverview()} what="The costs" skeleton={<SpendTilesOutline />}>
      {(overview) => <SpendTiles overview={overview} pace={paceOf(overview)} />}
    </Loaded>
  );
}
