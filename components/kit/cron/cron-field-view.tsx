'use client';

import { useId } from 'react';
import { described, Frame } from '@/components/kit/form/frame';
import { Button } from '@/components/kit/ui/button';
import { Input } from '@/components/kit/ui/input';
import { readCron } from './cron-schedule';

export interface CronFieldProps {
  label: string;
  value: string;
  onChange: (expression: string) => void;
}

const usual = [
  ['Hourly', '0 * * * *'],
  ['Daily', '0 3 * * *'],
  ['Weekdays', '0 8 * * 1-5'],
  ['Weekly', '0 3 * * 0'],
  ['Monthly', '0 3 1 * *'],
] as const;

/** A field for a cron expression that shows its meaning in words. */
export default function CronFieldView({ label, value, onChange }: CronFieldProps) {
  const id = useId();
  const reading = readCron(value);
  const error = 'problem' in reading ? reading.problem : undefined;
  const description = 'Minute, hour, day of month, month, day of week, in UTC.';
  return (
    <Frame id={id} label={label} description={description} optional={false} error={error}>
      <Input
        {...described(id, description, error)}
        value={value}
        spellCheck={false}
        onChange={({ target }) => onChange(target.value)}
        className="font-mono"
      />
      <p role="status" className="mt-1.5 text-sm empty:hidden">
        {'words' in reading ? `${reading.words} (UTC)` : ''}
      </p>
      <div className="mt-2 flex flex-wrap gap-1.5">
        {usual.map(([name, expression]) => (
          <Button
            key={name}
            size="sm"
            aria-pressed={value.trim() === expression}
            className="aria-pressed:bg-accent-soft"
            onClick={() => onChange(expression)}
          >
            {name}
          </Button>
        ))}
      </div>
    </Frame>
  );
}
