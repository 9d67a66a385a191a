'use client';

import { useRouter } from 'next/navigation';
import * as z from 'zod/mini';
import { CodeBlock } from '@/components/kit/data/code-block';
import { CardsField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { text } from '@/lib/client/constraints';
import { createFunction } from '@/lib/client/operations/functions';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { FunctionImpact } from './function-impact';
import type { Template } from './types';

const schema = z.object({
  name: text(createFunction.fields.name, 'Enter a name.', 'Use 3 to 63 lowercase letters, digits and dashes.'),
  template_id: z.string(),
});

interface NewFunctionProps {
  templates: readonly Template[];
  /** Why no function can run now. */
  unavailable: string | undefined;
}

/** The form of a new function, which begins as the example of its template. */
export function NewFunction({ templates, unavailable }: NewFunctionProps) {
  const { project, api } = useProject();
  const router = useRouter();
  const create = api.useMutation('post', '/api/v1/functions');
  const first = templates.find(({ status }) => status === 'active')?.id ?? '';
  const form = useSchemaForm(schema, { name: '', template_id: first });
  const chosen = templates.find(({ id }) => id === form.watch('template_id'));
  const bodyOf = ({ name, template_id }: z.output<typeof schema>) => ({
    name,
    template_id,
    code: templates.find(({ id }) => id === template_id)?.example ?? '',
  });
  return (
    <FormShell
      form={form}
      loading={false}
      error={create.error}
      failure="The function could not be created"
      submitLabel="Create function"
      operation="createFunction"
      disabledReason={unavailable}
      copy={{ operation: createFunction, schema, body: bodyOf }}
      cancel={paths.functions(project.slug)}
      aside={<FunctionImpact />}
      onSubmit={async (values) => {
        const { id } = await create.mutateAsync({ body: bodyOf(values) });
        router.push(paths.function(project.slug, id));
      }}
    >
      <TextField
        control={form.control}
        name="name"
        label="Name"
        description="Part of the function’s URL. It can’t be changed."
        autoComplete="off"
        autoFocus
        mono
      />
      <CardsField
        control={form.control}
        name="template_id"
        label="Template"
        options={templates.map(({ id, name, description, status }) => ({
          value: id,
          label: name,
          description,
          ...(status === 'deprecated' && { disabledReason: 'Deprecated: takes no new functions.' }),
        }))}
      />
      {chosen && (
        <div className="space-y-1.5">
          <p className="font-medium text-sm">Begins as {chosen.file}</p>
          <CodeBlock label="example" code={chosen.example.trim()} />
        </div>
      )}
    </FormShell>
  );
}
