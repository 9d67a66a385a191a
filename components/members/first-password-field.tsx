import type { Control, FieldPath, FieldValues } from 'react-hook-form';
import { TextField } from '@/components/kit/form/fields';

interface FirstPasswordFieldProps<Values extends FieldValues> {
  control: Control<Values>;
  name: FieldPath<Values>;
  /** Where everybody who is named gets one. */
  description?: string;
}

/** The password that someone new signs in with for the first time; its form draws one with `newFirstPassword`. */
export function FirstPasswordField<Values extends FieldValues>({
  description = 'For new accounts. Generated; you can enter another one.',
  ...field
}: FirstPasswordFieldProps<Values>) {
  return <TextField {...field} label="Initial password" description={description} autoComplete="off" mono />;
}
