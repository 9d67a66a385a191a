'use client';

import { type ReactElement, useId, useState } from 'react';
import { Button } from '@/components/kit/ui/button';
import { Input } from '@/components/kit/ui/input';
import { Popover, PopoverContent, PopoverTrigger } from '@/components/kit/ui/popover';
import type { TextFilterProps } from './text-filter';

/** The opened filter: its text, and the way to be rid of it. */
export function TextFilterPopup(props: TextFilterProps & { trigger: ReactElement }) {
  const { trigger, state, name, label, hint } = props;
  const [open, setOpen] = useState(true);
  const [text, setText] = useState(state.filter(name) ?? '');
  const field = useId();
  const apply = (value: string) => {
    state.set({ [name]: value.trim() || undefined });
    setOpen(false);
  };
  return (
    <Popover
      open={open}
      onOpenChange={(next) => {
        setText(state.filter(name) ?? '');
        setOpen(next);
      }}
    >
      <PopoverTrigger asChild>{trigger}</PopoverTrigger>
      <PopoverContent className="w-80 p-3" aria-label={label}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            apply(text);
          }}
        >
          <label htmlFor={field} className="font-medium text-sm">
            {label}
          </label>
          <p id={`${field}-hint`} className="mt-0.5 text-pretty text-ink-muted text-xs">
            {hint}
          </p>
          <Input
            id={field}
            aria-describedby={`${field}-hint`}
            value={text}
            onChange={(event) => setText(event.target.value)}
            autoComplete="off"
            spellCheck={false}
            className="mt-2 font-mono"
          />
          <div className="mt-3 flex justify-end gap-2">
            {state.filter(name) && (
              <Button variant="quiet" onClick={() => apply('')}>
                Remove
              </Button>
            )}
            <Button type="submit" variant="primary">
              Apply
            </Button>
          </div>
        </form>
      </PopoverContent>
    </Popover>
  );
}
