'use client';

import { clsx } from 'clsx';
import { type ReactNode, useId } from 'react';
import { described, Frame } from '@/components/kit/form/frame';
import { Input } from '@/components/kit/ui/input';
import { Select } from '@/components/kit/ui/select';
import { IdPicker } from './id-picker';
import type { RequestChoice } from './request';

interface ParameterFieldProps {
  parameter: RequestChoice;
  value: string;
  onChange: (value: string) => void;
  /** Stands for no value. */
  none?: string;
}

/** The field of one parameter: a select, a picker of IDs, or text. */
export function ParameterField({ parameter, value, onChange, none = 'Any' }: ParameterFieldProps) {
  const { name, type, required, values, listed_by } = parameter;
  return (
    <Field label={name} description={type} optional={!required}>
      {(field) =>
        values.length > 0 ? (
          <Select
            {...field}
            options={[...(required ? [] : [{ value: '', label: none }]), ...values.map(asOption)]}
            value={value}
            onValueChange={onChange}
            className="w-full font-mono"
          />
        ) : listed_by !== undefined ? (
          <IdPicker {...field} path={listed_by} value={value} onChange={onChange} />
        ) : (
          <Input
            {...field}
            autoComplete="off"
            spellCheck={false}
            className="font-mono"
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
        )
      }
    </Field>
  );
}

function asOption(value: string) {
  return { value, label: value };
}

interface FieldProps {
  label: string;
  description: string;
  optional?: boolean;
  children: (field: ReturnType<typeof described>) => ReactNode;
}

/** A field of the request, around its control. */
export function Field({ label, description, optional = false, children }: FieldProps) {
  const id = useId();
  const name = <span className={clsx(label === label.toLowerCase() && 'font-mono')}>{label}</span>;
  return (
    <Frame id={id} label={name} description={description} optional={optional}>
      {children(described(id, description))}
    </Frame>
  );
}
