import type { Control, FieldPath, FieldValues } from 'react-hook-form';
import { TextField } from '@/components/kit/form/fields';

interface FirstPasswordFieldProps<Values extends FieldValues> {
  control: Control<Values>;
  name: FieldPath<Values>;
  /** For forms that always create an account. */
  description?: string;
}

/** Initial password of a new account. The form generates one with `useFirstPassword`. */
export function FirstPasswordField<Values extends FieldValues>({
  description = 'For new accounts. Generated; you can enter another one.',
  ...field
}: FirstPasswordFieldProps<Values>) {
  return <TextField {...field} label="Initial password" description={description} autoComplete="off" mono />;
}
