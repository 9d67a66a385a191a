import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { TimeWindow } from '@/components/kit/charts/time-range';
import type { ApiClient } from '@/lib/client/api';
import { useProject } from '@/lib/client/project';
import { completionOf } from './completion';
import type { Matrix } from './matrix';
import { promqlWords } from './promql-words';
import { wholeSteps } from './time-window';
import type { MetricInfo } from './units';

const base = '/api/v1/observability/prometheus/api/v1';
const rangePath = `${base}/query_range` as const;
const seriesPath = `${base}/series` as const;
const labelsPath = `${base}/labels` as const;
const valuesPath = `${base}/label/{name}/values` as const;

/** All metrics that resources report, by name. */
export function useMetricInfos() {
  const { api } = useProject();
  const query = api.useQuery('get', `${base}/metadata`, {});
  const metrics = useMemo(
    () =>
      query.data &&
      Object.entries(query.data.data).flatMap(([name, [info]]): MetricInfo[] => (info ? [{ name, ...info }] : [])),
    [query.data],
  );
  return { ...query, data: metrics };
}

/** Resources that report a metric, by name. */
export function useReporting(metric: string | undefined) {
  const { client } = useProject();
  return useQuery({
    queryKey: ['get', seriesPath, metric],
    enabled: metric !== undefined,
    queryFn: async ({ signal }) => {
      const query = { 'match[]': [metric ?? ''] };
      const { data } = await client.GET(seriesPath, { params: { query }, signal });
      const found = new Map((data?.data ?? []).map((labels) => [labels.resource_id ?? '', labels.resource_name ?? '']));
      return [...found]
        .map(([id, name]) => ({ id, name }))
        .toSorted((one, other) => one.name.localeCompare(other.name));
    },
  });
}

export type MetricValues = Matrix & { warnings: readonly string[] };

function askOf(query: string, shown: TimeWindow, step_s: number) {
  const { from, to } = wholeSteps(shown, step_s);
  return { query, start: String(from / 1000), end: String(to / 1000), step: String(step_s) };
}

/** The values of a query in PromQL at round times. */
export async function readMetricValues(
  client: ApiClient,
  { query, shown, step_s }: { query: string; shown: TimeWindow; step_s: number },
  signal: AbortSignal,
): Promise<MetricValues> {
  const { data } = await client.GET(rangePath, { params: { query: askOf(query, shown, step_s) }, signal });
  if (!data) throw new Error('The answer has no body.');
  return { step_s, shown: wholeSteps(shown, step_s), result: data.data.result, warnings: data.warnings ?? [] };
}

/** The values of a query, and the request for them. */
export function useMetricValues(query: string, shown: TimeWindow, step_s: number) {
  const { client } = useProject();
  const asked = askOf(query, shown, step_s);
  const answer = useQuery({
    queryKey: ['get', rangePath, asked],
    enabled: query !== '',
    queryFn: ({ signal }) => readMetricValues(client, { query, shown, step_s }, signal),
    placeholderData: keepPreviousData,
  });
  return { ...answer, asked };
}

/** Completion of PromQL with the metrics and labels of this project. */
export function usePromql(metrics: readonly MetricInfo[] | undefined) {
  const { client } = useProject();
  return useMemo(
    () =>
      completionOf({
        stages: [],
        expressions: async () => [
          ...(metrics ?? []).map(({ name, help }) => ({ label: name, detail: help, type: 'variable' })),
          ...promqlWords,
        ],
        labels: async () => (await client.GET(labelsPath, {})).data?.data ?? [],
        values: async (name) => (await client.GET(valuesPath, { params: { path: { name } } })).data?.data ?? [],
      }),
    [client, metrics],
  );
}
