'use client';

import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import './time-series.css';
import { useWidth } from '@/components/kit/ui/use-width';
import { formatExact } from '@/lib/format/time';
import { axisWidth, ticksBetween } from './axes';
import { loneValues, type Series, stacked, totalOf, valueAt } from './series';
import { roundTimes, timeLabels } from './time-axis';
import type { TimeWindow } from './time-range';
import { onThemeChange, tokenColor } from './token-color';

export interface TimeSeriesProps {
  /** Name of the chart, for assistive technology. */
  label: string;
  /** In ms, ascending. */
  times: readonly number[];
  series: readonly Series[];
  /** The visible range of the lower axis. */
  shown: TimeWindow;
  /** Formats a value with its unit. */
  format: (value: number) => string;
  /** The minimum upper end of the value axis. */
  top: number;
  /** Ticks at powers of two, for bytes. */
  binary?: boolean;
  /** Charts of one group share their cursor. */
  group: string;
  onZoom: (shown: TimeWindow) => void;
  /** Draws stacked bars of this width, in ms; each starts at its time. */
  bars?: number;
  height?: number;
  /** For charts whose legend is elsewhere: the position of the cursor. */
  onCursor?: (position: number | undefined) => void;
}

const HEIGHT = 180;
/** Hides the cursor. */
const outside = { left: -10, top: -10 };
/** A shorter drag counts as a click. */
const SHORTEST_DRAG_PX = 6;
const AXIS_FONT = '11px "Inter Variable", sans-serif';

/** Values over time. Drag to zoom; with the keyboard, the arrow keys move the cursor. */
export default function TimeSeriesView(props: TimeSeriesProps) {
  const { label, times, series, format, bars, height = HEIGHT, onCursor } = props;
  const [box, width] = useWidth();
  const chart = useRef<UPlot>(undefined);
  const [cursor, setCursor] = useState<number>();
  useChart(box, chart, width, props, (position) => {
    setCursor(position);
    onCursor?.(position);
  });

  const at = cursor === undefined ? undefined : times[cursor];
  const whole = bars === undefined ? 'Latest' : 'Total';
  const readingOf = (line: Series) =>
    bars !== undefined && cursor === undefined ? totalOf(line) : valueAt(line, cursor);
  const reading = series
    .map((line) => {
      const value = readingOf(line);
      return `${line.label} ${value === null ? 'unknown' : format(value)}`;
    })
    .join(', ');
  return (
    <figure className="m-0">
      <figcaption className="mb-2 flex flex-wrap gap-x-4 gap-y-1 text-xs">
        {!onCursor &&
          series.map((line) => <Key key={line.label} line={line} value={readingOf(line)} format={format} />)}
        <span className="ml-auto text-ink-subtle tabular-nums">{at === undefined ? whole : formatExact(at)}</span>
      </figcaption>
      <div
        ref={box}
        role="slider"
        tabIndex={0}
        aria-label={`${label} over time`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, times.length - 1)}
        aria-valuenow={cursor ?? Math.max(0, times.length - 1)}
        aria-valuetext={`${at === undefined ? whole : formatExact(at)}: ${reading}`}
        onKeyDown={(event) => chart.current && moveCursor(event, chart.current, cursor ?? times.length)}
        onBlur={() => chart.current?.setCursor(outside)}
        style={{ height }}
        className="rounded-sm"
      />
    </figure>
  );
}

interface KeyProps {
  line: Series;
  value: number | null;
  format: (value: number) => string;
}

function Key({ line, value, format }: KeyProps) {
  return (
    <span className="inline-flex min-w-0 max-w-full items-center gap-1.5">
      <span
        className="h-0.5 w-3 shrink-0 rounded-full"
        style={{ background: `var(--${line.tone})` }}
        aria-hidden="true"
      />
      <span className="min-w-0 wrap-anywhere text-ink-muted">{line.label}</span>
      <span className="font-medium tabular-nums">{value === null ? '–' : format(value)}</span>
    </span>
  );
}

function moveCursor(event: KeyboardEvent, chart: UPlot, position: number): void {
  const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 };
  const step = steps[event.key];
  if (event.key === 'Escape') chart.setCursor(outside);
  if (step === undefined) return;
  event.preventDefault();
  const [first = 0, last = 0] = chart.series[0]?.idxs ?? [];
  const next = chart.data[0][Math.min(last, Math.max(first, position + step))];
  if (next !== undefined) chart.setCursor({ left: chart.valToPos(next, 'x'), top: 0 });
}

