'use client';

import { useMemo } from 'react';
import { Loaded } from '@/components/kit/page/loaded';
import { Dialog } from '@/components/kit/ui/dialog';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { type LogRecord, sourceOf } from './log-records';
import { LogTable } from './log-table';
import { writeMatchers } from './query-text';
import { useContextLines } from './use-log-query';

interface ContextSheetProps {
  record: LogRecord;
  close: () => void;
}

/** The lines before and after a line, from the same source and at all levels. */
export function ContextSheet({ record, close }: ContextSheetProps) {
  const source = useMemo(
    () => writeMatchers(sourceOf(record.labels).map(({ label, value }) => ({ label, op: '=', value }))),
    [record],
  );
  const around = useContextLines(record, source);
  return (
    <Dialog
      open
      onOpenChange={(open) => open || close()}
      form="sheet"
      size="lg"
      title="Context"
      description={<code className="wrap-anywhere font-mono text-xs">{source}</code>}
    >
      <Loaded query={around} what="The lines around this one" skeleton={<Skeleton className="h-112 w-full" />}>
        {(records) => (
          <LogTable
            label="Lines before and after"
            query={source}
            records={records}
            marked={records.find(({ time, line }) => time === record.time && line === record.line)?.key}
            className="h-[calc(100dvh-9rem)]"
          />
        )}
      </Loaded>
    </Dialog>
  );
}
