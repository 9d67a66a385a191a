'use client';

import { useId } from 'react';
import { type FieldPath, type FieldValues, type UseFormReturn, useController } from 'react-hook-form';
import { Checkbox } from '@/components/kit/ui/choice';
import { type Volume, whyNotVolume } from '@/components/storage/storage-can';
import { formatGigabytes } from '@/lib/format/size';

interface VolumesFieldProps<Values extends FieldValues> {
  control: UseFormReturn<Values>['control'];
  name: FieldPath<Values>;
  volumes: readonly Volume[];
}

/** Which volumes a new instance has from its first moment. */
export function VolumesField<Values extends FieldValues>({ control, name, volumes }: VolumesFieldProps<Values>) {
  const { field, fieldState } = useController({ control, name });
  const id = useId();
  const chosen: readonly string[] = field.value;
  const toggle = (volume: string, on: boolean) =>
    field.onChange(on ? [...chosen, volume] : chosen.filter((other) => other !== volume));
  return (
    <fieldset aria-describedby={`${id}-error`}>
      <legend className="flex w-full items-baseline justify-between gap-3 font-medium text-sm">
        Volumes <span className="font-normal text-ink-subtle text-xs">Optional</span>
      </legend>
      <p className="mt-0.5 text-ink-muted text-xs">
        {volumes.length === 0
          ? 'This project has no volumes. You can attach one later.'
          : 'Attached at first boot. Volumes are kept when the instance is deleted.'}
      </p>
      {volumes.length > 0 && (
        <div className="mt-2 max-h-56 space-y-2 overflow-y-auto">
          {volumes.map((volume) => {
            const reason = whyNotVolume('attach', volume);
            return (
              <label key={volume.id} htmlFor={`${id}-${volume.id}`} className="flex gap-2.5 text-sm">
                <Checkbox
                  id={`${id}-${volume.id}`}
                  className="mt-0.5"
                  checked={chosen.includes(volume.id)}
                  disabled={reason !== undefined}
                  onChange={(event) => toggle(volume.id, event.target.checked)}
                  onBlur={field.onBlur}
                />
                <span className={reason ? 'min-w-0 text-ink-muted' : 'min-w-0'}>
                  {volume.name} <span className="text-ink-muted">· {formatGigabytes(volume.size_gb)}</span>
                  {reason && <span className="block text-xs">{reason}</span>}
                </span>
              </label>
            );
          })}
        </div>
      )}
      <p id={`${id}-error`} aria-live="polite" className="text-critical-ink text-xs">
        {fieldState.error?.message}
      </p>
    </fieldset>
  );
}
