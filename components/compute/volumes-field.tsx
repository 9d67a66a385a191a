'use client';

import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import { CheckboxListField } from '@/components/kit/form/checkbox-list-field';
import { type Volume, whyNotVolume } from '@/components/storage/storage-can';
import { formatGigabytes } from '@/lib/format/size';

interface VolumesFieldProps<Values extends FieldValues> {
  control: UseFormReturn<Values>['control'];
  name: FieldPath<Values>;
  volumes: readonly Volume[];
}

/** Volumes to attach to a new instance at first boot. */
export function VolumesField<Values extends FieldValues>({ control, name, volumes }: VolumesFieldProps<Values>) {
  return (
    <CheckboxListField
      control={control}
      name={name}
      label="Volumes"
      optional
      description={() =>
        volumes.length === 0
          ? 'This project has no volumes. You can attach one later.'
          : 'Attached at first boot. Volumes are kept when the instance is deleted.'
      }
      items={volumes.map((volume) => ({
        value: volume.id,
        label: (
          <>
            {volume.name} <span className="text-ink-muted">· {formatGigabytes(volume.size_gb)}</span>
          </>
        ),
        disabledReason: whyNotVolume('attach', volume),
      }))}
    />
  );
}
