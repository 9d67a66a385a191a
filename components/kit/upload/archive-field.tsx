'use client';

import { type FieldPath, type FieldValues, type UseFormReturn, useController } from 'react-hook-form';
import * as z from 'zod/mini';
import { FieldError } from '@/components/kit/form/frame';
import { formatBytes } from '@/lib/format/size';
import { DropZone } from './drop-zone';

/** A zip file of a form, of at most so many bytes. The API looks inside. */
export const archiveFile = (mostBytes: number) =>
  z.nullable(z.instanceof(File)).check(
    z.refine((file) => file !== null, 'Choose a zip file.'),
    z.refine((file) => file === null || /\.zip$/i.test(file.name), 'This is not a zip file.'),
    z.refine((file) => file === null || file.size > 0, 'The file is empty.'),
    z.refine((file) => file === null || file.size <= mostBytes, `The file is larger than ${mostBytes / 1024 ** 2} MB.`),
  );

interface ArchiveFieldProps<Values extends FieldValues> {
  control: UseFormReturn<Values>['control'];
  name: FieldPath<Values>;
  /** Limits and what belongs into it. */
  hint: string;
}

/** Takes one zip file, dropped or chosen. */
export function ArchiveField<Values extends FieldValues>({ control, name, hint }: ArchiveFieldProps<Values>) {
  const { field, fieldState } = useController({ control, name });
  const file: File | null = field.value;
  return (
    <div>
      <DropZone
        label="Archive"
        invitation={file ? `${file.name}, ${formatBytes(file.size)}` : 'Drop a zip file here, or choose one'}
        hint={hint}
        single
        invalid={fieldState.error !== undefined}
        describedBy={`${name}-error`}
        onFiles={([chosen]) => {
          field.onChange(chosen?.file ?? null);
          // A choice is final: its problem is shown at once.
          field.onBlur();
        }}
      />
      <FieldError id={name} error={fieldState.error?.message} />
    </div>
  );
}
