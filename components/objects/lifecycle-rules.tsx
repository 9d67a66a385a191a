'use client';

import { Plus, Trash2 } from 'lucide-react';
import { useFieldArray, useFormState } from 'react-hook-form';
import * as z from 'zod/mini';
import { ChoiceField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Button } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { notify } from '@/components/kit/ui/notify';
import { updateBucket } from '@/lib/client/operations/storage';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { type LifecycleValues, limitsOf, newRule, ruleOf, valuesOf } from './lifecycle-values';
import type { Bucket } from './types';

const days = z.string().check(z.regex(/^([1-9]\d{0,4})?$/, 'A whole number of days.'));
const schema = z.object({
  lifecycle: z
    .array(
      z.object({
        id: z.string().check(z.trim(), z.minLength(1, 'Enter a name.'), z.maxLength(255, 'Up to 255 characters.')),
        enabled: z.boolean(),
        prefix: z.string().check(z.maxLength(1024, 'Up to 1,024 characters.')),
        days,
        noncurrentDays: days,
        noncurrentKept: z.string().check(z.regex(/^([1-9]\d?|100)?$/, 'A whole number up to 100.')),
        abortDays: days,
        markers: z.boolean(),
        kept: z.string(),
      }),
    )
    .check(
      z.refine(
        (rules) => new Set(rules.map(({ id }) => id)).size === rules.length,
        'Each rule needs a different name.',
      ),
    ),
});

const bodyOf = ({ lifecycle }: { lifecycle: LifecycleValues[] }) => ({ lifecycle: lifecycle.map(ruleOf) });

/** What the store deletes without anyone's doing. */
export function LifecycleRules({ bucket, reread }: { bucket: Bucket; reread: () => unknown }) {
  const { project, api } = useProject();
  const update = api.useMutation('patch', '/api/v1/storage/buckets/{name}');
  const form = useSchemaForm(schema, { lifecycle: bucket.lifecycle.map(valuesOf) });
  const { control } = form;
  const { fields, append, remove } = useFieldArray({ control, name: 'lifecycle' });
  const { errors } = useFormState({ control, name: 'lifecycle' });
  return (
    <Card title="Lifecycle rules" description="Objects, versions and uploads that are deleted automatically.">
      <FormShell
        form={form}
        loading={false}
        error={update.error}
        failure="The lifecycle rules could not be changed"
        submitLabel="Save lifecycle rules"
        operation="updateBucket"
        copy={{ operation: updateBucket, id: bucket.name, schema, body: bodyOf }}
        cancel={paths.bucket(project.slug, bucket.name)}
        onSubmit={async (values) => {
          await update.mutateAsync({ params: { path: { name: bucket.name } }, body: bodyOf(values) });
          await reread();
          form.reset(values);
          void notify('success', 'Lifecycle rules changed');
        }}
      >
        {fields.length === 0 && <p className="text-ink-muted text-sm">No rules: nothing is deleted automatically.</p>}
        {fields.map((field, position) => (
          <fieldset key={field.id} className="space-y-3 rounded-md border p-4">
            <legend className="sr-only">Lifecycle rule {position + 1}</legend>
            <div className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-3">
              <TextField control={control} name={`lifecycle.${position}.id`} label="Rule name" autoComplete="off" />
              <Button
                variant="quiet"
                size="icon"
                className="mt-6.5"
                aria-label={`Remove lifecycle rule ${position + 1}`}
                onClick={() => remove(position)}
              >
                <Trash2 />
              </Button>
            </div>
            <TextField
              control={control}
              name={`lifecycle.${position}.prefix`}
              label="Prefix"
              description={`Only keys that begin with this. ${limitsOf(field)}`}
              placeholder="logs/"
              autoComplete="off"
              optional
              mono
            />
            <div className="grid gap-3 sm:grid-cols-2">
              <TextField
                control={control}
                name={`lifecycle.${position}.days`}
                label="Delete objects after"
                unit="days"
                inputMode="numeric"
                optional
              />
              <TextField
                control={control}
                name={`lifecycle.${position}.abortDays`}
                label="End unfinished uploads after"
                unit="days"
                inputMode="numeric"
                optional
              />
              <TextField
                control={control}
                name={`lifecycle.${position}.noncurrentDays`}
                label="Delete old versions after"
                unit="days"
                inputMode="numeric"
                optional
              />
              <TextField
                control={control}
                name={`lifecycle.${position}.noncurrentKept`}
                label="Keep newest old versions"
                inputMode="numeric"
                optional
              />
            </div>
            <ChoiceField
              control={control}
              name={`lifecycle.${position}.markers`}
              label="Remove delete markers"
              description="Those without older versions. Not together with the deletion of objects."
            />
            <ChoiceField control={control} name={`lifecycle.${position}.enabled`} label="Enabled" />
          </fieldset>
        ))}
        <p aria-live="polite" className="text-critical-ink text-xs empty:hidden">
          {errors.lifecycle?.message ?? errors.lifecycle?.root?.message}
        </p>
        <Button onClick={() => append(newRule(fields.length))}>
          <Plus /> Add lifecycle rule
        </Button>
      </FormShell>
    </Card>
  );
}
