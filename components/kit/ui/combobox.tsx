'use client';

import { clsx } from 'clsx';
import { type ComponentProps, useState } from 'react';
import { ChoiceTrigger } from './choice-trigger';
import type { ComboboxPopupProps } from './combobox-popup';
import { deferred } from './deferred';

const SearchableList = deferred<ComboboxPopupProps>('dialog', () =>
  import('./combobox-popup').then((module) => module.ComboboxPopup),
);

interface ComboboxProps extends ComboboxPopupProps, Omit<ComponentProps<'button'>, 'value'> {
  placeholder?: string;
  /** For values that programs read. */
  mono?: boolean;
}

/** One value from a list so long that it needs a search. */
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
  // The chosen value keeps its label while a search shows other options.
  const [kept, setKept] = useState(now);
  if (now && (now.value !== kept?.value || now.label !== kept.label)) setKept(now);
  const chosen = now ?? (value !== undefined && kept?.value === value ? kept : undefined);
  const trigger = (
    <ChoiceTrigger empty={value === undefined} className={clsx(mono && 'font-mono', className)} {...rest}>
      {chosen?.label ?? value ?? placeholder}
    </ChoiceTrigger>
  );
  const list = { nouns, options, value, onValueChange, typed, onSearch };
  return <SearchableList {...list} trigger={trigger} />;
}
