'use client';

import { clsx } from 'clsx';
import { useMemo, useState } from 'react';
import { toneAt } from '@/components/kit/charts/series';
import type { TimeWindow } from '@/components/kit/charts/time-range';
import { TimeSeries } from '@/components/kit/charts/time-series';
import { formatExact } from '@/lib/format/time';
import { type Line, linesOf, type Matrix, summaryOf } from './matrix';

/** A chart of more lines than this is unreadable. */
const MOST_LINES = 40;

interface SeriesPanelProps {
  /** Name of the chart. */
  label: string;
  matrix: Matrix;
  format: (value: number) => string;
  binary?: boolean;
  onZoom: (shown: TimeWindow) => void;
}

/** Series as a chart, and in a table with their last, lowest, highest and mean values; each can be hidden. */
export function SeriesPanel({ label, matrix, format, binary = false, onZoom }: SeriesPanelProps) {
  const { times, lines } = useMemo(() => linesOf(matrix), [matrix]);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [cursor, setCursor] = useState<number>();
  const drawn = useMemo(
    () =>
      lines
        .slice(0, MOST_LINES)
        .map(({ label: name, values }, position) => ({ label: name, tone: toneAt(position), values }))
        .filter(({ label: name }) => !hidden.has(name)),
    [lines, hidden],
  );
  const toggle = (name: string) => {
    const next = new Set(hidden);
    if (!next.delete(name)) next.add(name);
    setHidden(next);
  };
  return (
    <div className="space-y-4">
      <div className="rounded-lg border bg-surface p-4">
        <TimeSeries
          label={label}
          times={times}
          series={drawn}
          shown={matrix.shown}
          format={format}
          top={0}
          binary={binary}
          group="explorer"
          height={280}
          onZoom={onZoom}
          onCursor={setCursor}
        />
        {lines.length > MOST_LINES && (
          <p className="mt-2 text-ink-muted text-xs">
            The first {MOST_LINES} of {lines.length} series are drawn. Aggregate them, or select fewer resources.
          </p>
        )}
      </div>
      <SeriesTable lines={lines} times={times} cursor={cursor} format={format} hidden={hidden} onToggle={toggle} />
    </div>
  );
}

/** The figures of a series. A phone has room for two beside the name. */
const figures = [
  { name: 'Last', of: 'last', className: '' },
  { name: 'Min', of: 'min', className: 'max-sm:hidden' },
  { name: 'Max', of: 'max', className: 'max-sm:hidden' },
  { name: 'Avg', of: 'avg', className: '' },
] as const;

interface SeriesTableProps {
  lines: readonly Line[];
  times: readonly number[];
  cursor: number | undefined;
  format: (value: number) => string;
  hidden: ReadonlySet<string>;
  onToggle: (label: string) => void;
}

function SeriesTable({ lines, times, cursor, format, hidden, onToggle }: SeriesTableProps) {
  const summaries = useMemo(() => lines.map((line) => summaryOf(line)), [lines]);
  const written = (value: number | null | undefined) => (value === null || value === undefined ? '–' : format(value));
  const at = cursor === undefined ? undefined : times[cursor];
  return (
    <section
      aria-label="Series"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
      tabIndex={0}
      className="max-h-96 overflow-auto rounded-lg border bg-surface"
    >
      <table className="w-full text-sm">
        <caption className="sr-only">Series{at === undefined ? '' : ` at ${formatExact(at)}`}</caption>
        <thead className="sticky top-0 bg-sunken text-left text-ink-muted text-xs">
          <tr>
            <th scope="col" className="px-3 py-2 font-medium">
              Series
            </th>
            {figures.map(({ name, of, className }) => (
              <th key={of} scope="col" className={clsx('px-3 py-2 text-right font-medium', className)}>
                {of === 'last' && at !== undefined ? 'At cursor' : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y">
          {lines.map((line, position) => {
            const summary = summaries[position];
            const shown = !hidden.has(line.label);
            return (
              <tr key={line.label} className={clsx(!shown && 'text-ink-subtle')}>
                <th scope="row" className="w-full max-w-0 px-3 py-1 text-left font-normal sm:w-1/2">
                  <button
                    type="button"
                    aria-pressed={shown}
                    title={shown ? 'Hide this series' : 'Show this series'}
                    onClick={() => onToggle(line.label)}
                    className="flex max-w-full items-center gap-2 rounded-sm hover:text-accent"
                  >
                    <span
                      className={clsx('h-2.5 w-2.5 shrink-0 rounded-xs', !shown && 'opacity-30')}
                      style={{ background: `var(--${toneAt(position)})` }}
                      aria-hidden="true"
                    />
                    <span className="truncate">{line.label}</span>
                  </button>
                </th>
                {figures.map(({ of, className }) => (
                  <td key={of} className={clsx('whitespace-nowrap px-3 py-1 text-right tabular-nums', className)}>
                    {written(of === 'last' && cursor !== undefined ? line.values[cursor] : summary?.[of])}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