/** Keeps a chart in the box: recreated when its width or lines change, updated when values arrive. */
function useChart(
  box: ReturnType<typeof useWidth>[0],
  chart: { current: UPlot | undefined },
  width: number,
  props: TimeSeriesProps,
  onCursor: (position: number | undefined) => void,
): void {
  const latest = useRef({ props, onCursor });
  latest.current = { props, onCursor };
  const lines = props.series.map(({ label, tone }) => `${label} ${tone}`).join('\n');

  // biome-ignore lint/correctness/useExhaustiveDependencies: other lines need another chart
  useEffect(() => {
    if (!box.current || width === 0) return;
    const made = new UPlot(
      optionsOf(box.current, width, () => latest.current),
      dataOf(latest.current.props),
      box.current,
    );
    chart.current = made;
    const forget = onThemeChange(() => made.redraw());
    return () => {
      forget();
      made.destroy();
      chart.current = undefined;
    };
  }, [box, chart, width, lines]);

  const { times, series, shown, bars } = props;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the window decides the scales, which new data sets
  useEffect(
    () => chart.current?.setData(dataOf({ times, series, bars })),
    [chart, times, series, bars, shown.from, shown.to],
  );
}

/** Of stacked bars, the highest are drawn first, behind the others. */
function dataOf({ times, series, bars }: Pick<TimeSeriesProps, 'times' | 'series' | 'bars'>): UPlot.AlignedData {
  if (bars === undefined) return [[...times], ...series.map(({ values }) => [...values])];
  return [times.map((time) => time + bars / 2), ...stacked(series).reverse()];
}

type Latest = () => { props: TimeSeriesProps; onCursor: (position: number | undefined) => void };

function optionsOf(element: Element, width: number, latest: Latest): UPlot.Options {
  const { group, bars, height = HEIGHT } = latest().props;
  const series = bars === undefined ? latest().props.series : latest().props.series.toReversed();
  const color = (css: string) => () => tokenColor(element, css);
  const grid = { stroke: color('var(--line)'), width: 1 };
  const axis = { stroke: color('var(--ink-subtle)'), font: AXIS_FONT, ticks: { show: false } };
  const valuesOf = () => {
    const { props } = latest();
    const [lowest, highest] = extent(props);
    return ticksBetween(lowest, Math.max(props.top, highest), props.binary ?? false, props.format);
  };
  return {
    width,
    height,
    ms: 1,
    padding: [8, 18, 0, 0],
    legend: { show: false },
    scales: {
      x: { time: false, range: () => [latest().props.shown.from, latest().props.shown.to] },
      y: { range: () => [valuesOf()[0] ?? 0, valuesOf().at(-1) ?? 1] },
    },
    axes: [
      {
        ...axis,
        size: 24,
        gap: 6,
        grid: { show: false },
        border: { show: true, stroke: color('var(--line)'), width: 1 },
        splits: (_chart, _axis, from, to) => roundTimes(from, to, width < 420 ? 3 : 6),
        values: (_chart, times) => timeLabels(times),
      },
      {
        ...axis,
        gap: 8,
        grid,
        size: (_chart, labels) => Math.max(64, axisWidth(labels ?? [])),
        splits: valuesOf,
        values: (_chart, values) => values.map((value) => latest().props.format(value)),
      },
    ],
    series: [
      {},
      ...series.map(
        ({ label, tone }): UPlot.Series =>
          bars === undefined
            ? {
                label,
                stroke: color(`var(--${tone})`),
                fill: color(`color-mix(in oklab, var(--${tone}) ${series.length === 1 ? 14 : 6}%, transparent)`),
                width: 1.5,
                spanGaps: false,
                points: {
                  size: 4,
                  fill: color(`var(--${tone})`),
                  filter: (chart: UPlot, line: number) => loneValues(Array.from(chart.data[line] ?? [])),
                },
              }
            : {
                label,
                fill: color(`var(--${tone})`),
                width: 0,
                paths: UPlot.paths.bars?.({ size: [1], gap: 1 }),
                points: { show: false },
              },
      ),
    ],
    cursor: {
      y: false,
      drag: { x: true, y: false, setScale: false, dist: SHORTEST_DRAG_PX },
      points: { size: 6, show: bars === undefined },
      // A selection belongs to one chart; the cursor is shown in all.
      sync: { key: group, setSeries: false, filters: { pub: (type) => type === 'mousemove' || type === 'mouseleave' } },
    },
    hooks: {
      setCursor: [({ cursor: { idx } }) => latest().onCursor(idx ?? undefined)],
      setSelect: [
        (chart) => {
          const { left, width: dragged } = chart.select;
          if (dragged < SHORTEST_DRAG_PX) return;
          const [from, to] = [left, left + dragged].map((x) => Math.round(chart.posToVal(x, 'x')));
          chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          if (from !== undefined && to !== undefined && from < to) latest().props.onZoom({ from, to });
        },
      ],
    },
  };
}

/** The lowest and the highest visible value; 0 is between them. */
function extent({ times, series, shown, bars = 0 }: TimeSeriesProps): [lowest: number, highest: number] {
  const drawn = bars === 0 ? series.map(({ values }) => values) : stacked(series);
  const visible = (position: number) => {
    const at = times[position] ?? 0;
    return at + bars >= shown.from && at <= shown.to;
  };
  const values = drawn.flatMap((line) => line.filter((value, position) => value !== null && visible(position)));
  return values.reduce<[number, number]>(
    ([lowest, highest], value) => [Math.min(lowest, value ?? 0), Math.max(highest, value ?? 0)],
    [0, 0],
  );
}
