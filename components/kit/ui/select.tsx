'use client';

import { type ComponentProps, useId } from 'react';
import { ChoiceTrigger } from './choice-trigger';
import { deferred } from './deferred';
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

/** One value from a list. */
export function Select(props: SelectProps) {
  const { options, value, onValueChange, placeholder = 'Choose…', className, ...rest } = props;
  const ownId = useId();
  const id = rest.id ?? ownId;
  const chosen = options.find((option) => option.value === value);
  const trigger = (
    <ChoiceTrigger empty={!chosen} className={className} {...rest} id={id}>
      {chosen?.label ?? placeholder}
    </ChoiceTrigger>
  );
  const list = { options, value, onValueChange, labelledBy: id };
  return <SelectPopup {...list} trigger={trigger} />;
}
