'use client';

import { Plus, Trash2 } from 'lucide-react';
import { useFieldArray, useFormState } from 'react-hook-form';
import * as z from 'zod/mini';
import { CheckboxListField } from '@/components/kit/form/checkbox-list-field';
import { TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Button } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { notify } from '@/components/kit/ui/notify';
import { updateBucket } from '@/lib/client/operations/storage';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import type { Bucket } from './types';

type CorsRule = Bucket['cors'][number];
const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'] as const;

const words = (text: string) => text.split(/[\s,]+/).filter((word) => word !== '');
const oneStar = (text: string) => words(text).every((word) => word.split('*').length < 3);

const schema = z.object({
  cors: z.array(
    z.object({
      id: z.string(),
      origins: z.string().check(
        z.refine((text) => words(text).length > 0, 'Enter an origin.'),
        z.refine(
          (text) => words(text).every((origin) => /^(\*|[^/]+:\/\/[^/]+)$/.test(origin)),
          'Scheme, host and port: https://app.example.com. Or * for all.',
        ),
        z.refine(oneStar, 'One * for each origin.'),
      ),
      methods: z.array(z.enum(METHODS)).check(z.minLength(1, 'Choose a method.')),
      headers: z.string().check(z.refine(oneStar, 'One * for each header.')),
      exposed: z.string(),
      maxAge: z
        .string()
        .check(z.regex(/^(\d{1,4}|[1-7]\d{4}|8[0-5]\d{3}|86[0-3]\d\d|86400)?$/, 'Up to 86400 seconds.')),
    }),
  ),
});
type Values = z.output<typeof schema>;

const valuesOf = ({ id = '', origins, methods, headers, exposed, maxAge }: CorsRule) => ({
  id,
  origins: origins.join(', '),
  methods,
  headers: (headers ?? []).join(', '),
  exposed: (exposed ?? []).join(', '),
  maxAge: String(maxAge ?? ''),
});

const bodyOf = ({ cors }: Values) => ({
  cors: cors.map(({ id, origins, methods, headers, exposed, maxAge }) => ({
    ...(id === '' ? {} : { id }),
    origins: words(origins),
    methods,
    headers: words(headers),
    exposed: words(exposed),
    ...(maxAge === '' ? {} : { maxAge: Number(maxAge) }),
  })),
});

/** Which pages of other sites may use the bucket from a browser. */
export function CorsRules({ bucket, reread }: { bucket: Bucket; reread: () => unknown }) {
  const { project, api } = useProject();
  const update = api.useMutation('patch', '/api/v1/storage/buckets/{name}');
  const form = useSchemaForm(schema, { cors: bucket.cors.map(valuesOf) });
  const { control } = form;
  const { fields, append, remove } = useFieldArray({ control, name: 'cors' });
  const { errors } = useFormState({ control, name: 'cors' });
  return (
    <Card
      title="CORS rules"
      description="Other websites whose pages may use the bucket from a browser. Rules give no rights of their own. This portal needs none."
    >
      <FormShell
        form={form}
        loading={false}
        error={update.error}
        failure="The CORS rules could not be changed"
        submitLabel="Save CORS rules"
        operation="updateBucket"
        copy={{ operation: updateBucket, id: bucket.name, schema, body: bodyOf }}
        cancel={paths.bucket(project.slug, bucket.name)}
        onSubmit={async (values) => {
          await update.mutateAsync({ params: { path: { name: bucket.name } }, body: bodyOf(values) });
          await reread();
          form.reset(values);
          void notify('success', 'CORS rules changed');
        }}
      >
        {fields.length === 0 && <p className="text-ink-muted text-sm">No rules: other websites have no access.</p>}
        {fields.map((field, position) => (
          <fieldset key={field.id} className="space-y-3 rounded-md border p-4">
            <legend className="sr-only">CORS rule {position + 1}</legend>
            <div className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-3">
              <TextField
                control={control}
                name={`cors.${position}.origins`}
                label="Origins"
                description="Separated by commas. * matches any text."
                placeholder="https://app.example.com, https://*.example.org"
                autoComplete="off"
                mono
              />
              <Button
                variant="quiet"
                size="icon"
                className="mt-6.5"
                aria-label={`Remove CORS rule ${position + 1}`}
                onClick={() => remove(position)}
              >
                <Trash2 />
              </Button>
            </div>
            <CheckboxListField
              control={control}
              name={`cors.${position}.methods`}
              label="Methods"
              description={() => 'What pages may do.'}
              items={METHODS.map((value) => ({ value, label: value }))}
            />
            <TextField
              control={control}
              name={`cors.${position}.headers`}
              label="Request headers"
              description="That pages may send, separated by commas. * allows all."
              placeholder="content-type, x-amz-*"
              autoComplete="off"
              optional
              mono
            />
            <TextField
              control={control}
              name={`cors.${position}.exposed`}
              label="Response headers"
              description="That pages may read, separated by commas."
              placeholder="ETag"
              autoComplete="off"
              optional
              mono
            />
            <TextField
              control={control}
              name={`cors.${position}.maxAge`}
              label="Remembered for"
              description="How long browsers remember the answer."
              unit="s"
              inputMode="numeric"
              optional
              width="short"
            />
          </fieldset>
        ))}
        <p aria-live="polite" className="text-critical-ink text-xs empty:hidden">
          {errors.cors?.message ?? errors.cors?.root?.message}
        </p>
        <Button
          onClick={() =>
            append({ id: '', origins: '', methods: ['GET', 'HEAD'], headers: '', exposed: '', maxAge: '' })
          }
        >
          <Plus /> Add CORS rule
        </Button>
      </FormShell>
    </Card>
  );
}
