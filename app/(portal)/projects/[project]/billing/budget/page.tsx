'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { BudgetForm, type VersionedBudget } from '@/components/billing/budget-form';
import { paceOf } from '@/components/billing/pace';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Loaded } from '@/components/kit/page/loaded';
import { Page } from '@/components/kit/page/page';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProject } from '@/lib/client/project';

const path = '/api/v1/billing/budget';
const queryKey = ['get', path, 'versioned'];

/** The monthly budget: its limit, who hears of it, whether it freezes; and what it would do at today's pace. */
export default function BudgetPage() {
  const { api, client } = useProject();
  const answers = useQueryClient();
  // With its entity tag, which the typed hooks do not give; kept fresh by the same hints.
  const budget = useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<VersionedBudget> => {
      const { data, response } = await client.GET(path, { signal });
      const tag = response.headers.get('etag');
      if (!data || tag === null) throw new Error('the budget comes with its entity tag');
      return { budget: data, tag };
    },
    // An edit begins with the present budget, not with that of an earlier visit.
    gcTime: 0,
  });
  const overview = api.useQuery('get', '/api/v1/billing/overview');
  const reload = () => Promise.all([budget.refetch(), overview.refetch()]);
  const both = {
    data: budget.data && overview.data && { current: budget.data, pace: paceOf(overview.data) },
    error: budget.error ?? overview.error,
    refetch: reload,
  };
  return (
    <Page
      title="Budget"
      badge={budget.data?.budget.status.frozen && <StatusBadge status="frozen" />}
      description="A monthly spending limit with alerts. With the freeze, nothing can be created beyond it."
    >
      <Loaded query={both} what="The budget" skeleton={<Skeleton className="h-120 w-full max-w-2xl rounded-lg" />}>
        {(loaded) => (
          <BudgetForm {...loaded} reload={reload} onSaved={(saved) => answers.setQueryData(queryKey, saved)} />
        )}
      </Loaded>
    </Page>
  );
}
