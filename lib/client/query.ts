import { MutationCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './errors';

/** A query cache. Each project has its own, so that answers of different projects never mix. */
export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    mutationCache: new MutationCache({
      // No hint reports that spending alone has used up a budget: the refusal is the first sign.
      onError: (error) => {
        if (error instanceof ApiError && error.code === 'BUDGET_FROZEN')
          void import('./topics').then(({ invalidateTopics }) => invalidateTopics(client, new Set(['budget'])));
      },
    }),
    defaultOptions: {
      queries: {
        // Hints mark stale data; this limits the effect of a lost hint when a page is opened again.
        staleTime: 30_000,
        // Being offline is a result too: it is shown, and recovers with the connection.
        networkMode: 'always',
        retry: (failures, error) => failures < 2 && error instanceof ApiError && error.passing,
        retryDelay: (failures) => 400 * 2 ** failures,
      },
      mutations: { networkMode: 'always' },
    },
  });
  return client;
}
