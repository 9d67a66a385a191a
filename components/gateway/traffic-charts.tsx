'use client';

import { useQueries } from '@tanstack/react-query';
import { toneAt } from '@/components/kit/charts/series';
import { TimeSeries } from '@/components/kit/charts/time-series';
import { Loaded } from '@/components/kit/page/loaded';
import { Card } from '@/components/kit/ui/card';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { linesOf, type Matrix } from '@/components/observability/matrix';
import { readMetricValues } from '@/components/observability/use-metrics';
import { useProject } from '@/lib/client/project';
import type { Route } from './types';

/** As often as the gateway is sampled. */
const STEP_S = 15;
const WINDOW_MS = 15 * 60_000;

const rate = (id: string, more = '') =>
  `sum by (backend) (rate(nephele_gateway_route_backend_responses{resource_id="${id}"${more}}[1m]))`;

const charts = [
  { title: 'Requests per second', query: (id: string) => rate(id), format: (value: number) => `${value.toFixed(1)}/s` },
  {
    title: 'Errors',
    query: (id: string) => `${rate(id, ', code="5xx"')} / ${rate(id)}`,
    format: (value: number) => `${(value * 100).toFixed(1)}%`,
  },
] as const;

/** Requests and errors of a route's backends in the last quarter of an hour. */
export function TrafficCharts({ route: { id, backends } }: { route: Route }) {
  const { client } = useProject();
  const answers = useQueries({
    queries: charts.map(({ title, query }) => ({
      queryKey: ['get', 'traffic of a route', { title, id }],
      queryFn: ({ signal }: { signal: AbortSignal }) => {
        const to = Date.now();
        const shown = { from: to - WINDOW_MS, to };
        return readMetricValues(client, { query: query(id), shown, step_s: STEP_S }, signal);
      },
      refetchInterval: STEP_S * 1000,
    })),
  });
  const query = {
    data: answers.every(({ data }) => data !== undefined) ? answers.map(({ data }) => data) : undefined,
    error: answers.find(({ error }) => error !== null)?.error,
    refetch: () => Promise.all(answers.map((answer) => answer.refetch())),
  };
  return (
    <Loaded query={query} what="The charts" skeleton={<Skeleton className="h-56 w-full rounded-lg" />}>
      {(values) => (
        <div className="grid gap-5 *:min-w-0 lg:grid-cols-2">
          {charts.map(({ title, format }, position) => {
            const matrix = values[position];
            if (!matrix) return null;
            return (
              <Card key={title} title={title}>
                <Chart title={title} matrix={matrix} format={format} backends={backends.map(({ name }) => name)} />
              </Card>
            );
          })}
        </div>
      )}
    </Loaded>
  );
}

interface ChartProps {
  title: string;
  matrix: Matrix;
  format: (value: number) => string;
  backends: readonly string[];
}

function Chart({ title, matrix, format, backends }: ChartProps) {
  const { times, lines } = linesOf(matrix);
  const nothing = times.map(() => null);
  return (
    <TimeSeries
      label={title}
      times={times}
      // Each backend keeps its colour, whether it has values or not.
      series={backends.map((name, position) => ({
        label: name,
        tone: toneAt(position),
        values: lines.find(({ metric }) => metric.backend === name)?.values ?? nothing,
      }))}
      shown={matrix.shown}
      format={format}
      top={0}
      group="route"
      onZoom={() => {}}
    />
  );
}
