import { useMemo } from 'react';
import { useProject } from '@/lib/client/project';
import { completionOf } from './completion';
import { functions, stages } from './logql-words';

const labels = '/api/v1/observability/loki/api/v1/labels';
const values = '/api/v1/observability/loki/api/v1/label/{name}/values';
const lately = { since: '7d' };

/** Completion of LogQL with the labels of this project. */
export function useLogql() {
  const { client } = useProject();
  return useMemo(
    () =>
      completionOf({
        stages,
        expressions: async () => functions,
        labels: async () => (await client.GET(labels, { params: { query: lately } })).data?.data ?? [],
        values: async (name) =>
          (await client.GET(values, { params: { path: { name }, query: lately } })).data?.data ?? [],
      }),
    [client],
  );
}
