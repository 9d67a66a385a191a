'use client';

import { SearchX } from 'lucide-react';
import { useCallback, useState } from 'react';
import type { Series } from '@/components/kit/charts/series';
import type { TimeWindow } from '@/components/kit/charts/time-range';
import { TimeSeries } from '@/components/kit/charts/time-series';
import { setAddress } from '@/components/kit/page/address';
import { EmptyState } from '@/components/kit/page/empty-state';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Loaded } from '@/components/kit/page/loaded';
import { Button } from '@/components/kit/ui/button';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { formatNumber } from '@/lib/format/number';
import { formatCount } from '@/lib/format/quantity';
import { findLinked } from './log-link';
import { type Level, type LogRecord, levelOf } from './log-records';
import { LogTable } from './log-table';
import { linesOf, type Matrix } from './matrix';
import { problemOf } from './problem';
import { type FieldFilter, readSelection, textOf } from './query-text';
import { SeriesPanel } from './series-panel';
import { isLogQuery, type LogQuestion, useLogHistogram, type useLogLines, type useLogValues } from './use-log-query';

const ContextSheet = lazyComponent(() => import('./context-sheet').then((module) => module.ContextSheet));

interface LogResultsProps {
  question: LogQuestion;
  lines: ReturnType<typeof useLogLines>;
  values: ReturnType<typeof useLogValues>;
  onZoom: (shown: TimeWindow) => void;
  onFilter: (filter: FieldFilter) => void;
  /** Runs an example; undefined where the query cannot be changed. */
  onExample: ((query: string) => void) | undefined;
}

/** The answer to a query: lines with their histogram, or the series of a metric query. */
export function LogResults({ question, lines, values, onZoom, onFilter, onExample }: LogResultsProps) {
  const isLog = isLogQuery(question.query);
  const { error } = isLog ? lines : values;
  if (problemOf(error) && onExample) return null;
  if (error) {
    const retry = () => void (isLog ? lines : values).refetch();
    return <ErrorNotice title="The query failed" error={error} onRetry={retry} />;
  }
  if (!isLog) {
    return (
      <Loaded query={values} what="The values" skeleton={<Skeleton className="h-80 w-full rounded-lg" />}>
        {(matrix) =>
          matrix.result.length === 0 ? (
            <NoLines onExample={onExample} />
          ) : (
            <SeriesPanel label="Values" matrix={matrix} format={formatNumber} onZoom={onZoom} />
          )
        }
      </Loaded>
    );
  }
  return (
    <Loaded query={lines} what="The logs" skeleton={<Skeleton className="h-112 w-full rounded-lg" />}>
      {(records) => (
        <>
          <Histogram question={question} onZoom={onZoom} />
          {records.length === 0 ? (
            <NoLines onExample={onExample} />
          ) : (
            <Lines question={question} lines={lines} records={records} onFilter={onFilter} resources={!!onExample} />
          )}
        </>
      )}
    </Loaded>
  );
}

const levels: readonly (Pick<Series, 'label' | 'tone'> & { level: Level })[] = [
  { level: 'unknown', label: 'Other', tone: 'series-4' },
  { level: 'debug', label: 'Debug', tone: 'line-strong' },
  { level: 'info', label: 'Info', tone: 'accent' },
  { level: 'warn', label: 'Warning', tone: 'caution' },
  { level: 'error', label: 'Error', tone: 'critical' },
];

function Histogram({
  question: { query, shown },
  onZoom,
}: {
  question: LogQuestion;
  onZoom: (shown: TimeWindow) => void;
}) {
  const histogram = useLogHistogram(query, shown);
  // The lines below say what is wrong.
  if (histogram.error) return null;
  if (!histogram.data) return <Skeleton className="h-28 w-full rounded-lg" />;
  const { times, series } = barsOf(histogram.data);
  return (
    <div className="rounded-lg border bg-surface px-3 pt-2 pb-1">
      <TimeSeries
        label="Lines"
        times={times}
        series={series}
        shown={histogram.data.shown}
        format={wholeNumber}
        top={4}
        bars={histogram.data.step_s * 1000}
        height={96}
        group="log histogram"
        onZoom={onZoom}
      />
    </div>
  );
}

