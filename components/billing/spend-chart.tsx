'use client';

import { clsx } from 'clsx';
import { Area, AreaChart, CartesianGrid, ReferenceDot, ReferenceLine, Tooltip, XAxis, YAxis } from 'recharts';
import { formatUtcDay, leftAxis, lowerAxis, ticks, valueLines } from '@/components/kit/charts/axes';
import { TooltipBox } from '@/components/kit/charts/tooltip-box';
import { useWidth } from '@/components/kit/ui/use-width';
import { formatMoney } from '@/lib/format/money';
import { formatMoment } from '@/lib/format/time';
import type { Pace } from './pace';
import { crossedAt, dayTicks, limitLines, type Overview, type SpendPoint, spendPoints } from './spend-series';

const HEIGHT = 260;

/** Spend of the month until now, its forecast, and where it crosses the budget. The page says the same in words. */
export function SpendChart({ overview, pace }: { overview: Overview; pace: Pace }) {
  const [box, width] = useWidth();
  const { forecast_usd, budget } = overview;
  const { monthly_limit_usd: limit, status } = budget;
  const points = spendPoints(overview, pace);
  // Of nothing the axis is one dollar high.
  const drawn = Math.max(forecast_usd, pace.spent_usd) || 1;
  const lines = limitLines(limit, status.lift_usd, drawn);
  const amounts = ticks(Math.max(drawn, ...lines.map(({ amount }) => amount)) * 1.04, false, formatMoney);
  const crossing = lines.length > 0 && limit !== null ? crossedAt(points, limit) : undefined;
  return (
    <div aria-hidden="true">
      <div ref={box} style={{ height: HEIGHT }}>
        {width > 0 && (
          <AreaChart
            width={width}
            height={HEIGHT}
            data={points}
            margin={{ top: 16, right: 12, bottom: 0, left: 0 }}
            accessibilityLayer={false}
          >
            <CartesianGrid {...valueLines} />
            <XAxis
              {...lowerAxis}
              dataKey="at"
              type="number"
              domain={[pace.month_start, pace.month_end]}
              ticks={dayTicks(pace, width < 480 ? 3 : 7)}
              tickFormatter={formatUtcDay}
              height={24}
            />
            <YAxis {...leftAxis(amounts, formatMoney)} />
            <Tooltip
              isAnimationActive={false}
              cursor={{ stroke: 'var(--line-strong)' }}
              content={({ active, label }) => {
                const point = active ? points.find(({ at }) => at === Number(label)) : undefined;
                return point ? <Reading point={point} /> : null;
              }}
            />
            <Area
              dataKey="spent"
              type="linear"
              stroke="var(--accent)"
              strokeWidth={2}
              fill="var(--accent)"
              fillOpacity={0.14}
              dot={false}
              activeDot={{ r: 3.5, strokeWidth: 0 }}
              isAnimationActive={false}
            />
            <Area
              dataKey="forecast"
              type="linear"
              stroke="var(--accent)"
              strokeWidth={2}
              strokeDasharray="3 4"
              fill="var(--accent)"
              fillOpacity={0.05}
              dot={false}
              activeDot={{ r: 3.5, strokeWidth: 0 }}
              isAnimationActive={false}
            />
            {lines.map(({ amount, label }) => (
              <ReferenceLine
                key={label}
                y={amount}
                stroke="var(--critical)"
                strokeDasharray="6 4"
                label={{
                  value: `${label} ${formatMoney(amount)}`,
                  position: 'insideTopLeft',
                  fill: 'var(--critical-ink)',
                  fontSize: 11,
                  offset: 6,
                }}
              />
            ))}
            <ReferenceDot
              x={pace.at}
              y={pace.spent_usd}
              r={4}
              fill="var(--accent)"
              stroke="var(--surface)"
              strokeWidth={2}
            />
            {crossing !== undefined && (
              <ReferenceDot
                x={crossing}
                y={limit ?? 0}
                r={5}
                fill="var(--surface)"
                stroke="var(--critical)"
                strokeWidth={2}
              />
            )}
          </AreaChart>
        )}
      </div>
      <ul className="mt-3 flex flex-wrap gap-x-5 gap-y-1 text-ink-muted text-xs">
        <Key label="Spent" mark="w-4 border-t-2 border-accent" />
        <Key label="Forecast at today’s pace" mark="w-4 border-t-2 border-dashed border-accent" />
        {lines.length > 0 && <Key label="Budget" mark="w-4 border-t border-dashed border-critical" />}
        {crossing !== undefined && <Key label="Budget reached" mark="size-2.5 rounded-full border-2 border-critical" />}
      </ul>
    </div>
  );
}

function Key({ label, mark }: { label: string; mark: string }) {
  return (
    <li className="flex items-center gap-2">
      <span className={clsx('inline-block', mark)} />
      {label}
    </li>
  );
}

function Reading({ point: { at, spent, forecast } }: { point: SpendPoint }) {
  return (
    <TooltipBox title={formatMoment(at)}>
      <p className="mt-0.5 font-medium tabular-nums">
        {formatMoney(spent ?? forecast ?? 0)} {spent === undefined ? 'forecast' : 'spent'}
      </p>
    </TooltipBox>
  );
}
