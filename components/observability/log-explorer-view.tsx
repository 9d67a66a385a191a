'use client';

import { ExternalLink, Radio, RefreshCw } from 'lucide-react';
import { useSearchParams } from 'next/navigation';
import { useState } from 'react';
import { useTimeRange } from '@/components/kit/charts/time-range';
import { TimeRangePicker } from '@/components/kit/charts/time-range-picker';
import { CopyAs } from '@/components/kit/copy/copy-as';
import { setAddress } from '@/components/kit/page/address';
import { Button, ButtonLink } from '@/components/kit/ui/button';
import { queryLogs } from '@/lib/client/operations/observability';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { DownloadMenu } from './download-menu';
import { LogBuilder } from './log-builder';
import { linkedLine } from './log-link';
import { LogResults } from './log-results';
import { LogTail } from './log-tail';
import { QueryRow } from './query-row';
import { type FieldFilter, readSelection, withFilter, withLabels, writeMatchers, writeSelection } from './query-text';
import { type Range, rangeNames, ranges, windowOf } from './time-window';
import { isLogQuery, type LogQuestion, useLogLines, useLogValues } from './use-log-query';
import { useLogql } from './use-logql';

export interface LogExplorerProps {
  /** Labels that every query has, for the logs of one resource. */
  fixed?: Readonly<Record<string, string>>;
}

const EVERYTHING = '{service=~".+"}';

/** Logs by query, builder and time, as lines, as a histogram and live. Everything that is set stands in the address. */
export default function LogExplorerView({ fixed }: LogExplorerProps) {
  const { project } = useProject();
  const params = useSearchParams();
  const completion = useLogql();
  const time = useTimeRange(rangeNames, '1h');
  const given = params.get('query') ?? (fixed ? writeMatchers([]) : EVERYTHING);
  const live = params.get('live') === 'on';
  const [readAt, setReadAt] = useState(() => Date.now());
  const ask = (query: string) => {
    setAddress({ query, line: undefined });
    setReadAt(Date.now());
  };
  const query = fixed ? withFixed(given, fixed) : given;
  const shown = windowOf(time.range, time.zoom, readAt);
  const question: LogQuestion = {
    query,
    shown,
    linked: linkedLine(params.get('line'), shown),
    direction: params.get('order') === 'oldest' ? 'forward' : 'backward',
  };
  const lines = useLogLines(question);
  const values = useLogValues(query, question.shown);
  const answer = isLogQuery(query) ? lines : values;
  const onFilter = (filter: FieldFilter) => {
    const selection = readSelection(given);
    if (selection) ask(writeSelection(withFilter(selection, filter)));
  };
  const choose = (range: Range) => {
    time.choose(range);
    setReadAt(Date.now());
  };
  const { direction } = question;
  return (
    <div className="space-y-4">
      <LogBuilder query={given} onChange={ask} only={fixed && ['level']} />
      {!fixed && (
        <QueryRow
          label="LogQL query"
          language="logql"
          completion={completion}
          query={given}
          error={answer.error}
          pending={answer.isFetching}
          onRun={ask}
        />
      )}
      <div className="flex flex-wrap items-center gap-2">
        <TimeRangePicker ranges={ranges} time={{ ...time, choose }} />
        <Button
          aria-pressed={direction === 'forward'}
          className="aria-pressed:bg-accent-soft"
          onClick={() => setAddress({ order: direction === 'forward' ? undefined : 'oldest' })}
        >
          Oldest first
        </Button>
        <Button
          aria-pressed={live}
          className="aria-pressed:bg-accent-soft"
          disabled={!isLogQuery(query)}
          onClick={() => setAddress({ live: live ? undefined : 'on' })}
        >
          <Radio /> Live
        </Button>
        <Button
          size="icon"
          variant="quiet"
          aria-label="Refresh"
          pending={answer.isFetching}
          onClick={() => setReadAt(Date.now())}
        >
          <RefreshCw />
        </Button>
        <div className="ml-auto flex flex-wrap items-center gap-2">
          {fixed && (
            <ButtonLink variant="quiet" href={paths.logs(project.slug, { query })}>
              <ExternalLink /> Open in Logs
            </ButtonLink>
          )}
          <CopyAs
            call={() => ({
              operation: queryLogs,
              query: {
                query,
                start: new Date(shown.from).toISOString(),
                end: new Date(shown.to).toISOString(),
                direction,
              },
            })}
          />
          <DownloadMenu question={question} disabled={!isLogQuery(query)} />
        </div>
      </div>
      {live && isLogQuery(query) ? (
        <LogTail query={query} onFilter={onFilter} resources={!fixed} />
      ) : (
        <LogResults
          question={question}
          lines={lines}
          values={values}
          onZoom={time.zoomTo}
          onFilter={onFilter}
          onExample={fixed ? undefined : ask}
        />
      )}
    </div>
  );
}

/** A query with the labels of the page in its selector. */
function withFixed(query: string, fixed: Readonly<Record<string, string>>): string {
  const selection = readSelection(query);
  return selection ? writeSelection(withLabels(selection, fixed)) : query;
}
