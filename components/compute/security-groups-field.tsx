'use client';

import { useId } from 'react';
import { type FieldPath, type FieldValues, type UseFormReturn, useController } from 'react-hook-form';
import { Checkbox } from '@/components/kit/ui/choice';
import type { Row } from '@/lib/client/list';

interface SecurityGroupsFieldProps<Values extends FieldValues> {
  control: UseFormReturn<Values>['control'];
  name: FieldPath<Values>;
  groups: readonly Row<'/api/v1/network/security-groups'>[];
}

/** Which groups' rules guard the instance: any number of them, and none lets nothing pass. */
export function SecurityGroupsField<Values extends FieldValues>(props: SecurityGroupsFieldProps<Values>) {
  const { control, name, groups } = props;
  const { field, fieldState } = useController({ control, name });
  const id = useId();
  const chosen: readonly string[] = field.value;
  const toggle = (group: string, on: boolean) =>
    field.onChange(on ? [...chosen, group] : chosen.filter((other) => other !== group));
  return (
    <fieldset aria-describedby={`${id}-error`}>
      <legend className="font-medium text-sm">Security groups</legend>
      <p className="mt-0.5 text-ink-muted text-xs">
        {chosen.length === 0
          ? 'Without a security group, all traffic is dropped.'
          : 'Only traffic that their rules allow.'}
      </p>
      <div className="mt-2 space-y-2">
        {groups.map((group) => (
          <label key={group.id} htmlFor={`${id}-${group.id}`} className="flex gap-2.5 text-sm">
            <Checkbox
              id={`${id}-${group.id}`}
              className="mt-0.5"
              checked={chosen.includes(group.id)}
              onChange={(event) => toggle(group.id, event.target.checked)}
              onBlur={field.onBlur}
            />
            <span className="min-w-0">
              {group.name}
              {group.description && <span className="block text-ink-muted text-xs">{group.description}</span>}
            </span>
          </label>
        ))}
      </div>
      <p id={`${id}-error`} aria-live="polite" className="text-critical-ink text-xs">
        {fieldState.error?.message}
      </p>
    </fieldset>
  );
}
