'use client';

import { type ReactElement, useId, useState } from 'react';
import { FieldError } from '@/components/kit/form/frame';
import { Button } from '@/components/kit/ui/button';
import { Input } from '@/components/kit/ui/input';
import { Label } from '@/components/kit/ui/label';
import { Popover, PopoverContent, PopoverTrigger } from '@/components/kit/ui/popover';
import { formatExact } from '@/lib/format/time';
import { localTime, parseLocalTime, type TimeWindow } from './time-range';

export interface TimeWindowPopupProps {
  zoom: TimeWindow | undefined;
  onChoose: (shown: TimeWindow) => void;
}

const HOUR_MS = 3_600_000;
const SECOND_MS = 1000;

/** The window as the fields show it, to the second; without one, the last hour. */
function textsOf(zoom: TimeWindow | undefined) {
  const { from, to } = zoom ?? { from: Date.now() - HOUR_MS, to: Date.now() };
  return { from: localTime(from), to: localTime(Math.ceil(to / SECOND_MS) * SECOND_MS) };
}

/** The start and the end of a window, entered in the reader’s time zone and repeated in UTC. */
export function TimeWindowPopup({ zoom, onChoose, trigger }: TimeWindowPopupProps & { trigger: ReactElement }) {
  const [open, setOpen] = useState(true);
  const [texts, setTexts] = useState(() => textsOf(zoom));
  const [refused, setRefused] = useState(false);
  const from = parseLocalTime(texts.from);
  const to = parseLocalTime(texts.to);
  const change = (name: keyof TimeWindow) => (text: string) => {
    setTexts({ ...texts, [name]: text });
    setRefused(false);
  };
  const apply = () => {
    if (from === undefined || to === undefined || from >= to) return setRefused(true);
    onChoose({ from, to });
    setOpen(false);
  };
  return (
    <Popover
      open={open}
      onOpenChange={(next) => {
        setTexts(textsOf(zoom));
        setRefused(false);
        setOpen(next);
      }}
    >
      <PopoverTrigger asChild>{trigger}</PopoverTrigger>
      <PopoverContent className="w-72 p-3" aria-label="Custom time range">
        <form
          noValidate
          className="space-y-3"
          onSubmit={(event) => {
            event.preventDefault();
            apply();
          }}
        >
          <p className="text-ink-muted text-xs">
            In your time zone, {Intl.DateTimeFormat().resolvedOptions().timeZone}.
          </p>
          <TimeField label="From" text={texts.from} at={from} onChange={change('from')} />
          <TimeField
            label="To"
            text={texts.to}
            at={to}
            onChange={change('to')}
            error={refused ? 'Enter a start and a later end.' : undefined}
          />
          <div className="flex justify-end">
            <Button type="submit" variant="primary">
              Apply
            </Button>
          </div>
        </form>
      </PopoverContent>
    </Popover>
  );
}

interface TimeFieldProps {
  label: string;
  text: string;
  /** What the text means, in ms. */
  at: number | undefined;
  error?: string | undefined;
  onChange: (text: string) => void;
}

function TimeField({ label, text, at, error, onChange }: TimeFieldProps) {
  const id = useId();
  return (
    <div>
      <Label htmlFor={id}>{label}</Label>
      <Input
        id={id}
        type="datetime-local"
        step={1}
        value={text}
        aria-invalid={error !== undefined}
        aria-describedby={`${id}-utc ${id}-error`}
        onChange={({ target }) => onChange(target.value)}
        className="mt-1"
      />
      <p id={`${id}-utc`} className="mt-1 text-ink-muted text-xs tabular-nums">
        {at === undefined ? '–' : formatExact(at, 'UTC')}
      </p>
      <FieldError id={id} error={error} />
    </div>
  );
}
