'use client';

import { Tooltip } from '@/components/kit/ui/tooltip';
import { formatDate, formatExact, formatMoment, formatRelative } from '@/lib/format/time';
import { useNow } from './clock';

interface TimeProps {
  at: string | null | undefined;
  /** `exact` writes it out, to the second; `moment` day and minute, without the year; `date` the day alone. */
  form?: keyof typeof forms | 'relative';
  /** What stands there when there is no time: "never", "no expiry". */
  none?: string;
}

const forms = { exact: formatExact, moment: formatMoment, date: formatDate } as const;

/** A moment: relative, kept up to date, with the exact one in the reader's zone and in UTC on hover. */
export function Time({ at, form = 'relative', none = '–' }: TimeProps) {
  const now = useNow();
  if (!at) return <span className="text-ink-subtle">{none}</span>;
  // The server knows neither the reader's zone nor their moment: it writes UTC, and the browser takes over.
  if (now === undefined) return <time dateTime={at}>{formatExact(at, 'UTC')}</time>;
  const text = form === 'relative' ? formatRelative(at, now) : forms[form](at);
  return (
    <Tooltip text={`${formatExact(at)}\n${formatExact(at, 'UTC')}`}>
      <time dateTime={at} className="whitespace-nowrap">
        {text}
      </time>
    </Tooltip>
  );
}
