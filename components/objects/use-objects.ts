'use client';

import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { nextCursor } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';

const PAGE = 200;

/** The entries of a folder, page by page, or all versions of what is in it. */
export function useObjects(bucket: string, prefix: string, versions: boolean) {
  const { client } = useProject();
  const query = useInfiniteQuery({
    queryKey: ['objects', bucket, prefix, versions],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const { data, response } = await client.GET('/api/v1/storage/buckets/{name}/objects', {
        params: {
          path: { name: bucket },
          query: {
            prefix,
            delimiter: '/',
            limit: PAGE,
            ...(versions ? { versions: 'true' as const } : {}),
            ...(pageParam === undefined ? {} : { cursor: pageParam }),
          },
        },
        signal,
      });
      return { entries: data ?? [], next: nextCursor(response.headers.get('link')) };
    },
    getNextPageParam: ({ next }) => next,
  });
  return { ...query, data: query.data?.pages.flatMap(({ entries }) => entries) };
}

/** Reads the bucket's lists anew, after a change that this page has made. */
export function useReread(bucket: string): () => Promise<void> {
  const cache = useQueryClient();
  return async () => {
    await Promise.all([
      cache.invalidateQueries({ queryKey: ['objects', bucket] }),
      cache.invalidateQueries({
        predicate: ({ queryKey }) => queryKey[0] === 'get' && String(queryKey[1]).startsWith('/api/v1/storage/buckets'),
      }),
    ]);
  };
}
