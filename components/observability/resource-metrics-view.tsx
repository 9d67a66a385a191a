'use client';

import { useQueries } from '@tanstack/react-query';
import { ChartLine } from 'lucide-react';
import { type Series, toneAt } from '@/components/kit/charts/series';
import { type TimeRange, type TimeWindow, useTimeRange } from '@/components/kit/charts/time-range';
import { TimeRangePicker } from '@/components/kit/charts/time-range-picker';
import { TimeSeries } from '@/components/kit/charts/time-series';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Loaded } from '@/components/kit/page/loaded';
import { Card } from '@/components/kit/ui/card';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProject } from '@/lib/client/project';
import { type ChartGroup, chartGroups } from './chart-groups';
import { linesOf, type Matrix, nameWithin } from './matrix';
import { promqlOf } from './promql-builder';
import { type Range, rangeNames, ranges, stepOf, windowOf } from './time-window';
import { formatOf, unitOf } from './units';
import { readMetricValues, useMetricInfos } from './use-metrics';

export interface ResourceMetricsProps {
  /** As metrics name it: "instance". */
  type: string;
  id: string;
}

const POINTS = 120;
const SHORTEST_STEP_S = 30;
/** Two samples come in that time. */
const REFRESH_MS = 30_000;

/** Charts of everything that a resource reports, with one time range and one cursor. */
export default function ResourceMetricsView({ type, id }: ResourceMetricsProps) {
  const metrics = useMetricInfos();
  const time = useTimeRange(rangeNames, '1h');
  return (
    <div className="space-y-4">
      <TimeRangePicker ranges={ranges} time={time} />
      <Loaded query={metrics} what="The metrics" skeleton={<Skeleton className="h-80 w-full rounded-lg" />}>
        {(all) => <Charts groups={chartGroups(all, type)} id={id} time={time} />}
      </Loaded>
    </div>
  );
}

interface ChartsProps {
  groups: readonly ChartGroup[];
  id: string;
  time: TimeRange<Range>;
}

function Charts({ groups, id, time }: ChartsProps) {
  const { client } = useProject();
  const { range, zoom } = time;
  const metrics = groups.flatMap((group) => group.metrics);
  const answers = useQueries({
    queries: metrics.map(({ metric }) => ({
      queryKey: ['get', 'metrics of a resource', { metric: metric.name, id, range, zoom }],
      queryFn: ({ signal }: { signal: AbortSignal }) => {
        const shown = windowOf(range, zoom, Date.now());
        const step_s = Math.max(SHORTEST_STEP_S, stepOf(shown, POINTS));
        const query = promqlOf({ metric, resources: [id], aggregate: 'none' }, step_s);
        return readMetricValues(client, { query, shown, step_s }, signal);
      },
      refetchInterval: zoom ? (false as const) : REFRESH_MS,
    })),
  });
  const failed = answers.find(({ error }) => error !== null);
  const query = {
    data: answers.every(({ data }) => data !== undefined) ? answers.map(({ data }) => data) : undefined,
    error: failed?.error,
    refetch: () => Promise.all(answers.map((answer) => answer.refetch())),
  };
  return (
    <Loaded query={query} what="The metrics" skeleton={<Skeleton className="h-80 w-full rounded-lg" />}>
      {(values) =>
        values.every((matrix) => matrix?.result.length === 0) ? (
          <div className="rounded-lg border border-dashed bg-surface">
            <EmptyState icon={ChartLine} title="No data in this period">
              Metrics are collected every 15 seconds. The first values appear within a minute; a stopped resource has
              none.
            </EmptyState>
          </div>
        ) : (
          <div className="grid gap-5 *:min-w-0 lg:grid-cols-2">
            {groups.map((group) => (
              <GroupChart
                key={group.title}
                group={group}
                values={group.metrics.map((one) => values[metrics.indexOf(one)])}
                onZoom={time.zoomTo}
              />
            ))}
          </div>
        )
      }
    </Loaded>
  );
}

/** Values on other moments: two answers may end a step apart. */
function valuesAt(times: readonly number[], ownTimes: readonly number[], values: readonly (number | null)[]) {
  const known = new Map(ownTimes.map((time, position) => [time, values[position]]));
  return times.map((time) => known.get(time) ?? null);
}

interface GroupChartProps {
  group: ChartGroup;
  values: readonly (Matrix | undefined)[];
  onZoom: (shown: TimeWindow) => void;
}

function GroupChart({ group: { title, metrics }, values, onZoom }: GroupChartProps) {
  const [first] = values;
  if (!first) return null;
  const { times } = linesOf(first);
  const series = metrics
    .flatMap(({ label }, position): Omit<Series, 'tone'>[] => {
      const matrix = values[position];
      if (!matrix) return [];
      const { times: ownTimes, lines } = linesOf(matrix);
      const all = lines.map(({ metric }) => metric);
      return lines.map((line) => ({
        label: lines.length > 1 ? `${label} ${nameWithin(line.metric, all)}` : label,
        values: valuesAt(times, ownTimes, line.values),
      }));
    })
    .map((line, position): Series => ({ ...line, tone: toneAt(position) }));
  const infos = metrics.map(({ metric }) => metric);
  const [info] = infos;
  const { format, binary } = formatOf(
    info && unitOf(info.type === 'counter' ? `rate(${info.name}[1m])` : info.name, infos),
  );
  return (
    <Card title={title} description={metrics.length === 1 ? info?.help : undefined}>
      {series.length === 0 ? (
        <p className="grid h-48 place-items-center text-ink-muted text-sm">No data in this period</p>
      ) : (
        <TimeSeries
          label={title}
          times={times}
          series={series}
          shown={first.shown}
          format={format}
          top={0}
          binary={binary}
          group="resource"
          onZoom={onZoom}
        />
      )}
    </Card>
  );
}
