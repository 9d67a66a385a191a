'use client';

import type { Series, Tone } from '@/components/kit/charts/series';
import type { TimeRange } from '@/components/kit/charts/time-range';
import { TimeSeries } from '@/components/kit/charts/time-series';
import { Card } from '@/components/kit/ui/card';
import { formatOf } from './units';
import type { DashboardData } from './use-dashboard';

const MINUTE_MS = 60_000;
const GB = 1024 ** 3;

const charts = [
  { part: 'cpu', title: 'CPU', unit: 'cores', top: 1 },
  { part: 'ram', title: 'Memory', unit: 'bytes', top: GB },
  { part: 'network', title: 'Network', unit: 'bytes_per_second', top: 1024 },
  { part: 'disk', title: 'Disk', unit: 'bytes_per_second', top: 1024 },
] as const;

const directions: Readonly<Record<string, { label: string; tone: Tone }>> = {
  receive: { label: 'Received', tone: 'series-1' },
  transmit: { label: 'Sent', tone: 'series-2' },
  read: { label: 'Read', tone: 'series-1' },
  write: { label: 'Written', tone: 'series-2' },
};

interface UsageChartsProps {
  data: DashboardData;
  onZoom: TimeRange['zoomTo'];
}

/** CPU, memory, network and disk of all resources together, with one cursor. */
export function UsageCharts({ data, onZoom }: UsageChartsProps) {
  return (
    <div className="grid gap-4 *:min-w-0 lg:grid-cols-2 2xl:grid-cols-4">
      {charts.map(({ part, title, unit, top }) => {
        const { now, peak, series } = data[part];
        const { format, binary } = formatOf(unit);
        const times = series[0]?.points.map(([at]) => Date.parse(String(at))) ?? [];
        const [first = 0, second = first + MINUTE_MS] = times;
        const whole = { from: first - (second - first), to: times.at(-1) ?? 0 };
        const written = (value: number | null) => (value === null ? '–' : format(value));
        return (
          <Card key={part} title={title} description={`Now ${written(now)}, peak ${written(peak)}`}>
            {peak === null ? (
              <p className="grid h-44 place-items-center text-ink-muted text-sm">No data in this period</p>
            ) : (
              <TimeSeries
                label={title}
                times={times}
                series={series.map((one) => lineOf(one, title))}
                shown={whole}
                format={format}
                top={top}
                binary={binary}
                group="dashboard"
                onZoom={onZoom}
              />
            )}
          </Card>
        );
      })}
    </div>
  );
}

function lineOf({ labels, points }: DashboardData['cpu']['series'][number], title: string): Series {
  const { label, tone } = directions[labels.direction ?? ''] ?? { label: title, tone: 'series-1' };
  return { label, tone, values: points.map(([, value]) => (typeof value === 'number' ? value : null)) };
}
