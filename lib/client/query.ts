import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './errors';

/**
 * Which answers a hint of a topic makes old: the beginnings of their paths. This is the one place of query keys: a
 * query's key is its method, path and parameters, as openapi-react-query makes it. A topic that is not listed here
 * makes everything old: too much read again is better than a page that is wrong.
 */
const pathsOfTopic: Record<string, readonly string[]> = {
  secrets: ['/api/v1/vault/secrets'],
  quota: ['/api/v1/tenant/quota'],
};

/** One store of answers per project, so that no answer of one project can show in another. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // Hints say when an answer is old; this bounds what a lost hint can do when a page is opened again.
        staleTime: 30_000,
        // Being offline is an answer too: it shows, and heals with the connection.
        networkMode: 'always',
        retry: (failures, error) => failures < 2 && error instanceof ApiError && error.passing,
        retryDelay: (failures) => 400 * 2 ** failures,
      },
      mutations: { networkMode: 'always' },
    },
  });
}

/** Marks what topics name as old; open pages read it again at once. */
export async function invalidateTopics(client: QueryClient, topics: ReadonlySet<string>): Promise<void> {
  const prefixes = [...topics].map((topic) => pathsOfTopic[topic]);
  await client.invalidateQueries({
    predicate: ({ queryKey: [, path] }) =>
      prefixes.some((paths) => paths?.some((prefix) => typeof path === 'string' && path.startsWith(prefix)) ?? true),
  });
}
