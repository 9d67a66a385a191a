'use client';

import { Bar, BarChart, CartesianGrid, Tooltip, XAxis, YAxis } from 'recharts';
import { formatUtcDay, leftAxis, lowerAxis, ticks, valueLines } from '@/components/kit/charts/axes';
import { TooltipBox } from '@/components/kit/charts/tooltip-box';
import { useWidth } from '@/components/kit/ui/use-width';

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

const words = (day: string) => formatUtcDay(Date.parse(day));

/** A bar a day. The page says the same in words or as a table. */
export function DailyChart({ days, format }: DailyChartProps) {
  const [box, width] = useWidth();
  const values = ticks(Math.max(0, ...days.map(({ value }) => value)) || 1, false, format);
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
          <CartesianGrid {...valueLines} />
          <XAxis
            {...lowerAxis}
            dataKey="day"
            tickFormatter={words}
            interval={Math.max(0, Math.ceil(days.length / (width < 480 ? 3 : 7)) - 1)}
            height={24}
          />
          <YAxis {...leftAxis(values, format)} />
          <Tooltip
            isAnimationActive={false}
            cursor={{ fill: 'var(--hover)' }}
            content={({ active, label }) => {
              const day = active ? days.find((candidate) => candidate.day === label) : undefined;
              return day ? (
                <TooltipBox title={`${words(day.day)} (UTC)`}>
                  <p className="mt-0.5 font-medium tabular-nums">{format(day.value)}</p>
                </TooltipBox>
              ) : null;
            }}
          />
          <Bar dataKey="value" fill="var(--accent)" radius={[3, 3, 0, 0]} maxBarSize={28} isAnimationActive={false} />
        </BarChart>
      )}
    </div>
  );
}
