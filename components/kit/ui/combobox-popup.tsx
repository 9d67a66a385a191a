'use client';

import { Command } from 'cmdk';
import { Check, Search } from 'lucide-react';
import { type ReactElement, useEffect, useState } from 'react';
import type { Option } from './option';
import { Popover, PopoverContent, PopoverTrigger } from './popover';

export interface ComboboxPopupProps {
  /** What is chosen from: "endpoints". */
  nouns: string;
  /** Those of one group stand together, in the order of the first of each. */
  options: readonly Option[];
  value: string | undefined;
  onValueChange: (value: string) => void;
  /** What the typed text itself means, where it need not be one of the options. */
  typed?: ((text: string) => Option | undefined) | undefined;
  /** Hears what is typed, where the options are more than are given at once. */
  onSearch?: ((text: string) => void) | undefined;
}

/** How long a pause in typing is before more options are asked for. */
const TYPING_MS = 200;

/** The opened list with its search. */
export function ComboboxPopup(props: ComboboxPopupProps & { trigger: ReactElement }) {
  const { trigger, nouns, options, value, onValueChange, typed, onSearch } = props;
  const [open, setOpen] = useState(true);
  const [text, setText] = useState('');
  const groups = [...new Set(options.map(({ group }) => group))];
  const chosen = options.some((option) => option.value === value) ? `=${value}` : undefined;
  const meant = text.trim() === '' ? undefined : typed?.(text.trim());

  useEffect(() => {
    if (!onSearch) return;
    const timer = setTimeout(() => onSearch(text.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, onSearch]);

  const line = (option: Option) => (
    <Command.Item
      key={option.value}
      value={`=${option.value}`}
      keywords={[option.label, option.description ?? '', option.group ?? '']}
      className="floating-item pr-8"
      onSelect={() => {
        onValueChange(option.value);
        setOpen(false);
        setText('');
      }}
    >
      <span className="flex min-w-0 flex-col">
        <span className="break-words">{option.label}</span>
        {option.description && <span className="break-words text-ink-subtle text-xs">{option.description}</span>}
      </span>
      {option.value === value && <Check className="absolute right-2 text-accent" aria-hidden="true" />}
    </Command.Item>
  );
  return (
    <Popover
      open={open}
      onOpenChange={(next) => {
        setOpen(next);
        setText('');
      }}
    >
      <PopoverTrigger
        asChild
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          setOpen(true);
        }}
      >
        {trigger}
      </PopoverTrigger>
      <PopoverContent
        aria-label={`Choose from ${nouns}`}
        className="w-(--radix-popover-trigger-width) min-w-[min(22rem,calc(100vw-1rem))]"
      >
        <Command
          label={`Choose from ${nouns}`}
          loop
          filter={rank}
          defaultValue={chosen}
          className="flex max-h-80 flex-col"
        >
          <div className="flex items-center gap-2 border-b px-3">
            <Search className="size-4 shrink-0 text-ink-subtle" aria-hidden="true" />
            <Command.Input
              value={text}
              onValueChange={setText}
              placeholder={`Search ${nouns}`}
              className="h-9 w-full bg-transparent text-sm outline-none placeholder:text-ink-subtle pointer-coarse:text-lg"
            />
          </div>
          <Command.List className="min-h-0 flex-1 overflow-y-auto p-1">
            <Command.Empty className="px-3 py-5 text-center text-ink-muted text-sm">No {nouns} match.</Command.Empty>
            {groups.map((group) => (
              <Command.Group
                key={group ?? ''}
                heading={group}
                className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-ink-subtle [&_[cmdk-group-heading]]:text-xs"
              >
                {options.filter((option) => option.group === group).map(line)}
              </Command.Group>
            ))}
            {meant && !options.some((option) => option.value === meant.value) && (
              <Command.Group forceMount>{line(meant)}</Command.Group>
            )}
          </Command.List>
        </Command>
      </PopoverContent>
    </Popover>
  );
}

/** Every word that was typed must occur somewhere; a label that begins with the first one comes first. */
function rank(_value: string, typed: string, keywords: string[] = []): number {
  const words = typed.trim().toLowerCase().split(/\s+/);
  const all = keywords.join(' ').toLowerCase();
  if (!words.every((word) => all.includes(word))) return 0;
  return all.startsWith(words[0] ?? '') ? 1 : 0.5;
}
