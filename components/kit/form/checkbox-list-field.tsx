'use client';

import { type ReactNode, useId } from 'react';
import { type FieldPath, type FieldValues, type UseFormReturn, useController } from 'react-hook-form';
import { Checkbox } from '@/components/kit/ui/choice';

interface CheckboxListFieldProps<Values extends FieldValues> {
  control: UseFormReturn<Values>['control'];
  name: FieldPath<Values>;
  label: string;
  optional?: boolean;
  description: (chosen: readonly string[]) => string;
  items: readonly {
    value: string;
    label: ReactNode;
    description?: string | null;
    disabledReason?: string | undefined;
  }[];
}

/** Any number of values from a list that is shown in full. */
export function CheckboxListField<Values extends FieldValues>(props: CheckboxListFieldProps<Values>) {
  const { control, name, label, optional = false, description, items } = props;
  const { field, fieldState } = useController({ control, name });
  const id = useId();
  const chosen: readonly string[] = field.value;
  const toggle = (value: string, on: boolean) =>
    field.onChange(on ? [...chosen, value] : chosen.filter((other) => other !== value));
  return (
    <fieldset aria-describedby={`${id}-error`}>
      <legend className="flex w-full items-baseline justify-between gap-3 font-medium text-sm">
        {label} {optional && <span className="font-normal text-ink-subtle text-xs">Optional</span>}
      </legend>
      <p className="mt-0.5 text-ink-muted text-xs">{description(chosen)}</p>
      {items.length > 0 && (
        <div className="mt-2 max-h-56 space-y-2 overflow-y-auto">
          {items.map(({ value, label: text, description: below, disabledReason }) => (
            <label key={value} htmlFor={`${id}-${value}`} className="flex gap-2.5 text-sm">
              <Checkbox
                id={`${id}-${value}`}
                className="mt-0.5"
                checked={chosen.includes(value)}
                disabled={disabledReason !== undefined}
                onChange={(event) => toggle(value, event.target.checked)}
                onBlur={field.onBlur}
              />
              <span className={disabledReason ? 'min-w-0 text-ink-muted' : 'min-w-0'}>
                {text}
                {(disabledReason ?? below) && (
                  <span className="block text-ink-muted text-xs">{disabledReason ?? below}</span>
                )}
              </span>
            </label>
          ))}
        </div>
      )}
      <p id={`${id}-error`} aria-live="polite" className="text-critical-ink text-xs">
        {fieldState.error?.message}
      </p>
    </fieldset>
  );
}
