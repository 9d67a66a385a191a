'use client';

import { Area, AreaChart, CartesianGrid, Tooltip, XAxis, YAxis } from 'recharts';
import { leftAxis, lowerAxis, ticks, valueLines } from '@/components/kit/charts/axes';
import { TooltipBox } from '@/components/kit/charts/tooltip-box';
import { useWidth } from '@/components/kit/charts/use-width';
import { formatExact } from '@/lib/format/time';
import { type Chart, type ChartRow, roundTimes, type Series } from './telemetry-series';

interface TelemetryChartProps {
  chart: Chart;
  rows: ChartRow[];
  from: number;
  to: number;
}

const HEIGHT = 176;
/** The same in every chart, so that their time axes stand under each other. */
const AXIS_WIDTH = 76;
const DAY_MS = 86_400_000;

/** One chart of an instance. What it shows is told in words as well, for those who can't see it. */
export function TelemetryChart({ chart, rows, from, to }: TelemetryChartProps) {
  const { series, format, binary } = chart;
  const [box, width] = useWidth();
  const highest = Math.max(0, ...rows.flatMap((row) => series.map(({ key }) => row[key] ?? 0)));
  const most = Math.max(chart.top, highest);
  const values = ticks(most, binary);
  const times = roundTimes(from, to, width < 420 ? 3 : 6);
  return (
    <figure className="m-0">
      <figcaption className="mb-2 flex flex-wrap gap-x-4 gap-y-1 text-xs">
        {series.map((line) => (
          <span key={line.key} className="inline-flex items-center gap-1.5">
            <span className="h-0.5 w-3 rounded-full" style={{ background: colorOf(line) }} aria-hidden="true" />
            <span className="text-ink-muted">{line.label}</span>
            <span className="font-medium tabular-nums">{latest(rows, line, format)}</span>
          </span>
        ))}
      </figcaption>
      <div ref={box} style={{ height: HEIGHT }} aria-hidden="true">
        {width > 0 && (
          <AreaChart
            width={width}
            height={HEIGHT}
            data={rows}
            margin={{ top: 6, right: 8, bottom: 0, left: 0 }}
            accessibilityLayer={false}
          >
            <CartesianGrid {...valueLines} />
            <XAxis
              {...lowerAxis}
              dataKey="at"
              type="number"
              domain={[from, to]}
              ticks={times}
              tickFormatter={(at: number) => clock(at, to - from)}
              height={22}
            />
            <YAxis {...leftAxis(values, format)} width={AXIS_WIDTH} />
            <Tooltip
              isAnimationActive={false}
              cursor={{ stroke: 'var(--line-strong)' }}
              content={({ active, label }) =>
                active ? <Reading at={Number(label)} rows={rows} chart={chart} /> : null
              }
            />
            {series.map((line) => (
              <Area
                key={line.key}
                dataKey={line.key}
                type="linear"
                stroke={colorOf(line)}
                strokeWidth={1.5}
                fill={colorOf(line)}
                fillOpacity={series.length === 1 ? 0.12 : 0.06}
                connectNulls={false}
                dot={rows.length < 3 ? { r: 2, fill: colorOf(line), strokeWidth: 0 } : false}
                activeDot={{ r: 3, strokeWidth: 0 }}
                isAnimationActive={false}
              />
            ))}
          </AreaChart>
        )}
      </div>
    </figure>
  );
}

/** What every line says at one moment. */
function Reading({ at, rows, chart }: { at: number; rows: ChartRow[]; chart: Chart }) {
  const row = rows.find((candidate) => candidate.at === at);
  if (!row) return null;
  return (
    <TooltipBox title={formatExact(at)}>
      {chart.series.map((line) => {
        const value = row[line.key];
        return (
          <p key={line.key} className="mt-0.5 flex items-center gap-1.5">
            <span className="h-0.5 w-3 rounded-full" style={{ background: colorOf(line) }} />
            <span className="text-ink-muted">{line.label}</span>
            <span className="ml-auto pl-4 font-medium tabular-nums">{value === null ? '–' : chart.format(value)}</span>
          </p>
        );
      })}
    </TooltipBox>
  );
}

const colorOf = ({ tone }: Series) => `var(--${tone})`;

function latest(rows: ChartRow[], { key }: Series, format: Chart['format']): string {
  const value = rows.at(-1)?.[key];
  return value === null || value === undefined ? '–' : format(value);
}

function clock(at: number, range: number): string {
  const options: Intl.DateTimeFormatOptions =
    range > DAY_MS ? { day: 'numeric', month: 'short' } : { hour: '2-digit', minute: '2-digit' };
  return new Intl.DateTimeFormat('en-GB', options).format(at);
}
