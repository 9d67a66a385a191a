'use client';

import { ChartLine, RefreshCw } from 'lucide-react';
import { useSearchParams } from 'next/navigation';
import { useState } from 'react';
import { useTimeRange } from '@/components/kit/charts/time-range';
import { TimeRangePicker } from '@/components/kit/charts/time-range-picker';
import { CopyAs } from '@/components/kit/copy/copy-as';
import { setAddress } from '@/components/kit/page/address';
import { EmptyState } from '@/components/kit/page/empty-state';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Loaded } from '@/components/kit/page/loaded';
import { Button } from '@/components/kit/ui/button';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { queryPrometheusRange } from '@/lib/client/operations/observability';
import { MetricBuilder } from './metric-builder';
import { problemOf } from './problem';
import { aggregates, promqlOf } from './promql-builder';
import { QueryRow } from './query-row';
import { SeriesPanel } from './series-panel';
import { rangeNames, ranges, stepOf, windowOf } from './time-window';
import { formatOf, type MetricInfo, unitOf } from './units';
import { useMetricInfos, useMetricValues, usePromql } from './use-metrics';

const POINTS = 240;
/** Samples come every 15 s. */
const SHORTEST_STEP_S = 15;

/** Charts of metrics: chosen from lists, or by a query in PromQL. Everything that is set stands in the address. */
export default function MetricExplorerView() {
  const metrics = useMetricInfos();
  return (
    <Loaded query={metrics} what="The metrics" skeleton={<Skeleton className="h-112 w-full rounded-lg" />}>
      {(all) => <Explorer metrics={all} />}
    </Loaded>
  );
}

function Explorer({ metrics }: { metrics: readonly MetricInfo[] }) {
  const params = useSearchParams();
  const time = useTimeRange(rangeNames, '1h');
  const [readAt, setReadAt] = useState(() => Date.now());
  const completion = usePromql(metrics);
  const shown = windowOf(time.range, time.zoom, readAt);
  const step_s = Math.max(SHORTEST_STEP_S, stepOf(shown, POINTS));

  const written = params.get('query');
  const metric = metrics.find(({ name }) => name === params.get('metric')) ?? metrics[0];
  const choice = metric && {
    metric,
    resources: params.getAll('resource').flatMap((ids) => ids.split(',')),
    aggregate: aggregates.find((name) => name === params.get('aggregate')) ?? 'none',
  };
  const query = written ?? (choice ? promqlOf(choice, step_s) : '');
  const values = useMetricValues(query, shown, step_s);
  const { format, binary } = formatOf(unitOf(query, metrics));
  const refresh = () => setReadAt(Date.now());
  return (
    <div className="space-y-4">
      {written === null && choice && <MetricBuilder metrics={metrics} choice={choice} />}
      <QueryRow
        label="PromQL query"
        language="promql"
        completion={completion}
        query={query}
        error={values.error}
        pending={values.isFetching}
        onRun={(text) => {
          if (text !== query) setAddress({ query: text });
          refresh();
        }}
      />
      <div className="flex flex-wrap items-center gap-2">
        <TimeRangePicker
          ranges={ranges}
          time={{
            ...time,
            choose: (range) => {
              time.choose(range);
              refresh();
            },
          }}
        />
        <Button size="icon" variant="quiet" aria-label="Refresh" pending={values.isFetching} onClick={refresh}>
          <RefreshCw />
        </Button>
        <div className="ml-auto flex flex-wrap items-center gap-2">
          {written !== null && choice && (
            <Button variant="quiet" onClick={() => setAddress({ query: undefined })}>
              Use the builder
            </Button>
          )}
          <CopyAs call={() => ({ operation: queryPrometheusRange, query: values.asked })} />
        </div>
      </div>
      <Values values={values} onRetry={refresh}>
        {(matrix) => (
          <SeriesPanel
            key={query}
            label="Values"
            matrix={matrix}
            format={format}
            binary={binary}
            onZoom={time.zoomTo}
          />
        )}
      </Values>
    </div>
  );
}

interface ValuesProps {
  values: ReturnType<typeof useMetricValues>;
  onRetry: () => void;
  children: (matrix: NonNullable<ReturnType<typeof useMetricValues>['data']>) => React.ReactNode;
}

function Values({ values, onRetry, children }: ValuesProps) {
  // The query field says what is wrong with the query.
  if (problemOf(values.error)) return null;
  if (values.error) return <ErrorNotice title="The query failed" error={values.error} onRetry={onRetry} />;
  return (
    <Loaded query={values} what="The values" skeleton={<Skeleton className="h-96 w-full rounded-lg" />}>
      {(matrix) => (
        <>
          {matrix.warnings.map((warning) => (
            <p key={warning} role="status" className="rounded-md bg-caution-soft px-3 py-2 text-caution-ink text-sm">
              {warning}
            </p>
          ))}
          {matrix.result.length === 0 ? (
            <div className="rounded-lg border border-dashed bg-surface">
              <EmptyState icon={ChartLine} title="No data in this period">
                Resources report metrics while they run. Choose a longer time range, another metric, or fewer labels.
              </EmptyState>
            </div>
          ) : (
            children(matrix)
          )}
        </>
      )}
    </Loaded>
  );
}
