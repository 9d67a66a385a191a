'use client';

import { useRouter } from 'next/navigation';
import { CodeBlock } from '@/components/kit/data/code-block';
import { CardsField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { ArchiveField } from '@/components/kit/upload/archive-field';
import { createFunction } from '@/lib/client/operations/functions';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { ARCHIVE_HINT } from './archive-limits';
import { FunctionImpact } from './function-impact';
import { NetworkFields, networkNames } from './network-fields';
import { creationBody, creationSchema, type NewFunctionValues } from './new-function-values';
import type { Template } from './types';
import { useArchive } from './use-archive';

interface NewFunctionProps {
  templates: readonly Template[];
  /** Why no function can run now. */
  unavailable: string | undefined;
}

const sources = [
  { value: 'example', label: 'Example', description: 'Code of the template, to go on from in the editor' },
  { value: 'archive', label: 'Zip archive', description: 'Files of your own, with packages beside them' },
] as const;

/** The form of a new function, which begins as the example of its template or as an archive. */
export function NewFunction({ templates, unavailable }: NewFunctionProps) {
  const { project, api } = useProject();
  const router = useRouter();
  const create = api.useMutation('post', '/api/v1/functions');
  const archive = useArchive();
  const first = templates.find(({ status }) => status === 'active')?.id ?? '';
  const form = useSchemaForm<NewFunctionValues, NewFunctionValues>(creationSchema, {
    name: '',
    template_id: first,
    source: 'example',
    archive: null,
    network: 'none',
    network_id: '',
    security_group_ids: [],
  });
  const { control } = form;
  const source = form.watch('source');
  const chosen = templates.find(({ id }) => id === form.watch('template_id'));
  const bodyOf = (values: NewFunctionValues) => creationBody(values, templates);
  return (
    <FormShell
      form={form}
      loading={false}
      error={create.error ?? archive.error}
      failure="The function could not be created"
      submitLabel="Create function"
      operation="createFunction"
      disabledReason={unavailable}
      {...(source === 'example' && { copy: { operation: createFunction, schema: creationSchema, body: bodyOf } })}
      cancel={paths.functions(project.slug)}
      aside={<FunctionImpact />}
      onSubmit={async (values) => {
        const { id } =
          values.source === 'archive'
            ? await archive.send('POST', '/api/v1/functions', bodyOf(values), values.archive)
            : await create.mutateAsync({ body: bodyOf(values) });
        router.push(paths.function(project.slug, id));
      }}
    >
      <TextField
        control={control}
        name="name"
        label="Name"
        description="Part of the function’s URL. It can’t be changed."
        autoComplete="off"
        autoFocus
        mono
      />
      <CardsField
        control={control}
        name="template_id"
        label="Template"
        options={templates.map(({ id, name, description, status }) => ({
          value: id,
          label: name,
          description,
          ...(status === 'deprecated' && { disabledReason: 'Deprecated: takes no new functions.' }),
        }))}
      />
      <CardsField control={control} name="source" label="Code" options={sources} />
      {source === 'archive' && (
        <ArchiveField
          control={control}
          name="archive"
          hint={`${ARCHIVE_HINT} The handler is ${chosen?.handler ?? ''}, in ${chosen?.file ?? ''}.`}
        />
      )}
      {source === 'example' && chosen && (
        <div className="space-y-1.5">
          <p className="font-medium text-sm">Begins as {chosen.file}</p>
          <CodeBlock label="example" code={chosen.example.trim()} />
        </div>
      )}
      <NetworkFields control={control} names={networkNames} />
    </FormShell>
  );
}
