'use client';

import { Plus, X } from 'lucide-react';
import { useFieldArray, useFormState } from 'react-hook-form';
import { TextField } from '@/components/kit/form/fields';
import { Button } from '@/components/kit/ui/button';
import type { ProviderControl } from './provider-form';

/** Which workloads of the issuer are meant: claims of their tokens, each with a pattern. */
export function ConditionsField({ control }: { control: ProviderControl }) {
  const { fields, append, remove } = useFieldArray({ control, name: 'conditions' });
  const { errors } = useFormState({ control, name: 'conditions' });
  return (
    <fieldset>
      <legend className="font-medium text-sm">Conditions</legend>
      <p className="mt-0.5 text-pretty text-ink-muted text-xs">
        Which workloads of the issuer to trust. All claims must match; several lines for one claim are alternatives.{' '}
        <code>*</code> matches any text.
      </p>
      <div className="mt-3 space-y-3">
        {fields.map((field, position) => (
          <div key={field.id} className="grid grid-cols-[minmax(5rem,1fr)_minmax(0,3fr)_auto] items-start gap-2">
            <TextField control={control} name={`conditions.${position}.claim`} label="Claim" autoComplete="off" mono />
            <TextField
              control={control}
              name={`conditions.${position}.pattern`}
              label="Matches"
              autoComplete="off"
              mono
            />
            <Button
              variant="quiet"
              size="icon"
              className="mt-6.5"
              aria-label={`Remove condition ${position + 1}`}
              disabled={fields.length === 1}
              onClick={() => remove(position)}
            >
              <X />
            </Button>
          </div>
        ))}
      </div>
      <p aria-live="polite" className="mt-1.5 text-critical-ink text-xs empty:hidden">
        {errors.conditions?.message ?? errors.conditions?.root?.message}
      </p>
      <Button size="sm" className="mt-3" onClick={() => append({ claim: 'sub', pattern: '' })}>
        <Plus /> Add condition
      </Button>
    </fieldset>
  );
}
