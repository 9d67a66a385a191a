'use client';

import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import { CheckboxListField } from '@/components/kit/form/checkbox-list-field';
import type { Row } from '@/lib/client/list';

interface SecurityGroupsFieldProps<Values extends FieldValues> {
  control: UseFormReturn<Values>['control'];
  name: FieldPath<Values>;
  groups: readonly Row<'/api/v1/network/security-groups'>[];
}

/** Security groups of an instance or port. */
export function SecurityGroupsField<Values extends FieldValues>(props: SecurityGroupsFieldProps<Values>) {
  const { control, name, groups } = props;
  return (
    <CheckboxListField
      control={control}
      name={name}
      label="Security groups"
      description={(chosen) =>
        chosen.length === 0
          ? 'Without a security group, all traffic is dropped.'
          : 'Only traffic that their rules allow.'
      }
      items={groups.map(({ id, name: label, description }) => ({ value: id, label, description }))}
    />
  );
}
