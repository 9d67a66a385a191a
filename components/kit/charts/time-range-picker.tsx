'use client';

import { CalendarRange, RotateCcw } from 'lucide-react';
import { useId } from 'react';
import { Button } from '@/components/kit/ui/button';
import { deferred } from '@/components/kit/ui/deferred';
import { formatWindow } from '@/lib/format/time';
import type { TimeRange } from './time-range';
import type { TimeWindowPopupProps } from './time-window-popup';

const TimeWindowPopup = deferred<TimeWindowPopupProps>('dialog', () =>
  import('./time-window-popup').then((module) => module.TimeWindowPopup),
);

interface TimeRangePickerProps<Range extends string> {
  ranges: readonly { value: Range; label: string }[];
  time: TimeRange<Range>;
}

/** Selects the time of everything on a page: a range until now, or a window with a start and an end. */
export function TimeRangePicker<Range extends string>({ ranges, time }: TimeRangePickerProps<Range>) {
  const { range, zoom } = time;
  const name = useId();
  return (
    <div className="flex flex-wrap items-center gap-2">
      <fieldset className="inline-flex rounded-md border bg-surface p-0.5">
        <legend className="sr-only">Time range</legend>
        {ranges.map(({ value, label }) => (
          <label
            key={value}
            className="cursor-pointer rounded-sm px-2.5 py-1 text-ink-muted text-xs transition-colors hover:text-ink has-checked:bg-accent-soft has-checked:font-medium has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-focus"
          >
            <input
              type="radio"
              name={name}
              value={value}
              checked={value === range && !zoom}
              onChange={() => time.choose(value)}
              className="sr-only"
            />
            {label}
          </label>
        ))}
      </fieldset>
      <TimeWindowPopup
        zoom={zoom}
        onChoose={time.zoomTo}
        trigger={
          <Button size="sm" className={zoom ? 'border-accent bg-accent-soft' : undefined}>
            <CalendarRange /> {zoom ? formatWindow(zoom.from, zoom.to) : 'Custom'}
          </Button>
        }
      />
      {zoom && (
        <Button size="sm" variant="quiet" onClick={time.zoomOut}>
          <RotateCcw /> Reset
        </Button>
      )}
    </div>
  );
}
