'use client';

import { clsx } from 'clsx';
import { ChevronDown } from 'lucide-react';
import { type ComponentProps, useState } from 'react';
import type { ComboboxPopupProps } from './combobox-popup';
import { deferred } from './deferred';
import { control } from './input';

/** What opens from `trigger`: a list that is searched by typing. */
const SearchableList = deferred<ComboboxPopupProps>('dialog', () =>
  import('./combobox-popup').then((module) => module.ComboboxPopup),
);

interface ComboboxProps extends ComboboxPopupProps, Omit<ComponentProps<'button'>, 'value'> {
  placeholder?: string;
  /** For what a machine reads. */
  mono?: boolean;
}

/** A choice of one from so many that they have to be searched. */
export function Combobox(props: ComboboxProps) {
  const {
    nouns,
    options,
    value,
    onValueChange,
    typed,
    onSearch,
    placeholder = 'Choose…',
    mono,
    className,
    ...rest
  } = props;
  const now = options.find((option) => option.value === value) ?? typed?.(value ?? '');
  // What is chosen keeps its name while other options are searched for.
  const [kept, setKept] = useState(now);
  if (now && (now.value !== kept?.value || now.label !== kept.label)) setKept(now);
  const chosen = now ?? (value !== undefined && kept?.value === value ? kept : undefined);
  const trigger = (
    <button
      type="button"
      role="combobox"
      aria-expanded="false"
      className={clsx(
        control,
        'flex h-8 items-center justify-between gap-2 text-left pointer-coarse:h-10',
        value === undefined && 'text-ink-subtle',
        mono && 'font-mono',
        className,
      )}
      {...rest}
    >
      <span className="truncate">{chosen?.label ?? value ?? placeholder}</span>
      <ChevronDown className="size-4 shrink-0 text-ink-subtle" aria-hidden="true" />
    </button>
  );
  const list = { nouns, options, value, onValueChange, typed, onSearch };
  return <SearchableList {...list} trigger={trigger} />;
}
