'use client';

import { Bar, BarChart, CartesianGrid, Tooltip, XAxis, YAxis } from 'recharts';
import { ticks } from '@/components/compute/telemetry-series';
import { useWidth } from '@/components/compute/use-width';
import { axisWidth } from './axis';

const HEIGHT = 200;

export interface DailyValue {
  /** A day of UTC. */
  day: string;
  value: number;
}

interface DailyChartProps {
  days: readonly DailyValue[];
  /** Writes a value with its unit. */
  format: (value: number) => string;
}

const dayOf = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const words = (day: string) => dayOf.format(Date.parse(day));

/** A bar a day. The page says the same in words or as a table. */
export function DailyChart({ days, format }: DailyChartProps) {
  const [box, width] = useWidth();
  const values = ticks(Math.max(0, ...days.map(({ value }) => value)) || 1, false);
  return (
    <div ref={box} style={{ height: HEIGHT }} aria-hidden="true">
      {width > 0 && (
        <BarChart
          width={width}
          height={HEIGHT}
          data={[...days]}
          margin={{ top: 8, right: 4, bottom: 0, left: 0 }}
          barCategoryGap="22%"
          accessibilityLayer={false}
        >
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis
            dataKey="day"
            tickFormatter={words}
            interval={Math.max(0, Math.ceil(days.length / (width < 480 ? 3 : 7)) - 1)}
            tick={{ fill: 'var(--ink-subtle)', fontSize: 11 }}
            tickLine={false}
            height={24}
            axisLine={{ stroke: 'var(--line)' }}
          />
          <YAxis
            width={axisWidth(values.map(format))}
            domain={[0, values.at(-1) ?? 1]}
            ticks={values}
            tickFormatter={format}
            tick={{ fill: 'var(--ink-subtle)', fontSize: 11 }}
            tickLine={false}
            axisLine={false}
          />
          <Tooltip
            isAnimationActive={false}
            cursor={{ fill: 'var(--hover)' }}
            content={({ active, label }) => {
              const day = active ? days.find((candidate) => candidate.day === label) : undefined;
              return day ? (
                <div className="rounded-md border bg-raised px-2.5 py-1.5 text-xs shadow-raised">
                  <p className="text-ink-muted">{words(day.day)} (UTC)</p>
                  <p className="mt-0.5 font-medium tabular-nums">{format(day.value)}</p>
                </div>
              ) : null;
            }}
          />
          <Bar dataKey="value" fill="var(--accent)" radius={[3, 3, 0, 0]} maxBarSize={28} isAnimationActive={false} />
        </BarChart>
      )}
    </div>
  );
}
