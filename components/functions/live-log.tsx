'use client';

import { useMemo } from 'react';
import { LogViewer } from '@/components/kit/logs/log-viewer';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Card } from '@/components/kit/ui/card';
import { streamWords } from '@/lib/client/event-stream';
import { liveText } from './live-lines';
import { useLiveLines } from './use-live-lines';

/** The log of a function as it is written, for all of its invocations. */
export function LiveLog({ functionId }: { functionId: string }) {
  const { lines, state, gap, error } = useLiveLines(functionId);
  const text = useMemo(() => liveText(lines), [lines]);
  return (
    <Card
      title="Live log"
      aria-label="Live log"
      description="Lines of all invocations as they are written. Times are UTC."
      actions={
        <span role="status" className="text-ink-muted text-xs">
          {streamWords[state]}
        </span>
      }
    >
      {error !== undefined && lines.length === 0 ? (
        <ErrorNotice title="Live lines are not available" error={error} />
      ) : (
        <div className="space-y-2">
          {gap && <p className="text-caution-ink text-xs">Some lines were left out. The tab Logs has all of them.</p>}
          <div className="h-80">
            <LogViewer label="Live lines" text={text} live fill />
          </div>
        </div>
      )}
    </Card>
  );
}
