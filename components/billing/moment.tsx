'use client';

import { Tooltip } from '@/components/kit/ui/tooltip';
import { formatExact, formatMoment } from '@/lib/format/time';

/** A moment inside a sentence: `23 Nov at 14:10` in the reader's zone. For what was read by the browser, not the server. */
export function Moment({ at }: { at: string | number }) {
  return (
    <Tooltip text={`${formatExact(at)}\n${formatExact(at, 'UTC')}`}>
      <time dateTime={new Date(at).toISOString()} className="whitespace-nowrap">
        {formatMoment(at).replace(', ', ' at ')}
      </time>
    </Tooltip>
  );
}
