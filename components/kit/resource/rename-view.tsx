'use client';

import { useEffect, useId } from 'react';
import * as z from 'zod/mini';
import { useSchemaForm } from '@/components/kit/form/form-shell';
import { Button } from '@/components/kit/ui/button';
import { Input } from '@/components/kit/ui/input';
import { text } from '@/lib/client/constraints';
import { ApiError } from '@/lib/client/errors';
import type { Rename } from './rename';

export interface RenameViewProps extends Rename {
  name: string;
  /** One of them, in lower case: "instance". */
  noun: string;
  close: () => void;
}

/** The name of a page's resource as a field: Enter saves, Escape leaves it as it was. */
export function RenameView({ name, noun, operation, save, close }: RenameViewProps) {
  const form = useSchemaForm(z.object({ name: text(operation.fields.name, 'Enter a name.') }), { name });
  const { setFocus, setError, register, formState } = form;
  const id = useId();
  const problem = formState.errors.name?.message;
  useEffect(() => setFocus('name', { shouldSelect: true }), [setFocus]);
  const rename = async (typed: { name: string }) => {
    if (typed.name !== name) await save(typed.name);
    close();
  };
  return (
    <form
      noValidate
      aria-label={`Rename ${noun}`}
      className="flex flex-wrap items-center gap-2"
      onKeyDown={(event) => {
        if (event.key === 'Escape') close();
      }}
      onSubmit={form.handleSubmit((typed) =>
        rename(typed).catch((error: unknown) =>
          setError('name', { message: error instanceof ApiError ? error.message : 'The name could not be saved.' }),
        ),
      )}
    >
      <Input
        {...register('name')}
        aria-label="Name"
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-problem`}
        autoComplete="off"
        className="max-w-80"
      />
      <Button type="submit" variant="primary" pending={formState.isSubmitting}>
        Save name
      </Button>
      <Button variant="quiet" onClick={close}>
        Cancel
      </Button>
      <p id={`${id}-problem`} aria-live="polite" className="w-full text-critical-ink text-xs empty:hidden">
        {problem}
      </p>
    </form>
  );
}
