'use client';

import { type MouseEvent, type ReactNode, useEffect, useMemo } from 'react';
import { type DefaultValues, type FieldPath, type FieldValues, type UseFormReturn, useForm } from 'react-hook-form';
import { type $ZodType, safeParse } from 'zod/v4/core';
import { CopyAs } from '@/components/kit/copy/copy-as';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { discards, useUnsaved } from '@/components/kit/page/unsaved';
import { Button, ButtonLink } from '@/components/kit/ui/button';
import { Skeleton } from '@/components/kit/ui/skeleton';
import type { Call } from '@/lib/client/commands';
import { ApiError, splitByField } from '@/lib/client/errors';
import { type OperationId, useRefusal } from '@/lib/client/may';
import { schemaResolver } from './resolver';

/**
 * A form whose values are checked by a schema, written with `zod/mini`: full zod weighs five times as much as a page
 * should pay. It only spares a round trip; the API's own checks are the truth, and their words land on the fields.
 */
export function useSchemaForm<Input extends FieldValues, Output extends FieldValues>(
  schema: $ZodType<Output, Input>,
  defaultValues: DefaultValues<Input>,
) {
  return useForm<Input, unknown, Output>({ resolver: schemaResolver(schema), defaultValues, mode: 'onTouched' });
}

interface FormCopy<Input extends FieldValues, Output extends FieldValues> {
  /** From `lib/client/operations`. */
  operation: Call['operation'];
  /** The id in its path. */
  id?: string | ((values: Output) => string);
  /** Schema of the form. */
  schema: $ZodType<Output, Input>;
  body: (values: Output) => object;
}

interface FormShellProps<Input extends FieldValues, Output extends FieldValues> {
  form: UseFormReturn<Input, unknown, Output>;
  /** Sends the checked values; a failure comes back through `error`. */
  onSubmit: (values: Output) => Promise<unknown>;
  /** Why the last submission was refused, or undefined. Required, so that no form can forget it. */
  error: unknown;
  /** What the form itself needs is still on its way. Required, too. */
  loading: boolean;
  /** What was tried, for the error: "The secret could not be created". */
  failure: string;
  submitLabel: string;
  /** Takes something away from someone: the button says so. */
  danger?: boolean;
  /** What it calls: who may not call it sees why. */
  operation?: OperationId;
  /** The request that it sends, for others to repeat. */
  copy?: FormCopy<Input, Output>;
  /** Another reason why it can't be sent now. */
  disabledReason?: string | undefined;
  /** Where leaving the form leads. */
  cancel: string | (() => void);
  /** Beside the form on wide screens, between it and its button on narrow ones: what it costs, what it takes of the quota. */
  aside?: ReactNode;
  children: ReactNode;
}

