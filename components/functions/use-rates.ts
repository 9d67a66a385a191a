'use client';

import { useQuery } from '@tanstack/react-query';
import { readMetricValues } from '@/components/observability/use-metrics';
import { useProject } from '@/lib/client/project';

/** What functions have done in the last quarter of an hour, by function. */
export interface Rates {
  perMinute: number;
  /** From 0 to 1. */
  errors: number;
}

const STEP_S = 60;
const WINDOW_MS = 15 * 60_000;
const WINDOW = '15m';
const counted = 'nephele_function_handler_invocations';

/** Invocations and errors of all functions of the project; those that nobody calls are not in it. */
export function useFunctionRates(): ReadonlyMap<string, Rates> | undefined {
  const { client } = useProject();
  const answer = useQuery({
    queryKey: ['get', 'rates of functions'],
    refetchInterval: STEP_S * 1000,
    queryFn: async ({ signal }) => {
      const to = Date.now();
      const shown = { from: to - WINDOW_MS, to };
      const read = (query: string) => readMetricValues(client, { query, shown, step_s: STEP_S }, signal);
      const sum = (more: string) => `sum by (resource_id) (increase(${counted}${more}[${WINDOW}]))`;
      const [all, failed] = await Promise.all([read(sum('')), read(sum('{status!="succeeded"}'))]);
      const last = ({ result }: typeof all) =>
        new Map(result.map(({ metric, values }) => [metric.resource_id ?? '', Number(values.at(-1)?.[1] ?? 0)]));
      const errors = last(failed);
      return new Map(
        [...last(all)].map(([id, count]): [string, Rates] => [
          id,
          { perMinute: (count * 60_000) / WINDOW_MS, errors: count > 0 ? (errors.get(id) ?? 0) / count : 0 },
        ]),
      );
    },
  });
  return answer.data;
}
