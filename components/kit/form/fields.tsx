'use client';

import { clsx } from 'clsx';
import { type ReactNode, useId } from 'react';
import { type Control, type FieldPath, type FieldValues, useController } from 'react-hook-form';
import { Checkbox, Radio, Switch } from '@/components/kit/ui/choice';
import { Input, Textarea } from '@/components/kit/ui/input';
import { Label } from '@/components/kit/ui/label';
import type { Option } from '@/components/kit/ui/option';
import { Select } from '@/components/kit/ui/select';
import { described, FieldError, Frame } from './frame';

interface FieldProps<Values extends FieldValues> {
  // biome-ignore lint/suspicious/noExplicitAny: the context and the output of the form play no part in one field
  control: Control<Values, any, any>;
  name: FieldPath<Values>;
  label: string;
  /** What a reader must know to fill it in. */
  description?: ReactNode;
  optional?: boolean;
}

/** Everything around a control: its name, what to know, what is wrong; and the wiring that lets all be read out. */
function useField<Values extends FieldValues>({ control, name }: Pick<FieldProps<Values>, 'control' | 'name'>) {
  const { field, fieldState } = useController({ control, name });
  const id = useId();
  const error = fieldState.error?.message;
  return { id, field, error };
}

interface TextFieldProps<Values extends FieldValues> extends FieldProps<Values> {
  type?: 'text' | 'email' | 'password' | 'url' | 'number' | 'date' | 'datetime-local';
  placeholder?: string;
  autoComplete?: string;
  inputMode?: 'numeric' | 'decimal' | 'email' | 'url';
  /** Stands behind the value: its unit. */
  unit?: string;
  /** For what a machine reads: ids, keys, addresses. */
  mono?: boolean;
  min?: number | string;
  max?: number | string;
  step?: number;
  autoFocus?: boolean;
  width?: 'full' | 'short';
}

export function TextField<Values extends FieldValues>(props: TextFieldProps<Values>) {
  const { control, name, label, description, optional = false, unit, mono = false, width = 'full', ...input } = props;
  const { id, field, error } = useField({ control, name });
  return (
    <Frame id={id} label={label} description={description} optional={optional} error={error}>
      <div className={clsx('relative', width === 'short' && 'max-w-44')}>
        <Input
          {...input}
          {...field}
          {...described(id, description, error)}
          value={field.value ?? ''}
          spellCheck={mono ? false : undefined}
          className={clsx(mono && 'font-mono', unit && 'pr-12')}
        />
        {unit && (
          <span className="pointer-events-none absolute inset-y-0 right-2.5 flex items-center text-ink-subtle text-xs">
            {unit}
          </span>
        )}
      </div>
    </Frame>
  );
}

interface TextAreaFieldProps<Values extends FieldValues> extends FieldProps<Values> {
  rows?: number;
  placeholder?: string;
  mono?: boolean;
}

export function TextAreaField<Values extends FieldValues>(props: TextAreaFieldProps<Values>) {
  const { control, name, label, description, optional = false, mono = false, ...area } = props;
  const { id, field, error } = useField({ control, name });
  return (
    <Frame id={id} label={label} description={description} optional={optional} error={error}>
      <Textarea
        {...area}
        {...field}
        {...described(id, description, error)}
        value={field.value ?? ''}
        spellCheck={mono ? false : undefined}
        className={clsx(mono && 'font-mono text-xs')}
      />
    </Frame>
  );
}

interface SelectFieldProps<Values extends FieldValues> extends FieldProps<Values> {
  options: readonly Option[];
  placeholder?: string;
}

export function SelectField<Values extends FieldValues>(props: SelectFieldProps<Values>) {
  const { control, name, label, description, optional = false, options, placeholder } = props;
  const { id, field, error } = useField({ control, name });
  return (
    <Frame id={id} label={label} description={description} optional={optional} error={error}>
      <Select
        {...described(id, description, error)}
        ref={field.ref}
        // The open list has the focus, and nothing has been chosen yet.
        onBlur={({ currentTarget }) => {
          if (currentTarget.ariaExpanded !== 'true') field.onBlur();
        }}
        options={options}
        value={field.value}
        onValueChange={(value) => {
          field.onChange(value);
          // A choice is final, unlike a typed letter: what was wrong before it is not shown any longer.
          field.onBlur();
        }}
        placeholder={placeholder}
      />
    </Frame>
  );
}

/** A choice between few things that deserve a sentence each: all are seen at once. */
export function CardsField<Values extends FieldValues>(props: Omit<SelectFieldProps<Values>, 'placeholder'>) {
  const { control, name, label, description, options } = props;
  const { id, field, error } = useField({ control, name });
  return (
    <fieldset aria-describedby={described(id, description, error)['aria-describedby']}>
      <legend className="font-medium text-sm">{label}</legend>
      {description && (
        <p id={`${id}-description`} className="mt-0.5 text-pretty text-ink-muted text-xs">
          {description}
        </p>
      )}
      <div className={clsx('mt-1.5 grid gap-2', options.length % 3 === 0 ? 'sm:grid-cols-3' : 'sm:grid-cols-2')}>
        {options.map((option, position) => (
          <label
            key={option.value}
            htmlFor={`${id}-${option.value}`}
            className={clsx(
              'flex gap-2.5 rounded-md border bg-surface p-3 shadow-control transition-colors duration-100',
              'has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-focus',
              option.disabledReason ? 'opacity-60' : 'cursor-pointer hover:border-line-strong',
            )}
          >
            <Radio
              id={`${id}-${option.value}`}
              name={field.name}
              ref={position === 0 ? field.ref : undefined}
              value={option.value}
              checked={field.value === option.value}
              onChange={() => field.onChange(option.value)}
              onBlur={field.onBlur}
              disabled={option.disabledReason !== undefined}
              className="mt-0.5 outline-none [&_input]:outline-none"
            />
            <span className="min-w-0 text-sm">
              <span className="font-medium">{option.label}</span>
              <span className="block text-pretty text-ink-muted text-xs">
                {option.disabledReason ?? option.description}
              </span>
            </span>
          </label>
        ))}
      </div>
      <FieldError id={id} error={error} />
    </fieldset>
  );
}

interface ChoiceFieldProps<Values extends FieldValues> extends FieldProps<Values> {
  /** `switch` for what is in force at once or is a state; `checkbox` for what is agreed to. */
  form?: 'checkbox' | 'switch';
}

export function ChoiceField<Values extends FieldValues>(props: ChoiceFieldProps<Values>) {
  const { control, name, label, description, form = 'checkbox' } = props;
  const { id, field, error } = useField({ control, name });
  const Choice = form === 'switch' ? Switch : Checkbox;
  const { value, onChange, ...rest } = field;
  return (
    <div>
      <div className="flex gap-2.5">
        <Choice
          {...rest}
          {...described(id, description, error)}
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
          className={form === 'checkbox' ? 'mt-0.5' : undefined}
        />
        <div className="min-w-0">
          <Label htmlFor={id}>{label}</Label>
          {description && (
            <p id={`${id}-description`} className="text-pretty text-ink-muted text-xs">
              {description}
            </p>
          )}
        </div>
      </div>
      <FieldError id={id} error={error} />
    </div>
  );
}
