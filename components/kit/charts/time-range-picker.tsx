'use client';

import { ZoomOut } from 'lucide-react';
import { useId } from 'react';
import { Button } from '@/components/kit/ui/button';

interface TimeRangePickerProps<Range extends string> {
  ranges: readonly { value: Range; label: string }[];
  range: Range;
  onChoose: (range: Range) => void;
  /** Set while only a part of the range is shown. */
  onZoomOut?: () => void;
}

/** Selects the time range of all charts on a page. */
export function TimeRangePicker<Range extends string>(props: TimeRangePickerProps<Range>) {
  const { ranges, range, onChoose, onZoomOut } = props;
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
              checked={value === range}
              onChange={() => onChoose(value)}
              className="sr-only"
            />
            {label}
          </label>
        ))}
      </fieldset>
      {onZoomOut && (
        <Button size="sm" variant="quiet" onClick={onZoomOut}>
          <ZoomOut /> Reset zoom
        </Button>
      )}
    </div>
  );
}
