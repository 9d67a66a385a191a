'use client';

import { Tooltip } from '@/components/ui/tooltip';
import { formatDate, formatExact, formatRelative } from '@/lib/format/time';
import { useNow } from './clock';

interface TimeProps {
  at: string | null | undefined;
  /** `exact` writes it out, to the second; `date` the day alone. */
  form?: 'relative' | 'exact' | 'date';
  /** What stands there when there is no time: "never", "no expiry". */
  none?: string;
}

/** A moment: relative, kept up to date, with the exact one in the reader's zone and in UTC on hover. */
export function Time({ at, form = 'relative', none = '–' }: TimeProps) {
  const now = useNow();
  if (!at) return <span className="text-ink-subtle">{none}</span>;
  // The server knows neither the reader's zone nor their moment: it writes UTC, and the browser takes over.
  if (now === undefined) return <time dateTime={at}>{formatExact(at, 'UTC')}</time>;
  const text = form === 'exact' ? formatExact(at) : form === 'date' ? formatDate(at) : formatRelative(at, now);
  return (
    <Tooltip text={`${formatExact(at)}\n${formatExact(at, 'UTC')}`}>
      <time dateTime={at} className="whitespace-nowrap">
        {text}
      </time>
    </Tooltip>
  );
}
