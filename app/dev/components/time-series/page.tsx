'use client';

import { useMemo } from 'react';
import { shownWindow, useTimeRange } from '@/components/kit/charts/time-range';
import { TimeRangePicker } from '@/components/kit/charts/time-range-picker';
import { TimeSeries } from '@/components/kit/charts/time-series';
import { Card } from '@/components/kit/ui/card';
import { formatBytes } from '@/lib/format/size';
import { PiecePage } from '../piece-page';

const HOUR_MS = 3_600_000;
/** Fixed, so that screenshots are the same every day. */
const END = Date.UTC(2026, 10, 21, 12);
const GB = 1024 ** 3;
const ranges = [
  { value: '1h', label: '1 hour', ms: HOUR_MS },
  { value: '24h', label: '24 hours', ms: 24 * HOUR_MS },
  { value: '7d', label: '7 days', ms: 168 * HOUR_MS },
] as const;
const names = ranges.map(({ value }) => value);

const wave = (position: number, phase: number) =>
  (Math.sin(position / 17 + phase) + Math.sin(position / 5 + phase * 2) / 3 + 1.4) / 2.8;

/** 240 values with a gap, and a single value inside it. */
const values = (phase: number, highest: number) =>
  Array.from({ length: 240 }, (_, position) =>
    position > 100 && position < 126 && position !== 113 ? null : wave(position, phase) * highest,
  );

export default function TimeSeriesPage() {
  const time = useTimeRange(names, '1h');
  const length = ranges.find(({ value }) => value === time.range)?.ms ?? HOUR_MS;
  const whole = { from: END - length, to: END };
  const times = useMemo(
    () => Array.from({ length: 240 }, (_, position) => END - length + (position * length) / 239),
    [length],
  );
  const common = { times, shown: shownWindow(whole, time.zoom), group: 'gallery', onZoom: time.zoomTo };
  return (
    <PiecePage name="time-series">
      <TimeRangePicker ranges={ranges} time={time} />
      <div className="grid gap-5 lg:grid-cols-2">
        <Card title="CPU" description="Average of all vCPUs.">
          <TimeSeries
            {...common}
            label="CPU"
            series={[{ label: 'CPU', tone: 'accent', values: values(0, 90) }]}
            format={(value) => `${value.toFixed(1)}%`}
            top={100}
          />
        </Card>
        <Card title="Memory" description="3 GB of 8 GB.">
          <TimeSeries
            {...common}
            label="Memory"
            series={[{ label: 'Memory', tone: 'accent', values: values(1, 3 * GB) }]}
            format={formatBytes}
            top={8 * GB}
            binary
          />
        </Card>
        <Card title="Network">
          <TimeSeries
            {...common}
            label="Network"
            series={[
              { label: 'Received', tone: 'accent', values: values(2, 700_000) },
              { label: 'Sent', tone: 'positive', values: values(4, 400_000) },
              { label: 'Egress', tone: 'caution', values: values(5, 90_000) },
            ]}
            format={(value) => `${formatBytes(value)}/s`}
            top={1024}
            binary
          />
        </Card>
        <Card title="Idle">
          <TimeSeries
            {...common}
            label="Errors"
            series={[{ label: 'Errors', tone: 'critical', values: values(0, 0) }]}
            format={(value) => value.toFixed(0)}
            top={1}
          />
        </Card>
      </div>
    </PiecePage>
  );
}