/** Of counts, a scale has no fractions. */
const wholeNumber = (value: number) => formatNumber(Math.round(value));

/** The levels that occur, as bars that begin a step before the moment of their count. */
function barsOf(matrix: Matrix): { times: number[]; series: Series[] } {
  const { times, lines } = linesOf(matrix);
  const series = levels.flatMap(({ level, label, tone }): Series[] => {
    const same = lines.filter(({ metric }) => levelOf(metric.level) === level);
    if (same.length === 0) return [];
    const counts = times.map((_, position) => same.reduce((sum, { values }) => sum + (values[position] ?? 0), 0));
    return [{ label, tone, values: counts.slice(1) }];
  });
  return { times: times.slice(0, -1), series };
}

interface LinesProps {
  question: LogQuestion;
  lines: ReturnType<typeof useLogLines>;
  records: readonly LogRecord[];
  onFilter: (filter: FieldFilter) => void;
  resources: boolean;
}

function Lines({ question: { query, linked }, lines, records, onFilter, resources }: LinesProps) {
  const [context, setContext] = useState<LogRecord>();
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = lines;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  const selection = readSelection(query);
  const marked = linked && findLinked(records, linked);
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <p role="status" className="text-ink-muted text-xs">
          {formatCount(records.length, 'line')}
          {linked && ' around the linked line'}
          {isFetchingNextPage ? ', loading more' : hasNextPage ? ', more when you scroll to the end' : ''}
        </p>
        {linked && (
          <Button size="sm" variant="quiet" onClick={() => setAddress({ line: undefined })}>
            Show all lines
          </Button>
        )}
        {linked && !marked && !lines.isPlaceholderData && (
          <p role="status" className="text-caution-ink text-xs">
            The linked line was not found. It may have been deleted, or the query leaves it out.
          </p>
        )}
      </div>
      <LogTable
        label="Log lines"
        query={query}
        records={records}
        marked={marked?.key}
        words={selection && textOf(selection)}
        resources={resources}
        onEnd={more}
        onFilter={onFilter}
        onContext={setContext}
        className="h-[max(22rem,calc(100dvh-30rem))]"
      />
      {context && <ContextSheet record={context} close={() => setContext(undefined)} />}
    </>
  );
}

const examples = [
  { query: '{level="error"}', meaning: 'Errors of all services' },
  { query: '{service="audit"} | json | result="refused"', meaning: 'Refused requests of the project' },
  { query: '{service="compute"} |= "panic"', meaning: 'Consoles of instances that contain a word' },
  { query: 'sum by (service) (count_over_time({service=~".+"}[5m]))', meaning: 'Lines of each service over time' },
] as const;

function NoLines({ onExample }: { onExample: ((query: string) => void) | undefined }) {
  return (
    <div className="rounded-lg border border-dashed bg-surface">
      <EmptyState icon={SearchX} title="No lines found">
        {onExample
          ? 'Choose a longer time range or fewer filters, or start from an example.'
          : 'Choose a longer time range or fewer filters. New lines appear here within a second.'}
      </EmptyState>
      {onExample && (
        <ul aria-label="Examples" className="mx-auto max-w-2xl space-y-1 px-4 pb-10">
          {examples.map(({ query, meaning }) => (
            <li key={query}>
              <button
                type="button"
                onClick={() => onExample(query)}
                className="flex w-full flex-wrap justify-between gap-x-4 rounded-md px-3 py-1.5 text-left hover:bg-hover"
              >
                <span className="text-sm">{meaning}</span>
                <code className="wrap-anywhere font-mono text-ink-muted text-xs leading-5">{query}</code>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
