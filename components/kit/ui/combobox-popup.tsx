'use client';

import { Command } from 'cmdk';
import { Search } from 'lucide-react';
import { type ReactElement, useEffect, useState } from 'react';
import { ChoiceListTrigger, OptionText } from './choice-list';
import type { Option } from './option';
import { Popover, PopoverContent } from './popover';

export interface ComboboxPopupProps {
  /** The kind of options, in the plural: "endpoints". */
  nouns: string;
  /** Listed by group, in the order in which the groups first appear. */
  options: readonly Option[];
  value: string | undefined;
  onValueChange: (value: string) => void;
  /** Makes an option of the typed text, where other values than the listed ones are allowed. */
  typed?: ((text: string) => Option | undefined) | undefined;
  /** Called with the typed text, for lists that load options as they are searched. */
  onSearch?: ((text: string) => void) | undefined;
}

/** Pause in typing before a search starts: shorter than a reader notices, longer than between two keystrokes. */
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
      <OptionText option={option} chosen={option.value === value} />
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
      <ChoiceListTrigger onOpen={() => setOpen(true)}>{trigger}</ChoiceListTrigger>
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
