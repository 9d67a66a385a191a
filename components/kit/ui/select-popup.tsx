'use client';

import { clsx } from 'clsx';
import { type KeyboardEvent, type ReactElement, useRef, useState } from 'react';
import { ChoiceListTrigger, OptionText } from './choice-list';
import type { Option } from './option';
import { Popover, PopoverContent } from './popover';

export interface SelectPopupProps {
  options: readonly Option[];
  value: string | undefined;
  onValueChange: (value: string) => void;
  /** The id of the trigger, which also names the list. */
  labelledBy: string;
}

/** Pause in typing after which the next letter begins a new word, as in browsers' own selects. */
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
  // Repeating a letter moves to the next option that begins with it; a word finds the option that begins with it.
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
      <ChoiceListTrigger aria-haspopup="listbox" onOpen={() => setOpen(true)}>
        {trigger}
      </ChoiceListTrigger>
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
            <OptionText option={option} chosen={option.value === value} />
          </div>
        ))}
      </PopoverContent>
    </Popover>
  );
}

function isLetter({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return key.length === 1 && key !== ' ' && !ctrlKey && !metaKey && !altKey;
}
