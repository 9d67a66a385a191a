'use client';

import { clsx } from 'clsx';
import { Check } from 'lucide-react';
import { type KeyboardEvent, type ReactElement, useRef, useState } from 'react';
import type { Option } from './option';
import { Popover, PopoverContent, PopoverTrigger } from './popover';

export interface SelectPopupProps {
  options: readonly Option[];
  value: string | undefined;
  onValueChange: (value: string) => void;
  /** The id of what opens it, whose name it shares. */
  labelledBy: string;
}

/** A pause in typing after which the next letter begins another word. */
const WORD_MS = 700;

/**
 * The opened list of a select. Not modal: the page behind it stays readable for everyone, which Radix's own select,
 * hiding the page and leaving its focusable elements in it, does not allow.
 */
export function SelectPopup(props: SelectPopupProps & { trigger: ReactElement }) {
  const { trigger, options, value, onValueChange, labelledBy } = props;
  const [open, setOpen] = useState(true);
  const list = useRef<HTMLDivElement>(null);
  const typed = useRef({ text: '', at: 0 });

  const choose = (option: Option) => {
    if (option.disabledReason !== undefined) return;
    onValueChange(option.value);
    setOpen(false);
  };
  const items = () => [...(list.current?.children ?? [])].filter((item) => item instanceof HTMLElement);
  const move = (event: KeyboardEvent) => {
    const all = items();
    const at = all.findIndex((item) => item.contains(document.activeElement));
    const goals: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 };
    const goal = goals[event.key] ?? (isLetter(event) ? search(event, at) : undefined);
    if (goal !== undefined) all[goal]?.focus();
    else if (event.key === 'Tab') setOpen(false);
    else return;
    event.preventDefault();
  };
  // The same letter again goes on to the next option that begins with it; a word leads to the one that begins so.
  const search = ({ key, timeStamp }: KeyboardEvent, at: number): number => {
    const { text, at: before } = typed.current;
    const word = (timeStamp - before < WORD_MS ? text : '') + key.toLowerCase();
    typed.current = { text: word, at: timeStamp };
    const repeated = [...word].every((letter) => letter === key.toLowerCase());
    const from = repeated ? at + 1 : Math.max(at, 0);
    const order = options.map((_, step) => (from + step) % options.length);
    return order.find((place) => options[place]?.label.toLowerCase().startsWith(repeated ? key : word)) ?? at;
  };

  return (
    <Popover open={open} onOpenChange={setOpen}>
      <PopoverTrigger
        asChild
        aria-haspopup="listbox"
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          setOpen(true);
        }}
      >
        {trigger}
      </PopoverTrigger>
      <PopoverContent
        role="listbox"
        aria-labelledby={labelledBy}
        ref={list}
        className="max-h-[min(24rem,var(--radix-popover-content-available-height))] min-w-(--radix-popover-trigger-width) max-w-[calc(100vw-1rem)] overflow-y-auto p-1"
        onKeyDown={move}
        onOpenAutoFocus={(event) => {
          event.preventDefault();
          const all = items();
          (all[options.findIndex((option) => option.value === value)] ?? all[0])?.focus();
        }}
      >
        {options.map((option) => (
          <div
            key={option.value}
            role="option"
            tabIndex={-1}
            aria-selected={option.value === value}
            aria-disabled={option.disabledReason !== undefined}
            className={clsx('floating-item pr-8 focus:bg-hover', option.disabledReason && 'text-ink-subtle')}
            onPointerMove={({ currentTarget }) => currentTarget.focus({ preventScroll: true })}
            onClick={() => choose(option)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' && event.key !== ' ') return;
              event.preventDefault();
              choose(option);
            }}
          >
            <span className="flex min-w-0 flex-col">
              <span className="break-words">{option.label}</span>
              {(option.disabledReason ?? option.description) && (
                <span className="break-words text-ink-subtle text-xs">
                  {option.disabledReason ?? option.description}
                </span>
              )}
            </span>
            {option.value === value && <Check className="absolute right-2 text-accent" aria-hidden="true" />}
          </div>
        ))}
      </PopoverContent>
    </Popover>
  );
}

function isLetter({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return key.length === 1 && key !== ' ' && !ctrlKey && !metaKey && !altKey;
}
