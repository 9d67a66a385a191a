'use client';

import { useRouter } from 'next/navigation';
import * as z from 'zod/mini';
import { TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Page } from '@/components/kit/page/page';
import { text } from '@/lib/client/constraints';
import { createLayer } from '@/lib/client/operations/layers';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

const { fields } = createLayer;
const schema = z.object({
  name: text(fields.name, 'Enter a name.'),
  description: z.string().check(z.trim(), z.maxLength(fields.description.maxLength, 'Up to 500 characters.')),
});

const bodyOf = (values: z.output<typeof schema>) => values;

/** Creates a layer. */
export default function NewLayerPage() {
  const { project, api } = useProject();
  const router = useRouter();
  const create = api.useMutation('post', '/api/v1/layers');
  const form = useSchemaForm(schema, { name: '', description: '' });
  return (
    <Page title="Create layer" narrow>
      <FormShell
        form={form}
        loading={false}
        error={create.error}
        failure="The layer could not be created"
        submitLabel="Create layer"
        operation="createLayer"
        copy={{ operation: createLayer, schema, body: bodyOf }}
        cancel={paths.layers(project.slug)}
        onSubmit={async (values) => {
          const { id } = await create.mutateAsync({ body: bodyOf(values) });
          router.push(paths.layer(project.slug, id));
        }}
      >
        <TextField control={form.control} name="name" label="Name" autoComplete="off" autoFocus />
        <TextField
          control={form.control}
          name="description"
          label="Description"
          description="What is in it. Projects that the layer is shared with see it."
          autoComplete="off"
          optional
        />
      </FormShell>
    </Page>
  );
}