/** The one frame of all forms: states, refusals on the fields they name, one way to send and one to leave. */
export function FormShell<Input extends FieldValues, Output extends FieldValues>(props: FormShellProps<Input, Output>) {
  const { form, onSubmit, error, loading, failure, submitLabel, danger = false, operation } = props;
  const { cancel, aside, copy, children } = props;
  const refusal = useRefusal();
  const disabledReason = (operation && refusal(operation)) ?? props.disabledReason;
  const { setError } = form;
  const refused = useMemo(() => refusalOf(error, fieldNames(form.getValues())), [error, form]);

  useEffect(() => {
    let shouldFocus = true;
    for (const [field, message] of refused.byField) {
      if (!isFieldOf(form.getValues(), field)) continue;
      setError(field, { type: 'server', message }, { shouldFocus });
      shouldFocus = false;
    }
  }, [refused, setError, form]);

  const { isDirty, isSubmitting: pending } = form.formState;
  useUnsaved(() => isDirty && !pending);
  const submit = async (values: Output) => {
    await onSubmit(values);
    // Saved values no longer count as unsaved input.
    form.reset(form.getValues(), { keepValues: true });
  };

  if (loading) return <FormSkeleton />;
  return (
    <form
      noValidate
      onMouseDown={keepFocus}
      onSubmit={form.handleSubmit((values) => submit(values).catch(toldThroughError))}
      className={
        aside
          ? 'grid items-start gap-x-10 gap-y-5 xl:grid-cols-[minmax(0,42rem)_20rem] xl:grid-rows-[auto_1fr]'
          : 'max-w-2xl space-y-5'
      }
    >
      <div className="min-w-0 space-y-5">{children}</div>
      {aside && (
        <aside className="min-w-0 space-y-4 max-xl:max-w-2xl xl:sticky xl:top-20 xl:col-start-2 xl:row-span-2 xl:row-start-1">
          {aside}
        </aside>
      )}
      <div className="min-w-0 space-y-5 xl:col-start-1">
        {refused.rest !== undefined && refused.rest !== null && <ErrorNotice title={failure} error={refused.rest} />}
        <div className="flex flex-wrap items-center gap-2 pt-1">
          <DisabledReason reason={disabledReason}>
            <Button type="submit" variant={danger ? 'danger' : 'primary'} pending={pending}>
              {submitLabel}
            </Button>
          </DisabledReason>
          {typeof cancel === 'string' ? (
            <ButtonLink variant="quiet" href={cancel} {...discards}>
              Cancel
            </ButtonLink>
          ) : (
            <Button variant="quiet" onClick={cancel}>
              Cancel
            </Button>
          )}
          {copy && (
            <span className="ml-auto">
              <CopyAs call={() => callOf(form, copy)} />
            </span>
          )}
        </div>
      </div>
    </form>
  );
}

/** The request of a form as filled in. Returns undefined for an incomplete form and shows errors at its fields. */
export function callOf<Input extends FieldValues, Output extends FieldValues>(
  form: UseFormReturn<Input, unknown, Output>,
  { operation, id, schema, body }: FormCopy<Input, Output>,
): Call | undefined {
  const checked = safeParse(schema, form.getValues());
  if (checked.success) {
    const values = checked.data;
    return { operation, ...(id && { id: typeof id === 'string' ? id : id(values) }), body: body(values) };
  }
  void form.trigger(undefined, { shouldFocus: true });
  return undefined;
}

/** A refusal taken apart: sentences for the fields they name, and what is left for the form as a whole. */
function refusalOf(error: unknown, fields: readonly string[]): { byField: Map<string, string>; rest: unknown } {
  if (!(error instanceof ApiError)) return { byField: new Map(), rest: error };
  const { byField, rest } = splitByField(error.message, fields);
  if (byField.size === 0) return { byField, rest: error };
  return { byField, rest: rest === '' ? undefined : new ApiError(error.code, rest, error.status, error.requestId) };
}

/** The fields of a form as their paths: `admin.email`. A list is one field. */
function fieldNames(values: object): string[] {
  return Object.entries(values).flatMap(([name, value]: [string, unknown]) =>
    isGroup(value) ? fieldNames(value).map((inner) => `${name}.${inner}`) : [name],
  );
}

/** A group of fields, and not the value of one, such as a file. */
function isGroup(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function isFieldOf<Values extends FieldValues>(values: Values, name: string): name is FieldPath<Values> {
  return fieldNames(values).includes(name);
}

/**
 * A field that is left by pressing a control below it would show its error before the pointer is released, and move the
 * control away from under it: the click would be lost. So the field keeps the focus until the click is done.
 */
function keepFocus(event: MouseEvent): void {
  const pressed = event.target;
  const control = 'button, a, label, input:is([type=checkbox], [type=radio], [type=file])';
  if (pressed instanceof Element && pressed.closest(control)) event.preventDefault();
}

/** The caller hands the failure back through `error`; here it only must not count as unhandled. */
function toldThroughError(): void {}

function FormSkeleton() {
  return (
    <div aria-busy="true" className="max-w-xl space-y-6">
      <span className="sr-only">Loading the form</span>
      {['one', 'two', 'three'].map((field) => (
        <div key={field} className="space-y-2">
          <Skeleton className="h-4 w-24" />
          <Skeleton className="h-8 w-full" />
        </div>
      ))}
    </div>
  );
}
