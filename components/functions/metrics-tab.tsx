'use client';

import { useQueries } from '@tanstack/react-query';
import { toneAt } from '@/components/kit/charts/series';
import { TimeSeries } from '@/components/kit/charts/time-series';
import { Loaded } from '@/components/kit/page/loaded';
import { Card } from '@/components/kit/ui/card';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { linesOf } from '@/components/observability/matrix';
import { readMetricValues } from '@/components/observability/use-metrics';
import { useProject } from '@/lib/client/project';
import { type CloudFunction, shortDuration } from './types';

/** As often as functions are sampled. */
const STEP_S = 15;
const WINDOW_MS = 60 * 60_000;

type Chart = {
  title: string;
  /** Each line with its name, over the function with this selector. */
  lines: readonly (readonly [label: string, query: (of: string) => string])[];
  format: (value: number) => string;
};

const perSecond = (value: number) => `${value.toFixed(value < 10 ? 2 : 0)}/s`;
const whole = (value: number) => value.toFixed(0);
const rate = (metric: string, of: string, more = '') => `sum(rate(${metric}{${of}${more}}[1m]))`;
const invocations = 'nephele_function_handler_invocations';

const charts: readonly Chart[] = [
  { title: 'Invocations', lines: [['Invocations', (of) => rate(invocations, of)]], format: perSecond },
  {
    title: 'Errors',
    lines: [
      ['Failed', (of) => rate(invocations, of, ',status="failed"')],
      ['Timed out', (of) => rate(invocations, of, ',status="timed_out"')],
      ['Out of memory', (of) => rate(invocations, of, ',status="out_of_memory"')],
    ],
    format: perSecond,
  },
  {
    title: 'Duration',
    lines: [
      ['Median', (of) => `max(nephele_function_duration_p50_seconds{${of}})`],
      ['99th percentile', (of) => `max(nephele_function_duration_p99_seconds{${of}})`],
    ],
    format: (seconds) => shortDuration(seconds * 1000),
  },
  {
    title: 'Cold starts',
    lines: [['Cold starts', (of) => rate('nephele_function_cold_start_invocations', of)]],
    format: perSecond,
  },
  {
    title: 'Concurrency',
    lines: [['Events at the same time', (of) => `max(nephele_function_concurrent_events{${of}})`]],
    format: whole,
  },
  {
    title: 'Refused',
    lines: [['Over the concurrency', (of) => rate('nephele_function_throttled_invocations', of)]],
    format: perSecond,
  },
];

/** What a function did in the last hour. */
export function MetricsTab({ of }: { of: CloudFunction }) {
  const { client } = useProject();
  const lines = charts.flatMap((chart) => chart.lines);
  const selector = `resource_id="${of.id}"`;
  const answers = useQueries({
    queries: lines.map(([label, query]) => ({
      queryKey: ['get', 'metrics of a function', { label, id: of.id }],
      queryFn: ({ signal }: { signal: AbortSignal }) => {
        const to = Date.now();
        const shown = { from: to - WINDOW_MS, to };
        return readMetricValues(client, { query: query(selector), shown, step_s: STEP_S }, signal);
      },
      refetchInterval: STEP_S * 1000,
    })),
  });
  const all = answers.flatMap(({ data }) => data ?? []);
  const query = {
    data: all.length === lines.length ? all : undefined,
    error: answers.find(({ error }) => error !== null)?.error,
    refetch: () => Promise.all(answers.map((answer) => answer.refetch())),
  };
  return (
    <Loaded query={query} what="The metrics" skeleton={<Skeleton className="h-96 w-full rounded-lg" />}>
      {(values) => (
        <div className="grid gap-5 *:min-w-0 lg:grid-cols-2">
          {charts.map(({ title, lines: own, format }) => {
            const first = lines.findIndex(([label]) => label === own[0]?.[0]);
            const matrices = values.slice(first, first + own.length);
            const [matrix] = matrices;
            if (!matrix) return null;
            const { times } = linesOf(matrix);
            const nothing = times.map(() => null);
            return (
              <Card key={title} title={title}>
                <TimeSeries
                  label={title}
                  times={times}
                  series={own.map(([label], position) => {
                    const found = matrices[position];
                    return {
                      label,
                      tone: toneAt(position),
                      values: (found && linesOf(found).lines[0]?.values) ?? nothing,
                    };
                  })}
                  shown={matrix.shown}
                  format={format}
                  top={0}
                  group="function"
                  onZoom={() => {}}
                />
              </Card>
            );
          })}
        </div>
      )}
    </Loaded>
  );
}
