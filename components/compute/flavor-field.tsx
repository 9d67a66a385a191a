'use client';

import { clsx } from 'clsx';
import { useId } from 'react';
import { type FieldPath, type FieldValues, type UseFormReturn, useController } from 'react-hook-form';
import { Radio } from '@/components/kit/ui/choice';
import type { Row } from '@/lib/client/list';
import { formatGigabytes } from '@/lib/format/size';

type Flavor = Row<'/api/v1/compute/flavors'>;

interface FlavorFieldProps<Values extends FieldValues> {
  control: UseFormReturn<Values>['control'];
  name: FieldPath<Values>;
  flavors: readonly Flavor[];
  /** Why a flavor can't be chosen; undefined when it can. */
  whyNot: (flavor: Flavor) => string | undefined;
}

/** The size of an instance: all sizes side by side, as in a price list. */
export function FlavorField<Values extends FieldValues>({ control, name, flavors, whyNot }: FlavorFieldProps<Values>) {
  const { field, fieldState } = useController({ control, name });
  const id = useId();
  return (
    <fieldset aria-describedby={`${id}-error`}>
      <legend className="font-medium text-sm">Flavor</legend>
      <div
        className={clsx(
          'mt-1.5 max-h-80 overflow-y-auto rounded-md border bg-surface shadow-control',
          fieldState.error && 'border-critical',
        )}
      >
        {flavors.map((flavor, position) => {
          const reason = whyNot(flavor);
          return (
            <label
              key={flavor.id}
              htmlFor={`${id}-${flavor.id}`}
              className={clsx(
                'grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-3 border-b px-3 py-2 text-sm last:border-b-0',
                'sm:grid-cols-[auto_minmax(0,1fr)_4.5rem_6.5rem_5.5rem]',
                'has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-focus has-focus-visible:-outline-offset-2',
                reason ? 'text-ink-muted' : 'cursor-pointer hover:bg-hover',
              )}
            >
              <Radio
                id={`${id}-${flavor.id}`}
                name={field.name}
                ref={position === 0 ? field.ref : undefined}
                value={flavor.id}
                checked={field.value === flavor.id}
                disabled={reason !== undefined}
                onChange={() => field.onChange(flavor.id)}
                onBlur={field.onBlur}
                className="outline-none [&_input]:outline-none"
              />
              <span className="min-w-0">
                <span className="font-medium">{flavor.name}</span>
                {flavor.gpu_slices > 0 && <span className="text-ink-muted"> · {flavor.gpu_slices} GPU</span>}
                {reason && <span className="block text-pretty text-xs">{reason}</span>}
                <span className="block text-ink-muted text-xs tabular-nums sm:hidden">
                  {flavor.vcpus} vCPU · {formatGigabytes(flavor.ram_gb)} · {formatGigabytes(flavor.disk_gb)} disk
                </span>
              </span>
              <span className="text-right tabular-nums max-sm:hidden">{flavor.vcpus} vCPU</span>
              <span className="text-right tabular-nums max-sm:hidden">{formatGigabytes(flavor.ram_gb)} memory</span>
              <span className="text-right tabular-nums max-sm:hidden">{formatGigabytes(flavor.disk_gb)} disk</span>
            </label>
          );
        })}
      </div>
      <p
        id={`${id}-error`}
        aria-live="polite"
        className={clsx('text-critical-ink text-xs', fieldState.error && 'mt-1.5')}
      >
        {fieldState.error?.message}
      </p>
    </fieldset>
  );
}
