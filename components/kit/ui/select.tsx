'use client';

import { clsx } from 'clsx';
import { ChevronDown } from 'lucide-react';
import { type ComponentProps, useId } from 'react';
import { deferred } from './deferred';
import { control } from './input';
import type { Option } from './option';
import type { SelectPopupProps } from './select-popup';

const SelectPopup = deferred<SelectPopupProps>('listbox', () =>
  import('./select-popup').then((module) => module.SelectPopup),
);

interface SelectProps extends Omit<ComponentProps<'button'>, 'value'> {
  options: readonly Option[];
  value: string | undefined;
  onValueChange: (value: string) => void;
  placeholder?: string;
}

/** A choice of one from a list that is too long to be seen at once. */
export function Select(props: SelectProps) {
  const { options, value, onValueChange, placeholder = 'Choose…', className, ...rest } = props;
  const ownId = useId();
  const id = rest.id ?? ownId;
  const chosen = options.find((option) => option.value === value);
  const trigger = (
    <button
      type="button"
      role="combobox"
      aria-expanded="false"
      className={clsx(
        control,
        'flex h-8 items-center justify-between gap-2 text-left pointer-coarse:h-10',
        !chosen && 'text-ink-subtle',
        className,
      )}
      {...rest}
      id={id}
    >
      <span className="truncate">{chosen?.label ?? placeholder}</span>
      <ChevronDown className="size-4 shrink-0 text-ink-subtle" aria-hidden="true" />
    </button>
  );
  const list = { options, value, onValueChange, labelledBy: id };
  return <SelectPopup {...list} trigger={trigger} />;
}
