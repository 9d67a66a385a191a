'use client';

import { ChartLine } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useSearchParams } from 'next/navigation';
import { useEffect, useState } from 'react';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Loaded } from '@/components/kit/page/loaded';
import { Card } from '@/components/kit/ui/card';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProject } from '@/lib/client/project';
import type { Instance } from './instance-actions';
import { charts, type Metrics, timeline } from './telemetry-series';

const TelemetryChart = dynamic(() => import('./telemetry-chart').then((module) => module.TelemetryChart), {
  ssr: false,
  loading: () => <Skeleton className="h-44 w-full" />,
});

const ranges = [
  { value: '1h', label: '1 hour' },
  { value: '6h', label: '6 hours' },
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
] as const;
type Range = (typeof ranges)[number]['value'];

/** Samples come every half minute; there is no hint for them, so that a chart in view is read as often. */
const FRESH_MS = 30_000;

/** What an instance used over time, every chart on the same time axis. */
export function Telemetry({ instance }: { instance: Instance }) {
  const { api } = useProject();
  const asked = useSearchParams().get('range');
  const range = ranges.find(({ value }) => value === asked)?.value ?? '1h';
  const query = api.useQuery(
    'get',
    '/api/v1/compute/instances/{id}/metrics',
    { params: { path: { id: instance.id }, query: { range } } },
    { refetchInterval: instance.status === 'active' ? FRESH_MS : false },
  );
  return (
    <div className="space-y-5">
      <RangePicker range={range} />
      <Loaded query={query} what="The telemetry" skeleton={<Outline />}>
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
            <Charts metrics={metrics} />
          )
        }
      </Loaded>
    </div>
  );
}

function Charts({ metrics }: { metrics: Metrics }) {
  // Where the axis ends is the moment of the reading, the same in every chart.
  const [readAt, setReadAt] = useState(() => Date.now());
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new answer is what moves the axis
  useEffect(() => setReadAt(Date.now()), [metrics]);
  const { from, to, rows } = timeline(metrics, readAt);
  return (
    <div className="grid gap-5 lg:grid-cols-2">
      {charts(metrics).map((chart) => (
        <Card key={chart.title} title={chart.title} description={chart.description}>
          <TelemetryChart chart={chart} rows={rows} from={from} to={to} />
        </Card>
      ))}
    </div>
  );
}

function RangePicker({ range }: { range: Range }) {
  const choose = (next: Range) => {
    const search = new URLSearchParams(window.location.search);
    search.set('range', next);
    window.history.replaceState(null, '', `${window.location.pathname}?${search}`);
  };
  return (
    <fieldset className="inline-flex rounded-md border bg-surface p-0.5">
      <legend className="sr-only">Time range</legend>
      {ranges.map(({ value, label }) => (
        <label
          key={value}
          className="cursor-pointer rounded-sm px-2.5 py-1 text-ink-muted text-xs transition-colors hover:text-ink has-checked:bg-accent-soft has-checked:font-medium has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-focus"
        >
          <input
            type="radio"
            name="range"
            value={value}
            checked={value === range}
            onChange={() => choose(value)}
            className="sr-only"
          />
          {label}
        </label>
      ))}
    </fieldset>
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
