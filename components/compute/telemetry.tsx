'use client';

import { ChartLine } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { shownWindow, useTimeRange } from '@/components/kit/charts/time-range';
import { TimeRangePicker } from '@/components/kit/charts/time-range-picker';
import { TimeSeries } from '@/components/kit/charts/time-series';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Loaded } from '@/components/kit/page/loaded';
import { Card } from '@/components/kit/ui/card';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProject } from '@/lib/client/project';
import type { Instance } from './instance-actions';
import { charts, type Metrics, timeline } from './telemetry-series';

const ranges = [
  { value: '1h', label: '1 hour' },
  { value: '6h', label: '6 hours' },
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
] as const;
const rangeNames = ranges.map(({ value }) => value);

type TimeRange = ReturnType<typeof useTimeRange<(typeof ranges)[number]['value']>>;

/** Samples come every half minute; there is no hint for them, so that a chart in view is read as often. */
const FRESH_MS = 30_000;

/** What an instance used over time, every chart on the same time axis. */
export function Telemetry({ instance }: { instance: Instance }) {
  const { api } = useProject();
  const time = useTimeRange(rangeNames, '1h');
  const query = api.useQuery(
    'get',
    '/api/v1/compute/instances/{id}/metrics',
    { params: { path: { id: instance.id }, query: { range: time.range } } },
    { refetchInterval: instance.status === 'active' ? FRESH_MS : false },
  );
  return (
    <div className="space-y-5">
      <TimeRangePicker
        ranges={ranges}
        range={time.range}
        onChoose={time.choose}
        onZoomOut={time.zoom && time.zoomOut}
      />
      <Loaded query={query} what="The metrics" skeleton={<Outline />}>
        {(metrics) =>
          metrics.points.length === 0 ? (
            <div className="rounded-lg border border-dashed bg-surface">
              <EmptyState icon={ChartLine} title="No data in this period">
                {instance.status === 'active'
                  ? 'Metrics are collected twice a minute. The first values appear within a minute of the start.'
                  : 'Metrics are collected while the instance runs. Start it, or choose a longer period.'}
              </EmptyState>
            </div>
          ) : (
            <Charts metrics={metrics} time={time} />
          )
        }
      </Loaded>
    </div>
  );
}

function Charts({ metrics, time }: { metrics: Metrics; time: TimeRange }) {
  // Where the axis ends is the moment of the reading, the same in every chart.
  const [readAt, setReadAt] = useState(() => Date.now());
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new answer is what moves the axis
  useEffect(() => setReadAt(Date.now()), [metrics]);
  const { from, to, times, all } = useMemo(() => {
    const { from, to, rows } = timeline(metrics, readAt);
    const all = charts(metrics).map((chart) => ({
      ...chart,
      series: chart.lines.map(({ key, label, tone }) => ({ label, tone, values: rows.map((row) => row[key]) })),
    }));
    return { from, to, times: rows.map(({ at }) => at), all };
  }, [metrics, readAt]);
  const shown = shownWindow({ from, to }, time.zoom);
  return (
    <div className="grid gap-5 lg:grid-cols-2">
      {all.map(({ title, description, series, format, top, binary }) => (
        <Card key={title} title={title} description={description}>
          <TimeSeries
            label={title}
            times={times}
            series={series}
            shown={shown}
            format={format}
            top={top}
            binary={binary}
            group="telemetry"
            onZoom={time.zoomTo}
          />
        </Card>
      ))}
    </div>
  );
}

function Outline() {
  return (
    <div className="grid gap-5 lg:grid-cols-2">
      {['one', 'two', 'three', 'four'].map((chart) => (
        <Skeleton key={chart} className="h-64 w-full rounded-lg" />
      ))}
    </div>
  );
}
