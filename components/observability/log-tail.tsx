'use client';

import { ArrowDownToLine, Pause, Play } from 'lucide-react';
import { useState } from 'react';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Button } from '@/components/kit/ui/button';
import { streamWords } from '@/lib/client/event-stream';
import { formatCount } from '@/lib/format/quantity';
import type { LogRecord } from './log-records';
import { LogTable } from './log-table';
import { type FieldFilter, readSelection, textOf } from './query-text';
import { useTail } from './use-tail';

interface LogTailProps {
  query: string;
  onFilter: (filter: FieldFilter) => void;
  resources: boolean;
}

/** New lines as they are written. A pause keeps the view still while lines go on arriving. */
export function LogTail({ query, onFilter, resources }: LogTailProps) {
  const { records, state, gap, error } = useTail(query);
  const [follow, setFollow] = useState(true);
  const [paused, setPaused] = useState<readonly LogRecord[]>();
  const shown = paused ?? records;
  const waiting = paused ? records.length - records.indexOf(paused.at(-1) ?? noRecord) - 1 : 0;
  const selection = readSelection(query);
  if (error && records.length === 0) return <ErrorNotice title="Live lines are not available" error={error} />;
  return (
    <div className="space-y-2">
      <div className="flex flex-wrap items-center gap-2">
        <Button onClick={() => setPaused(paused ? undefined : records)}>
          {paused ? <Play /> : <Pause />} {paused ? 'Resume' : 'Pause'}
        </Button>
        <Button aria-pressed={follow} className="aria-pressed:bg-accent-soft" onClick={() => setFollow(!follow)}>
          <ArrowDownToLine /> Follow
        </Button>
        <p role="status" className="text-ink-muted text-xs">
          {paused ? `Paused, ${formatCount(waiting, 'new line')}` : streamWords[state]}
        </p>
        {gap && (
          <p className="text-caution-ink text-xs">Some lines were left out. Search for all of them without Live.</p>
        )}
      </div>
      <LogTable
        label="Live lines"
        query={query}
        records={shown}
        words={selection && textOf(selection)}
        resources={resources}
        follow={follow && !paused}
        onFollow={paused ? undefined : setFollow}
        onFilter={onFilter}
        className="h-[max(22rem,calc(100dvh-22rem))]"
      />
    </div>
  );
}

const noRecord: LogRecord = { key: '', time: '', at: 0, labels: {}, line: '' };
