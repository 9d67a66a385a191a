import { useProject } from '@/lib/client/project';
import { untilBudgetTurns } from '@/lib/client/turns';

/** What the project spends this month, as of the last answer. */
export function useOverview() {
  return useProject().api.useQuery('get', '/api/v1/billing/overview', undefined, {
    // Hints say when something was started or stopped; when the budget freezes, or the month ends, is known.
    refetchInterval: ({ state: { data } }) => (data ? untilBudgetTurns(data.budget, Date.now()) : false),
  });
}
